/** `origins` and `cache`: labels that last, names of variables and never their values, pinned files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { type ServedSkills, sampleSkills, serveSkills } from './served-skills.ts';

let folder: CliFolder;
let served: ServedSkills;

beforeAll(async () => {
  folder = cliFolder();
  folder.write({ ...sampleSkills, 'project/skillwire.json': '{"origins": {"docs": "../skills"}}' });
  served = await serveSkills(folder);
});

afterAll(async () => {
  await served.stop();
  folder.remove();
});

const run = (...argv: string[]) => folder.run(argv);
const config = ['--config', 'project/skillwire.json'];

describe('origins', () => {
  test('stores an origin under a label, with names of variables and no values', { timeout: 180_000 }, async () => {
    const add = ['origins', 'add', `remote=${served.origin}`, '--token-env', 'TOKEN', '--header', 'X-Key=KEY'];
    expect(await folder.run(add, { TOKEN: 's3cret', KEY: 'k3y' })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('skillwire list remote'),
    });
    expect(readFileSync(join(folder.path, 'no-home/state/state.jsonl'), 'utf8')).not.toMatch(/s3cret|k3y/);
    const { stdout } = await run('origins', 'list');
    expect(stdout).toMatch(/^remote +added +yes +\$TOKEN, \$KEY +mcp:http/m);
    const { origins } = JSON.parse((await run('origins', 'list', '--json', ...config)).stdout);
    expect(origins).toMatchObject([
      { label: 'docs', from: 'configuration', trusted: true, origin: join(folder.path, 'skills') },
      {
        label: 'remote',
        from: 'added',
        trusted: true,
        tokenEnv: 'TOKEN',
        headers: [{ name: 'X-Key', variable: 'KEY' }],
      },
    ]);
    expect((await run('list', 'remote')).stderr).toContain('The environment variable "KEY"');
    const listed = await folder.run(['list', 'remote'], { TOKEN: 'a', KEY: 'b' });
    expect(listed).toMatchObject({ exitCode: 0, stderr: '3 skills from remote (skills-extension, verified: full)\n' });
  });

  test('lists the origins of an untrusted file', async () => {
    const own = cliFolder();
    own.write({
      ...sampleSkills,
      'skillwire.json': '{"origins": {"docs": "./skills", "tools": {"stdio": ["no-such"]}}}',
    });
    const listed = async (): Promise<readonly unknown[]> => {
      const { origins } = JSON.parse((await own.run(['origins', 'list', '--json'])).stdout);
      return origins.map(({ label, trusted }: { label: string; trusted: boolean }) => [label, trusted]);
    };
    expect(await listed()).toEqual([
      ['docs', true],
      ['tools', false],
    ]);
    const { stdout, stderr } = await own.run(['origins', 'list']);
    expect(stdout).toMatch(/^docs +configuration +yes [\s\S]*^tools +configuration +no /m);
    expect(stderr).toContain('skillwire.json is not trusted: it wants to start a program.');
    await own.trust();
    expect(await listed()).toEqual([
      ['docs', true],
      ['tools', true],
    ]);
    own.remove();
  });

  test('refuses a label that is taken, an origin without one, and a secret in the address', {
    timeout: 180_000,
  }, async () => {
    const refused = async (...argv: string[]) => {
      const { exitCode, stderr } = await run('origins', 'add', ...argv);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused('remote=./skills')).toContain('choose another label');
    expect(await refused('docs=./skills', ...config)).toContain('choose another label');
    expect(await refused(served.origin)).toContain('Use LABEL=ORIGIN');
    expect(await refused('./skills')).toContain('Use LABEL=ORIGIN');
    expect(await refused('x=mcp:https://example.com/mcp?api_key=1')).toContain('looks like a secret');
    expect(await refused('x=./skills', '--token-env', 'T')).toContain('only for mcp: and mdp: origins and sites');
    expect(await refused('x=mcp:http://example.com/mcp')).toContain('--insecure-http');
  });

  test('refuses an origin that is both in skillwire.json and added', async () => {
    expect((await run('origins', 'add', 'docs=./skills')).exitCode).toBe(0);
    const { exitCode, stderr } = await run('list', ...config);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('skillwire origins remove docs');
    expect((await run('origins', 'remove', 'docs')).exitCode).toBe(0);
    expect((await run('origins', 'remove', 'docs')).stderr).toContain('No origin "docs"');
    expect((await run('origins', 'remove', 'docs', ...config)).stderr).toContain('Remove it there');
  });

  test('reads all known origins if none is named', async () => {
    expect((await run('origins', 'remove', 'remote')).exitCode).toBe(0);
    expect((await run('list')).stderr).toContain('nothing to read');
    await run('origins', 'add', `remote=${served.origin}`);
    const { stderr, exitCode } = await run('list', ...config);
    expect({ exitCode, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      exitCode: 0,
      last: '6 skills from docs, remote (skills-extension, verified: full)',
    });
    expect((await run('origins', 'remove', 'remote')).exitCode).toBe(0);
  });
});

describe('cache', () => {
  test('keeps approved files pinned until their origin is removed', { timeout: 180_000 }, async () => {
    await run('origins', 'add', `kept=${served.origin}`);
    expect(JSON.parse((await run('cache', 'list', '--json')).stdout)).toEqual({ version: 1, files: [] });
    const { setDigest } = JSON.parse((await run('show', 'kept', 'pdf-tools', '--json')).stdout);
    expect((await run('approve', 'kept', 'pdf-tools', '--yes', setDigest)).exitCode).toBe(0);

    const { files } = JSON.parse((await run('cache', 'list', 'kept', '--json')).stdout);
    expect(files).toHaveLength(2);
    for (const file of files) expect(file).toMatchObject({ origin: 'kept', pinned: true });
    expect((await run('cache', 'list')).stdout).toMatch(/^kept +\d+ B +yes /m);
    expect(await run('cache', 'verify')).toMatchObject({ exitCode: 0, stderr: '2 files checked, 0 removed\n' });
    expect((await run('cache', 'gc')).stderr).toMatch(/^0 removed, /);

    expect((await run('origins', 'remove', 'kept')).stderr).toContain(
      'removed: kept, with 1 approval, 0 pins and 2 cached files',
    );
    expect(JSON.parse((await run('cache', 'list', '--json')).stdout).files).toEqual([]);
    expect(JSON.parse((await run('approvals', '--json')).stdout).approvals).toEqual([]);
  });

  test('clears one origin', async () => {
    expect(await run('cache', 'clear', 'other')).toMatchObject({ exitCode: 0, stderr: '0 removed, 0 B freed\n' });
  });

  test('uses the state of --state', async () => {
    expect((await run('origins', 'add', 'here=./skills', '--state', './own')).exitCode).toBe(0);
    expect((await run('origins', 'list', '--state', './own')).stdout).toContain('here');
    expect((await run('origins', 'list')).stdout).not.toContain('here');
  });

  test.each([[['cache']], [['origins']], [['cache', 'prune']], [['origins', 'add']]])('refuses %j', async (argv) => {
    expect((await run(...argv)).exitCode).toBe(2);
  });
});
