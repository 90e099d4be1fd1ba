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
  for (const [label, server] of rows) {
    const queue = createWaitingQueue(label, {
      store: async () => store,
      owner: { server, configured: true },
      setDigest: () => undefined,
      onerror: (error) => expect.fail(error.message),
    });
    queue.replace([{ entry, state: 'waiting', change: 'new', reason: 'no approval yet', by: 'rule' }]);
  }
  await eventually(async () => expect(await readWaiting(store.state)).toHaveLength(rows.length));
  return store;
}

test('a server forgets origins that left its own configuration; other servers keep them', async () => {
  const store = await withRows([
    ['docs', '/srv/skillwire.json'],
    ['old-docs', '/srv/skillwire.json'],
    ['tools', '/home/skillwire.json'],
  ]);
  await forgetOrigins(store.state, { server: '/srv/skillwire.json' }, new Set(['docs']));
  expect((await readWaiting(store.state)).map(({ label }) => label)).toEqual(['docs', 'tools']);
});

test('rows contain the state, its author and its time', async () => {
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
      owner: { server: '/srv/skillwire.json', configured: true },
    },
  ]);
});

test('a row is written again only if it changed', async () => {
  const store = memoryStore();
  const written: unknown[] = [];
  const errors: Error[] = [];
  const queue = () =>
    createWaitingQueue('docs', {
      store: async () => store,
      owner: { server: '/srv/skillwire.json', configured: false },
      setDigest: () => undefined,
      onerror: (error) => errors.push(error),
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
  expect(errors).toEqual([]);
});

test('the same rows again need no write', async () => {
  const store = memoryStore();
  let writes = 0;
  const transact: typeof store.state.transact = (change) => {
    writes++;
    return store.state.transact(change);
  };
  const queue = createWaitingQueue('docs', {
    store: async () => ({ ...store, state: { ...store.state, transact } }),
    owner: { server: '/srv/skillwire.json', configured: true },
    setDigest: () => undefined,
    onerror: (error) => expect.fail(error.message),
  });
  const rowOf = (reason: string) => ({ entry, state: 'waiting', change: 'new', reason, by: 'rule' }) as const;
  for (const reason of ['one', 'one', 'one', 'two']) {
    queue.replace([rowOf(reason)]);
    await eventually(async () => expect((await readWaiting(store.state))[0]?.reason).toBe(reason));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(writes).toBe(2);
});

test('of several replicas, one writes, and another one takes over when it has ended', async () => {
  const store = memoryStore();
  let leader = 'one';
  const requests: string[] = [];
  const queueOf = (name: string) =>
    createWaitingQueue('docs', {
      store: async () => ({
        state: store.state,
        members: {
          ...store.members,
          async leads() {
            requests.push(name);
            return leader === name;
          },
        },
      }),
      owner: { server: '/srv/skillwire.json', configured: true },
      setDigest: () => undefined,
      onerror: (error) => expect.fail(error.message),
    });
  const [one, two] = [queueOf('one'), queueOf('two')];
  const waiting = { entry, state: 'waiting', change: 'new', reason: 'no approval yet', by: 'rule' } as const;
  two.replace([waiting]);
  await eventually(async () => expect(requests).toEqual(['two']));
  expect(await readWaiting(store.state)).toEqual([]);
  one.replace([{ ...waiting, reason: 'of the leader' }]);
  await eventually(async () => expect(await readWaiting(store.state)).toMatchObject([{ reason: 'of the leader' }]));
  two.replace([{ ...waiting, reason: 'of another listing' }]);
  await eventually(async () => expect(requests).toEqual(['two', 'one', 'two']));
  expect(await readWaiting(store.state)).toMatchObject([{ reason: 'of the leader' }]);
  leader = 'two';
  // It looks again by itself.
  await eventually(async () =>
    expect(await readWaiting(store.state)).toMatchObject([{ reason: 'of another listing' }]),
  );
});

test('a server without waiting skills writes no rows', async () => {
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

test('several servers record a skill that they stop at the same time once', async () => {
  const store = memoryStore();
  const entries = ['a', 'b'].map((name) => ({ ...entry, uri: `skill://${name}/SKILL.md` }));
  const rows = entries.map((one) => ({
    entry: one,
    state: 'waiting' as const,
    change: 'new' as const,
    reason: 'no approval yet',
    by: 'rule' as const,
  }));
  const queues = Array.from({ length: 3 }, () =>
    createWaitingQueue('docs', {
      store: async () => store,
      owner: { server: '/srv/skillwire.json', configured: true },
      setDigest: () => undefined,
      onerror: (error) => expect.fail(error.message),
    }),
  );
  let looks = 0;
  // Every server has looked at the empty queue before one of them writes.
  let release = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const entriesOf = store.state.entries;
  Object.assign(store.state, {
    async entries(...args: Parameters<typeof entriesOf>) {
      const found = await entriesOf(...args);
      if (++looks === queues.length) release();
      await all;
      return found;
    },
  });
  for (const queue of queues) queue.replace(rows);
  await all;
  await eventually(async () => expect(await readWaiting(store.state)).toHaveLength(2));
  const recorded: (string | undefined)[] = [];
  for await (const { uri } of store.audit.read()) recorded.push(uri);
  expect(recorded.sort()).toEqual(entries.map(({ uri }) => uri));
});
