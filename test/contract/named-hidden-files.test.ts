/** Hidden files that are named are part of a skill, from every kind of origin with files: `add --publish`, the lock file, the configuration. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { packArchive } from '../../src/archive/pack.ts';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';
import { gitRepository, gitServer } from '../git-server.ts';
import { skill, temporary, write } from '../skill-folders.ts';

const files = {
  'skills/a/SKILL.md': skill('a'),
  'skills/a/.learnings/x.md': 'learned\n',
  'skills/b/SKILL.md': skill('b'),
  'skills/b/prod.env': 'A=1\n',
};
const learned = '.agents/skills/a/.learnings/x.md';

interface Place {
  /** As written in a shell in the working folder. */
  readonly origin: string;
  /** The path of a file of the origin for `--publish`. */
  readonly named: (path: string) => string;
  readonly configured: (publish: readonly string[]) => object;
}

let cli: CliInProcess;

beforeEach(() => {
  cli = newHome();
});

function newHome(): CliInProcess {
  const made = cliInProcess();
  onTestFinished(() => made.remove());
  return made;
}

const kinds: Readonly<Record<string, () => Promise<Place>>> = {
  async folder() {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(cli.home, 'origin', path, '..'), { recursive: true });
      writeFileSync(join(cli.home, 'origin', path), text);
    }
    return {
      origin: './origin',
      named: (path) => `origin/${path}`,
      configured: (publish) => ({ folder: './origin', publish }),
    };
  },
  async archive() {
    const packed = Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false }));
    writeFileSync(join(cli.home, 'skills.zip'), packArchive(packed, 'zip'));
    return {
      origin: './skills.zip',
      named: (path) => path,
      configured: (publish) => ({ archive: './skills.zip', publish }),
    };
  },
  async git() {
    const folder = await temporary();
    gitRepository(folder, files);
    const { origin } = await gitServer({ repositories: { '/skills.git': folder } });
    const address = `${origin}/skills.git`;
    return {
      origin: `git:${address}`,
      named: (path) => path,
      configured: (publish) => ({ git: address, publish }),
    };
  },
};

async function trust(who: CliInProcess, file: string): Promise<void> {
  const shown = await who.run('trust', file, '--json');
  const { exitCode, err } = await who.run('trust', file, '--trust-config', JSON.parse(shown.out).files[0].digest);
  expect(exitCode, err).toBe(0);
}

const setDigest = (text: string): string => /"setDigest": ?"(sha256:[0-9a-f]{64})"/.exec(text)?.[1] ?? '';

async function added(...argv: readonly string[]): Promise<void> {
  const place = ['--agent', 'codex'];
  const tried = await cli.run('add', ...argv, ...place, '--dry-run', '--json');
  const done = await cli.run('add', ...argv, ...place, '--approve', setDigest(tried.out));
  expect(done.exitCode, done.err).toBe(0);
}

describe.each(Object.keys(kinds))('of a %s', (kind) => {
  let place: Place;
  beforeEach(async () => {
    place = await (kinds[kind] as () => Promise<Place>)();
  });

  test('add leaves them out, and installs them with --publish', async () => {
    await added(place.origin, 'a');
    expect(existsSync(join(cli.home, learned))).toBe(false);
    expect(readFileSync(join(cli.home, 'skillwire.lock'), 'utf8')).not.toContain('publish');
    await added(place.origin, 'a', '--publish', place.named('skills/a/.learnings'));
    expect(readFileSync(join(cli.home, learned), 'utf8')).toBe('learned\n');
    const { skills } = JSON.parse(readFileSync(join(cli.home, 'skillwire.lock'), 'utf8'));
    expect(skills.a.origin.publish).toEqual(['skills/a/.learnings']);
    expect(Object.keys(skills.a.files)).toContain('.learnings/x.md');
  }, 60_000);

  test('a colleague with another home installs the same files from the lock file, and update finds nothing new', async () => {
    await added(place.origin, 'a', '--publish', place.named('skills/a/.learnings'));
    await added(place.origin, 'b', '--publish', place.named('skills/b/prod.env'));
    const colleague = newHome();
    for (const name of ['skillwire.lock', 'origin', 'skills.zip'])
      if (existsSync(join(cli.home, name)))
        cpSync(join(cli.home, name), join(colleague.home, name), { recursive: true });
    const refused = await colleague.run('install');
    expect(refused.exitCode, refused.err).toBe(5);
    await trust(colleague, 'skillwire.lock');
    const installed = await colleague.run('install');
    expect(installed.exitCode, installed.err).toBe(0);
    expect(readFileSync(join(colleague.home, learned), 'utf8')).toBe('learned\n');
    expect(readFileSync(join(colleague.home, '.agents/skills/b/prod.env'), 'utf8')).toBe('A=1\n');
    const checked = await colleague.run('update', '--check');
    expect(checked.exitCode, checked.out + checked.err).toBe(0);
    const lock = readFileSync(join(colleague.home, 'skillwire.lock'), 'utf8');
    await colleague.run('update');
    expect(readFileSync(join(colleague.home, 'skillwire.lock'), 'utf8')).toBe(lock);
  }, 60_000);

  test('a configuration names them for readers and servers', async () => {
    const at = join(cli.home, 'skillwire.json');
    writeFileSync(at, JSON.stringify({ origins: { docs: place.configured(['skills/a/.learnings', 'skills/no.md']) } }));
    await trust(cli, 'skillwire.json');
    const read = await cli.run('read', 'docs', 'a', '.learnings/x.md');
    expect(read.out, read.err).toBe('learned\n');
    const listed = await cli.run('list', 'docs', '--json');
    const rules = [...listed.out.matchAll(/"rule": ?"([a-z-]+)"/g)].map(([, rule]) => rule);
    expect(rules.sort()).toEqual(['file-secret', 'file-secret-published', 'publish-unused']);
    await added('docs', 'a');
    expect(readFileSync(join(cli.home, learned), 'utf8')).toBe('learned\n');
    // The configuration is the one place that names them.
    expect(readFileSync(join(cli.home, 'skillwire.lock'), 'utf8')).not.toContain('publish');
  }, 60_000);
});

test('an origin of the user does not accept what a lock file publishes of it', async () => {
  const { origin, named } = await (kinds['folder'] as () => Promise<Place>)();
  await added(origin, 'b', '--publish', named('skills/b/prod.env'));
  const colleague = newHome();
  for (const name of ['skillwire.lock', 'origin'])
    cpSync(join(cli.home, name), join(colleague.home, name), { recursive: true });
  expect((await colleague.run('origins', 'add', 'mine=./origin')).exitCode).toBe(0);
  const refused = await colleague.run('install');
  expect([refused.exitCode, refused.err]).toEqual([5, expect.stringContaining('prod.env')]);
});

test('--publish is refused where it has no effect', async () => {
  await write(cli.home, { origin: { a: { 'SKILL.md': skill('a') } } });
  writeFileSync(
    join(cli.home, 'a.zip'),
    packArchive([{ path: 'SKILL.md', bytes: Buffer.from(skill('a')), executable: false }], 'zip'),
  );
  for (const [origin, file, message] of [
    ['./origin', 'elsewhere/x.env', 'is not in any of the folders'],
    ['./a.zip', '../x.env', 'is not a path below the root'],
    ['https://127.0.0.1:1', '.env', '--publish has no effect'],
  ] as const) {
    const { exitCode, err } = await cli.run('add', origin, 'a', '--publish', file, '--dry-run');
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
  }
});
