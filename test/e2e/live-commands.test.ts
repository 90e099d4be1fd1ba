/** Live skills from the terminal: a hub, what is exposed at it, who is connected, and what is pinned. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { freePort, mdpServerFile } from '../peers/mdp-server.ts';
import { type CliFolder, type CliProcess, cliFolder } from './cli-process.ts';

let folder: CliFolder;
let hub: CliProcess;
let address: { url: string; mcp: string; mdp: string };
let origin: string;
const started: CliProcess[] = [];

beforeAll(async () => {
  folder = cliFolder();
  folder.write({
    'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes of the team.\n---\nText.\n',
    'review.md': '# Review\n\nHow to review.\n',
    'tips/SKILL.md': '---\nname: tips\ndescription: Good tips.\n---\nTip one.\n',
    'live.mjs':
      "export default (runtime) => {\n  let count = 0;\n  runtime.expose('/counter/skill.md', { description: 'Counts' }, () => 'Read ' + ++count + ' times.');\n" +
      "  runtime.expose('/counter/inner/skill.md', { description: 'Inner' }, () => 'Inner text.');\n};\n",
    'empty.mjs': 'export const nothing = 1;\n',
  });
  hub = start(['serve', './skills', '--mdp', '--http', '0', '--json', '--state', 'hub-state']);
  address = JSON.parse(await hub.seen('stdout', /listening.*\n/));
  origin = `mdp:${address.mdp}`;
});

afterAll(async () => {
  for (const { child, ended } of started.reverse()) {
    child.kill();
    await ended;
  }
  folder.remove();
});

function start(argv: readonly string[]): CliProcess {
  const process = folder.start(argv);
  started.push(process);
  return process;
}

async function names(): Promise<string[]> {
  const { stdout } = await folder.run(['list', origin, '--json']);
  return JSON.parse(stdout).skills.map(({ name }: { name: string }) => name);
}

const state = ['--state', 'hub-state'] as const;

describe('expose', () => {
  test('exposes Markdown and modules, follows a saved file, and removes everything at the end', async () => {
    const files = ['review.md', 'tips/SKILL.md', '/a/b/skill.md=review.md', 'live.mjs'];
    const exposing = start([
      'expose',
      ...files,
      '--to',
      address.mdp,
      '--id',
      'term',
      '--name',
      'My terminal',
      '--json',
    ]);
    expect(JSON.parse(await exposing.seen('stdout', /\n/))).toEqual({
      event: 'connected',
      to: address.mdp,
      id: 'term',
    });
    await eventually(
      async () => expect((await names()).sort()).toEqual(['b', 'counter', 'inner', 'review', 'tips']),
      100,
    );
    const listed = JSON.parse((await folder.run(['list', origin, '--json'])).stdout).skills;
    expect(listed.find(({ name }: { name: string }) => name === 'tips').description).toBe('Good tips.');

    const { stdout } = await folder.run(['runtimes', origin]);
    expect(stdout).toMatch(/ID +PATHS +OVER +SINCE +LAST CALL +NAME\nterm +5 +ws +20\d\d-.* My terminal\n/);

    folder.write({ 'review.md': '# Review\n\nHow to review better, with more words.\n' });
    await exposing.seen('stderr', /exposed again: review\.md/);
    await eventually(
      async () => expect((await folder.run(['read', origin, 'review'])).stdout).toContain('better'),
      100,
    );

    const refused = await folder.run(['expose', 'review.md', '--to', address.url, '--id', 'skillwire']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('refused this runtime') });

    exposing.child.kill('SIGINT');
    expect((await exposing.ended).exitCode).toBe(130);
    await eventually(async () => expect(await names()).toEqual([]), 100);
  });

  test('reports that another runtime has taken the id', async () => {
    const first = start(['expose', 'review.md', '--to', address.mdp, '--id', 'twice']);
    await first.seen('stderr', /connected: 1 file/);
    const second = start(['expose', 'review.md', '--to', address.mdp, '--id', 'twice']);
    const { exitCode, stderr } = await first.ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Choose another --id') });
    second.child.kill();
    await second.ended;
  });

  test.each([
    [['missing.md'], 'Cannot read "missing.md'],
    [['empty.mjs'], 'has no function as default export'],
    [['missing.mjs'], 'Cannot load "missing.mjs'],
    [['review.md', '--to', 'ftp://x'], 'not the address of a hub'],
    [['review.md', '--token-env', 'NOT_SET'], '"NOT_SET"'],
    [['/Upper/skill.md=review.md'], 'segments may contain only'],
    [['review.md', '--to', 'ws://127.0.0.1:1'], 'Cannot connect'],
  ])('refuses %j', async (argv, said) => {
    const { exitCode, stderr } = await folder.run(['expose', ...argv]);
    expect(stderr).toContain(said);
    expect([2, 4]).toContain(exitCode);
  });
});

describe('runtimes', () => {
  test('reads a server that lists only on stdio, and explains that for other transports', async () => {
    const { stdout, exitCode } = await folder.run([
      'runtimes',
      `mdp:stdio:${process.execPath} ${mdpServerFile}`,
      '--json',
      '--timeout',
      '10000',
    ]);
    expect({ exitCode, stdout: JSON.parse(stdout) }).toEqual({ exitCode: 0, stdout: { version: 1, runtimes: [] } });
    const other = await folder.run(['runtimes', './skills']);
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has no runtimes') });
    const nobody = await folder.run(['runtimes', 'mdp:ws://127.0.0.1:1']);
    expect(nobody.exitCode).toBe(4);
  });
});

describe('pin', () => {
  test('pins a skill with its nested skills, at the hub and for every command, until it is unpinned', async () => {
    const exposing = start(['expose', 'live.mjs', '--to', address.mdp, '--id', 'term']);
    await eventually(async () => expect(await names()).toEqual(['counter', 'inner']), 100);

    const alone = await folder.run(['pin', origin, 'counter', ...state]);
    expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Pin them first') });
    const both = await folder.run(['pin', origin, 'counter', 'inner', '--for', '12h', '--json', ...state]);
    expect(both).toMatchObject({ exitCode: 0, stderr: '' });
    const listed = JSON.parse((await folder.run(['pin', '--list', '--json', ...state])).stdout).pinned;
    expect(
      listed.map(({ name, resources }: { name: string; resources: unknown[] }) => [name, resources.length]),
    ).toEqual([
      ['counter', 2],
      ['inner', 1],
    ]);
    exposing.child.kill();
    await exposing.ended;

    await eventually(async () => {
      const { stdout } = await folder.run(['list', `mcp:${address.mcp}`, '--json']);
      const counter = JSON.parse(stdout).skills.find(({ name }: { name: string }) => name === 'counter');
      expect(counter?.files).toBe(2);
    }, 100);
    const read = await folder.run(['read', origin, 'counter', ...state]);
    expect(read.stdout).toMatch(/Read \d+ times\.\n$/);

    const inside = await folder.run(['unpin', origin, 'inner', ...state]);
    expect(inside).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Unpin that first') });
    for (const name of ['counter', 'inner'])
      expect(await folder.run(['unpin', origin, name, ...state])).toMatchObject({ exitCode: 0 });
    expect((await folder.run(['pin', '--list', ...state])).stderr).toContain('Nothing is pinned');
    expect((await folder.run(['audit', ...state])).stdout).toMatch(/pin[\s\S]*unpin/);
  });

  test('is done by a rule of the configuration, and applies at once after a restart', async () => {
    folder.write({
      'rules.json': JSON.stringify({ origins: { docs: './skills' }, pin: [{ match: 'mdp/term/', for: '30d' }] }),
    });
    const port = await freePort();
    const serving = ['serve', '--config', 'rules.json', '--mdp', '--http', String(port), '--json', '--state', 'ruled'];
    const first = start(serving);
    await first.seen('stdout', /listening/);
    const exposing = start(['expose', 'live.mjs', '--to', `ws://127.0.0.1:${port}`, '--id', 'term']);
    const files = async (): Promise<unknown[]> => {
      const { stdout } = await folder.run(['list', `mcp:http://127.0.0.1:${port}/mcp`, '--json']);
      return JSON.parse(stdout).skills.map((skill: { name: string; files: unknown }) => [skill.name, skill.files]);
    };
    await eventually(
      async () =>
        expect(await files()).toEqual(
          expect.arrayContaining([
            ['counter', 2],
            ['inner', 1],
          ]),
        ),
      100,
    );
    first.child.kill();
    await first.ended;
    exposing.child.kill();
    await exposing.ended;
    const { stdout } = await start(serving)
      .seen('stdout', /listening.*\n/)
      .then((text) => ({ stdout: JSON.parse(text) }));
    expect(stdout.skills).toBe(3);
  });

  test.each([
    [[], 'Name an origin and a skill'],
    [['./skills', 'notes'], 'is not a live origin'],
    [['mdp:ws://127.0.0.1:1', 'x'], 'Cannot reach'],
    [['mdp:ws://127.0.0.1:1', 'x', '--for', 'ever'], '30d, 12h or 45m'],
  ])('refuses %j', async (argv, said) => {
    const { exitCode, stderr } = await folder.run(['pin', ...argv]);
    expect(stderr).toContain(said);
    expect([2, 4]).toContain(exitCode);
  });

  test('unpin refuses a skill that is not pinned', async () => {
    const { exitCode, stderr } = await folder.run(['unpin', origin, 'nothing']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no such pinned skill'),
    });
  });
});
