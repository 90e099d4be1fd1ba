/** Pinned skills of a gateway's origin: how they are shown, and what becomes of them when the origin goes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let started: CliProcess[];
let hub: string;
let mcp: string;

beforeEach(async () => {
  started = [];
  folder = cliFolder();
  folder.write({
    'docs/review/SKILL.md': skillText('review'),
    'live.mjs':
      'let count = 0;\nexport default (runtime) => {\n' +
      "  runtime.expose('/counter/skill.md', { description: 'Counts' }, () => 'Read ' + ++count + ' times.');\n};\n",
  });
  ({ mdp: hub } = await listening(['serve', './docs', '--mdp', '--state', 'hub-state']));
  const exposing = start(['expose', 'live.mjs', '--to', hub, '--id', 'term']);
  await exposing.seen('stderr', /\n/);
});

afterEach(async () => {
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

async function listening(argv: readonly string[]): Promise<{ mcp: string; mdp: string }> {
  return JSON.parse(await start([...argv, '--http', '0', '--json']).seen('stdout', /listening.*\n/));
}

function configure(origins: object): void {
  folder.write({ 'skillwire.json': JSON.stringify({ origins: { docs: './docs', ...origins } }) });
}

interface Entry {
  readonly uri: string;
  readonly resources: 'dynamic' | readonly object[];
  readonly _meta: Readonly<Record<string, unknown>>;
}

async function counter(): Promise<Entry | undefined> {
  const { result } = await modern(mcp, 'skills/list');
  return ((result?.['skills'] ?? []) as Entry[]).find(({ uri }) => uri.endsWith('/counter/SKILL.md'));
}

const isLive = (): Promise<void> => eventually(async () => expect((await counter())?.resources).toBe('dynamic'), 200);
const isPinned = (): Promise<Entry> =>
  eventually(async () => {
    const found = await counter();
    if (found === undefined || found.resources === 'dynamic') throw new Error('not pinned');
    return found;
  }, 200);

test('is served with its provenance, but not for another origin of the label, and not after the origin was removed', async () => {
  configure({ live: { mdp: hub } });
  ({ mcp } = await listening(['serve', '--config', 'skillwire.json']));
  await isLive();
  expect(await folder.run(['pin', 'live', 'counter', '--config', 'skillwire.json'])).toMatchObject({ exitCode: 0 });
  const { _meta } = await isPinned();
  const { at } = _meta['dev.skillwire/pinned'] as { at: string };
  expect(_meta['dev.skillwire/origin']).toMatchObject({ label: 'live', kind: 'mdp', verified: 'files', since: at });

  configure({ live: { mdp: 'ws://127.0.0.1:9' } });
  await eventually(async () => expect(await counter()).toBeUndefined(), 200);
  configure({ live: { mdp: hub } });
  await isPinned();

  configure({});
  await eventually(async () => expect(await counter()).toBeUndefined(), 200);
  const listed = JSON.parse((await folder.run(['pin', '--list', '--json'])).stdout) as { pinned: object[] };
  expect(listed.pinned).toHaveLength(1);
  const removed = await folder.run(['origins', 'remove', 'live', '--json']);
  expect(JSON.parse(removed.stdout)).toMatchObject({ removed: { origin: 'live', pinned: 1 } });
  expect((await folder.run(['origins', 'remove', 'live'])).exitCode).toBe(2);
  configure({ live: { mdp: hub } });
  await isLive();
});
