/** A member must not serve an old or incomplete state. The engine is scripted, because the order of its answers is the subject. */
import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import type { LogEngine, LogEntry } from './log-engine.ts';
import { sharedStore } from './shared-store.ts';

interface Scripted {
  readonly store: Store;
  /** An entry of another server. */
  add(key: readonly string[]): void;
  /** Another log, whose entries arrive one at a time. */
  replace(keys: readonly (readonly string[])[]): void;
  /** Called before a page is answered, with the number that it begins at. */
  beforePage: (from: number) => Promise<void>;
  beforeRenewal: () => void;
}

async function scripted(): Promise<Scripted> {
  let epoch = 'one';
  let log: LogEntry[] = [];
  let pageEntries = 100;
  const { blobs } = memoryStore();
  const script = { beforePage: async () => undefined, beforeRenewal: () => undefined } as unknown as Scripted;
  const entryOf = (key: readonly string[], index: number): LogEntry => ({
    sequence: index + 1,
    id: `${epoch} ${index}`,
    version: 1,
    payload: JSON.stringify([[key, 1]]),
  });
  const engine = {
    async read(from: number) {
      await script.beforePage(from);
      const entries = log.filter(({ sequence }) => sequence >= from).slice(0, pageEntries);
      return { epoch, last: log.length, entries };
    },
    blobs: { ...blobs, touch: async () => new Map<string, number>() },
    renew: async () => script.beforeRenewal(),
    leave: async () => undefined,
    members: async () => [],
    listen: () => () => undefined,
    close: async () => undefined,
  } as unknown as LogEngine;
  const options = { kind: 'postgres', place: 'x', whenAway: 'serve', awayMs: 60_000, warn: () => undefined } as const;
  const store = await sharedStore({ ...options, engine, local: memoryStore() });
  onTestFinished(() => store.close());
  return Object.assign(script, {
    store,
    add: (key: readonly string[]) => void log.push(entryOf(key, log.length)),
    replace(keys: readonly (readonly string[])[]) {
      epoch = 'two';
      pageEntries = 2;
      log = keys.map(entryOf);
    },
  });
}

test('a server that joins has read what was decided before others could know of it', async () => {
  const script = await scripted();
  let renewals = 0;
  script.beforeRenewal = () => {
    if (++renewals === 1) script.add(['deny', 'match', 'docs/*']);
  };
  await script.store.members.join({ id: 'one', version: '1' });
  expect(await script.store.state.get(['deny', 'match', 'docs/*'], 'projection')).toBe(1);
});

test('nobody reads a part of a log that is read again', async () => {
  const script = await scripted();
  const deny = ['deny', 'match', 'docs/*'];
  script.add(deny);
  await script.store.state.get(deny);
  script.replace([['token', 'a'], ['token', 'b'], ['token', 'c'], deny]);
  let release = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    script.beforePage = async (from) => {
      if (from !== 2) return;
      resolve();
      await new Promise<void>((continued) => {
        release = continued;
      });
    };
  });
  const caughtUp = script.store.state.revision();
  await reached;
  let isRead = false;
  const read = script.store.state.get(deny, 'projection').then((value) => {
    isRead = true;
    return value;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isRead).toBe(false);
  script.beforePage = async () => undefined;
  release();
  await caughtUp;
  expect(await read).toBe(1);
});
