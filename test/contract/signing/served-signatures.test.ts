/** One bad signature of an origin is one verdict: all other skills get theirs. Real servers and real commands. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { serve } from '../../../src/node/serve.ts';
import { sha256Digest } from '../../../src/skill/digest.ts';
import { directorySource } from '../../../src/sources/directory/directory-source.ts';
import type { SkillSource, SourceSkill } from '../../../src/sources/skill-source.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type CliResult, runInProcess } from '../../run-in-process.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText.\n`;
const tooMuch = `{"x":"${'x'.repeat(2 * 1024 * 1024)}"}`;

/** Skills of which `big` has a signature file of 2 MB. */
async function skills() {
  const cwd = mkdtempSync(join(tmpdir(), 'skillwire-served-'));
  cleanUp.push(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (path: string, content: string): void => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  const run = (...argv: string[]): Promise<CliResult> =>
    runInProcess(argv, { cwd, env: { SKILLWIRE_HOME: join(cwd, 'home'), HOME: cwd } });
  for (const name of ['big', 'good', 'plain']) write(`skills/${name}/SKILL.md`, text(name));
  for (const name of ['author', 'other']) await run('keygen', '--out', `${name}.key`);
  expect((await run('sign', './skills', '--key', 'author.key')).exitCode).toBe(0);
  rmSync(join(cwd, 'skills/plain/skill.oms.sig'));
  write('skills/big/skill.oms.sig', tooMuch);
  const source = directorySource([{ path: join(cwd, 'skills') }], { watch: false });
  const serving = async (served: SkillSource): Promise<string> => {
    const handle = await serve({ source: served, http: { host: '127.0.0.1', port: 0 } });
    cleanUp.push(() => handle.close());
    return String(handle.mcp);
  };
  return { cwd, write, run, source, serving };
}

const states = ({ stdout }: CliResult): object =>
  Object.fromEntries(
    JSON.parse(stdout).skills.map(({ name, signature }: never) => [name, (signature as { state: string }).state]),
  );

describe('a signature file of 2 MB', () => {
  const expected = { big: 'invalid', good: 'signed', plain: 'unsigned' };

  verifies(['SG-6'], 'is one verdict of verify --signer and of list', async () => {
    const { run, write, source, serving } = await skills();
    const mcp = await serving(source);
    write('home/skillwire.json', JSON.stringify({ origins: {}, signers: { author: { key: '../author.key.pub' } } }));
    for (const origin of ['./skills', `mcp:${mcp}`, new URL(mcp).origin]) {
      const verified = await run('verify', origin, '--signer', 'author.key.pub', '--json');
      expect(verified).toMatchObject({ exitCode: 7 });
      expect(states(verified)).toEqual(expected);
      expect(verified.stdout).toContain('at most 1048576 are allowed');
      expect(states(await run('list', origin, '--json'))).toEqual(expected);
    }
  });

  verifies(['SG-6'], 'is one verdict if the entry promises less', async () => {
    const { run, source, serving } = await skills();
    const small = async ({ entry, ...skill }: SourceSkill): Promise<SourceSkill> => {
      const { resources } = entry;
      if (resources === 'dynamic') return { entry, ...skill };
      const digest = await sha256Digest(new TextEncoder().encode(tooMuch));
      const lie = resources.map((one) => (one.digest === digest ? { ...one, size: 100 } : one));
      return { ...skill, entry: { ...entry, resources: lie } };
    };
    const mcp = await serving({
      ...source,
      async *list(context) {
        for await (const page of source.list(context))
          yield { ...page, skills: await Promise.all(page.skills.map(small)) };
      },
      async get(uri, context) {
        const skill = await source.get(uri, context);
        return skill === undefined ? undefined : small(skill);
      },
    });
    const verified = await run('verify', `mcp:${mcp}`, '--signer', 'author.key.pub', '--json');
    expect(verified).toMatchObject({ exitCode: 7 });
    expect(states(verified)).toEqual({ ...expected, big: 'unread' });
  });

  verifies(['SG-6'], 'is one finding of validate and build --check', async () => {
    const { run } = await skills();
    const validated = JSON.parse((await run('validate', './skills', '--json')).stdout);
    expect(validated.findings).toMatchObject([{ rule: 'signature-unusable' }]);
    expect((await run('build', './skills', '--out', 'site')).exitCode).toBe(0);
    const checked = await run('build', './skills', '--out', 'site', '--check');
    expect(checked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('at most 1048576 are allowed') });
  });
});

describe('verify --signer NAME', () => {
  test('checks one signer that the configuration names, with its limits in time', async () => {
    const { run, write } = await skills();
    const configure = (author: object): void =>
      write(
        'home/skillwire.json',
        JSON.stringify({
          origins: {},
          signers: { author: { key: '../author.key.pub', ...author }, other: { key: '../other.key.pub' } },
        }),
      );
    configure({});
    const verify = (name: string) => run('verify', './skills', '--signer', name, '--json');
    expect(states(await verify('author'))).toMatchObject({ good: 'signed' });
    expect(states(await verify('other'))).toMatchObject({ good: 'untrusted' });
    configure({ notAfter: '2026-01-01' });
    expect(states(await verify('author'))).toMatchObject({ good: 'untrusted' });
    const unknown = await verify('nobody');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('author, other') });
    // A file of the same name is a file.
    write('other', '');
    expect(await verify('other')).toMatchObject({ exitCode: 2 });
  });
});
