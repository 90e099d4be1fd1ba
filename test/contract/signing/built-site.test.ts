/** `build` publishes the skills that the rules about signers accept, and names the others. Real commands. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe('build with rules about signers', () => {
  verifies(['SG-16', 'SG-23'], 'publishes what they accept, and names the rest', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'skillwire-built-'));
    cleanUp.push(() => rmSync(cwd, { recursive: true, force: true }));
    const write = (path: string, content: string): void => {
      mkdirSync(join(cwd, path, '..'), { recursive: true });
      writeFileSync(join(cwd, path), content);
    };
    const run = (...argv: string[]): Promise<CliResult> =>
      runInProcess(argv, { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), HOME: cwd } });
    for (const name of ['good', 'plain']) {
      write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText.\n`);
    }
    await run('keygen', '--out', 'team.key');
    await run('sign', './skills/good', '--key', 'team.key');
    const configure = (team: object): void =>
      write(
        'skillwire.json',
        JSON.stringify({
          origins: { docs: './skills' },
          signers: { team: { key: './team.key.pub', ...team } },
          policy: { signatures: [{ require: ['team'] }] },
        }),
      );
    configure({});
    const notPublished = [
      {
        origin: 'docs',
        name: 'plain',
        state: 'denied',
        reason: expect.stringContaining('must be signed by team: unsigned'),
      },
    ];
    const built = await run('build', '--out', 'site', '--json');
    expect(built).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(built.stdout)).toMatchObject({ skills: ['good'], notPublished });
    expect(existsSync(join(cwd, 'site/.well-known/skills/good/skill.oms.sig'))).toBe(true);
    const checked = await run('build', '--out', 'site', '--check', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({ skills: 1, upToDate: true, notPublished });
    expect((await run('build', '--out', 'site')).stderr).toContain(
      'not published: plain is denied: it must be signed by team: unsigned',
    );

    // A revoked key takes its skills off the site.
    configure({ revoked: { at: '2026-01-01', reason: 'compromised' } });
    const revoked = await run('build', '--out', 'site', '--json');
    expect(JSON.parse(revoked.stdout)).toMatchObject({ skills: [], removed: ['good'] });
    // A key that cannot be used is an error, not an empty site.
    write('team.key.pub', 'no key');
    const unusable = await run('build', '--out', 'site', '--json');
    expect(unusable).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('CONFIG_INVALID') });
  });
});
