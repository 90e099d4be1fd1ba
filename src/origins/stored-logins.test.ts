import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { privateRecordFiles } from '../store/embedded/private-record-files.ts';
import type { JudgedFile } from './file-trust.ts';
import { originDefaults } from './named-origin.ts';
import { serverOptions } from './open-origin.ts';
import { storedLogins } from './stored-logins.ts';

const url = 'https://skills.example.com/mcp';
const challenge = { status: 401, challenge: 'Bearer resource_metadata="https://skills.example.com/x"' };

test('a login is not used for a file that is not trusted, and the error says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logins = storedLogins(privateRecordFiles(folder));
  const file = { file: '/project/skillwire.json' } as JudgedFile;
  const origin = {
    ...originDefaults,
    label: 'docs',
    location: { kind: 'mcp', url },
    from: 'configuration',
    trust: { standing: 'guarded', file, at: 'origins.docs' },
  } as const;
  const opened = async () => {
    const options = await serverOptions(origin, { cwd: folder, env: {}, logins: async () => logins });
    const credentials = options !== undefined && 'url' in options ? options.credentials : undefined;
    if (credentials === undefined) throw new Error('no credentials');
    return credentials;
  };

  const without = await opened();
  expect(await without.header()).toBeUndefined();
  expect(await without.renew(challenge, new URL(url), fetch)).toBe(false);

  const client = { id: 'a', from: 'option' } as const;
  const at = '2026-11-19T00:00:00.000Z';
  const issuer = 'https://login.example.com';
  await logins.book.put({ url, origin: `mcp:${url}`, issuer, client, accessToken: 'secret-token', at });
  const unused = await opened();
  expect(await unused.header()).toBeUndefined();
  const refusal = await unused.renew(challenge, new URL(url), fetch).then(String, (error: unknown) => String(error));
  expect(refusal).toContain('is not used: "skillwire.json" came with this folder and is not trusted');
  expect(refusal).toContain('skillwire trust /project/skillwire.json');
  expect(refusal).not.toContain('secret-token');
});
