/** Keys and certificates of a configuration while a server runs: a changed file counts, and an unusable one is reported. Real servers. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import type { ServingEvent } from '../../../src/gateway/server-reports.ts';
import { serveConfiguration } from '../../../src/node/serve-configuration.ts';
import { eventually } from '../../eventually.ts';
import { refusal } from '../../refusal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function project(policy?: object) {
  const cwd = mkdtempSync(join(tmpdir(), 'skillwire-followed-'));
  cleanUp.push(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (path: string, content: string): void => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  const run = (...argv: string[]): Promise<CliResult> =>
    runInProcess(argv, { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), HOME: cwd } });
  write('skills/tool/SKILL.md', '---\nname: tool\ndescription: About tool.\n---\n\nText.\n');
  for (const name of ['team', 'other']) await run('keygen', '--out', `${name}.key`);
  await run('sign', './skills', '--key', 'team.key');
  write(
    'skillwire.json',
    JSON.stringify({
      origins: { docs: './skills' },
      signers: { team: { key: './trusted.pub' } },
      ...(policy === undefined ? {} : { policy }),
    }),
  );
  const use = (name: string): void => copyFileSync(join(cwd, `${name}.key.pub`), join(cwd, 'trusted.pub'));
  const events: ServingEvent[] = [];
  const serve = async () => {
    const handle = await serveConfiguration(join(cwd, 'skillwire.json'), {
      http: { host: '127.0.0.1', port: 0 },
      state: join(cwd, 'home'),
      env: {},
      watch: true,
      log: { event: (event) => events.push(event) },
    });
    cleanUp.push(() => handle.close());
    return handle;
  };
  return { write, use, serve, events };
}

const required = { signatures: [{ require: ['team'] }] };

describe('keys of a running server', () => {
  verifies(['SG-20', 'SG-22'], 'a changed key file counts, and an unusable one changes nothing', async () => {
    const { write, use, serve, events } = await project(required);
    use('team');
    const handle = await serve();
    const names = async () => (await handle.catalog.snapshot()).skills.map(({ entry }) => entry.frontmatter.name);
    expect(await names()).toEqual(['tool']);
    use('other');
    await eventually(async () => expect(await names()).toEqual([]));
    use('team');
    await eventually(async () => expect(await names()).toEqual(['tool']));
    write('trusted.pub', 'no key');
    await eventually(async () =>
      expect(events).toContainEqual(
        expect.objectContaining({ event: 'config.refused', reason: expect.stringContaining('Cannot use the signer') }),
      ),
    );
    expect(await names()).toEqual(['tool']);
  });

  verifies(['SG-23'], 'an unusable key is an error at the start, with or without rules', async () => {
    for (const policy of [required, undefined]) {
      const { write, serve } = await project(policy);
      const expected = { code: 'CONFIG_INVALID', message: expect.stringContaining('Cannot use the signer "team"') };
      expect(await refusal(serve())).toMatchObject(expected);
      write('trusted.pub', 'no key');
      expect(await refusal(serve())).toMatchObject(expected);
    }
  });

  verifies(['SG-21'], 'verdicts are shown on the page without a policy', async () => {
    const { use, serve } = await project();
    use('team');
    const handle = await serve();
    const uri = encodeURIComponent('skill://docs/tool/SKILL.md');
    await eventually(async () =>
      expect(await (await fetch(new URL(`/api/skill?uri=${uri}`, handle.mcp))).json()).toMatchObject({
        signature: { state: 'signed', signer: 'team' },
      }),
    );
  });
});
