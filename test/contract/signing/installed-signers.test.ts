/** The user's rules about signers count whenever installed skills are written, also if no origin is asked. Real servers and real commands. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { serve } from '../../../src/node/serve.ts';
import { directorySource } from '../../../src/sources/directory/directory-source.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText.\n`;

/** A developer who installed the signed skill `tool` of the origin `vendor`. */
async function installed() {
  const cwd = mkdtempSync(join(tmpdir(), 'skillwire-signers-'));
  cleanUp.push(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (path: string, content: string): void => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  const run = (...argv: string[]): Promise<CliResult> =>
    runInProcess(argv, { cwd: join(cwd, 'project'), env: { SKILLWIRE_HOME: join(cwd, 'home'), HOME: cwd } });
  mkdirSync(join(cwd, 'project'));
  write('skills/tool/SKILL.md', text('tool'));
  for (const name of ['author', 'other']) await run('keygen', '--out', `../${name}.key`);
  expect((await run('sign', '../skills', '--key', '../author.key')).exitCode).toBe(0);
  const source = directorySource([{ path: join(cwd, 'skills') }], { watch: false });
  const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
  cleanUp.push(() => handle.close());
  const configure = (author: object, rules: readonly object[] = []): void =>
    write(
      'home/skillwire.json',
      JSON.stringify({
        origins: { vendor: `mcp:${handle.mcp}` },
        signers: { author: { key: '../author.key.pub', ...author }, other: { key: '../other.key.pub' } },
        policy: { signatures: rules },
      }),
    );
  configure({});
  const question = await run('add', 'vendor', '--agent', 'claude-code', '--json');
  const { planDigest } = JSON.parse(question.stderr).error.data;
  expect(await run('add', 'vendor', '--agent', 'claude-code', '--json', '--approve', planDigest)).toMatchObject({
    exitCode: 0,
  });
  const copy = join(cwd, 'project/.agents/skills/tool');
  const link = join(cwd, 'project/.claude/skills/tool');
  return { run, configure, copy, link, stopServer: () => handle.close() };
}

const requiresOther = [{ origin: 'vendor', require: ['other'] }];
const compromised = { revoked: { at: '2026-01-01', reason: 'compromised' } };

describe('install asks the rules about signers', () => {
  verifies(['SG-16', 'SG-20', 'SG-22'], 'before it restores stored bytes', async () => {
    const { run, configure, copy, stopServer } = await installed();
    await stopServer();
    rmSync(copy, { recursive: true });
    for (const [author, rules, reason] of [
      [{}, requiresOther, 'it must be signed by other: it is signed by author'],
      [compromised, [{ require: ['author'] }], 'the signer \\"author\\" was revoked (compromised)'],
    ] as const) {
      configure(author, rules);
      for (const dryRun of [['--dry-run'], []]) {
        const refused = await run('install', '--json', ...dryRun);
        expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(reason) });
        expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'REFUSED_BY_POLICY' });
      }
      expect(existsSync(copy)).toBe(false);
    }
    expect((await run('audit', '--json')).stdout).toMatch(/"action":"refuse","label":"vendor"/);
    configure({}, [{ origin: 'vendor', require: ['author'] }]);
    expect(await run('install')).toMatchObject({ exitCode: 0 });
    expect(existsSync(copy)).toBe(true);
  });

  verifies(['SG-16', 'SG-20'], 'before it repairs a folder from another one', async () => {
    const { run, configure, link } = await installed();
    rmSync(link);
    configure({}, requiresOther);
    expect(await run('install')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('signed by other') });
    expect(existsSync(link)).toBe(false);
    configure({});
    expect(await run('install')).toMatchObject({ exitCode: 0 });
    expect(existsSync(link)).toBe(true);
  });

  verifies(['SG-16', 'SG-20'], 'before it installs what it fetched, by the label of the origin', async () => {
    const { run, configure, copy } = await installed();
    rmSync(copy, { recursive: true });
    expect(await run('cache', 'clear')).toMatchObject({ exitCode: 0 });
    configure({}, requiresOther);
    expect(await run('install')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('signed by other') });
    configure({}, [{ origin: 'vendor', require: [] }, { require: ['other'] }]);
    expect(await run('install')).toMatchObject({ exitCode: 0 });
    expect(existsSync(copy)).toBe(true);
  });
});
