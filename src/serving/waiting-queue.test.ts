import { expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { memoryStore } from '../store/memory-store.ts';
import { createWaitingQueue, forgetOrigins, readWaiting } from './waiting-queue.ts';

const entry: SkillEntry = {
  uri: 'skill://a/SKILL.md',
  frontmatter: { name: 'a', description: 'A.' },
  resources: 'dynamic',
};

async function withRows(rows: readonly (readonly [label: string, server: string])[]) {
  const store = memoryStore();
  for (const [label, owner] of rows) {
    const queue = createWaitingQueue(label, {
      store: async () => store,
      owner,
      setDigest: () => undefined,
      onerror: (error) => expect.fail(error.message),
    });
    queue.replace([{ entry, state: 'waiting', change: 'new', reason: 'no approval yet', by: 'rule' }]);
  }
  await eventually(async () => expect(await readWaiting(store.state)).toHaveLength(rows.length));
  return store;
}

test('a server forgets the origins that left its own configuration, and nobody else forgets them', async () => {
  const store = await withRows([
    ['docs', '/srv/skillwire.json'],
    ['old-docs', '/srv/skillwire.json'],
    ['tools', '/home/skillwire.json'],
  ]);
  await forgetOrigins(store.state, '/srv/skillwire.json', new Set(['docs']));
  expect((await readWaiting(store.state)).map(({ label }) => label)).toEqual(['docs', 'tools']);
});

test('rows say the state, who decided, and since when', async () => {
  const store = await withRows([['docs', '/srv/skillwire.json']]);
  expect(await readWaiting(store.state)).toEqual([
    {
      label: 'docs',
      uri: entry.uri,
      name: 'a',
      state: 'waiting',
      change: 'new',
      by: 'rule',
      reason: 'no approval yet',
      since: expect.stringMatching(/^\d{4}-/),
    },
  ]);
});

test('a row is written again only where it says something else', async () => {
  const store = memoryStore();
  const written: unknown[] = [];
  const told: Error[] = [];
  const queue = () =>
    createWaitingQueue('docs', {
      store: async () => store,
      owner: '/srv/skillwire.json',
      setDigest: () => undefined,
      onerror: (error) => told.push(error),
    });
  const audited = async (): Promise<number> => {
    written.length = 0;
    for await (const row of store.audit.read()) written.push(row);
    return written.length;
  };
  const row = { entry, state: 'waiting', change: 'new', reason: 'no approval yet', by: 'rule' } as const;
  const one = queue();
  one.replace([row]);
  await eventually(async () => expect(await readWaiting(store.state)).toHaveLength(1));
  const [first] = await readWaiting(store.state);
  one.replace([row]);
  // A server that starts again finds the row as it was.
  const two = queue();
  two.replace([row]);
  two.replace([{ ...row, reason: 'a rule' }]);
  await eventually(async () => expect((await readWaiting(store.state))[0]?.reason).toBe('a rule'));
  expect(await audited()).toBe(2);
  expect(first?.since).toBeDefined();
  two.replace([]);
  await eventually(async () => expect(await readWaiting(store.state)).toEqual([]));
  expect(told).toEqual([]);
});

test('a server without rows of its own writes none', async () => {
  const store = memoryStore();
  const queue = createWaitingQueue('docs', {
    store: async () => store,
    owner: undefined,
    setDigest: () => undefined,
    onerror: () => undefined,
  });
  queue.replace([{ entry, state: 'denied', reason: 'INC-7', by: 'person' }]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await readWaiting(store.state)).toEqual([]);
});
