import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { pinnedDigests } from './collect-garbage.ts';
import { openStore } from './embedded/open-store.ts';
import { memoryStore } from './memory-store.ts';
import type { StateKey } from './state-kinds.ts';
import { decisionTime, timeIn, timeText, timeValue, tombstoneKey } from './tombstones.ts';

const key: StateKey = ['deny', 'match', 'tools/*'];
const hour = 3_600_000;

describe('the time of a decision', () => {
  test('is now', async () => {
    const now = Date.parse('2026-11-16T10:00:00.000Z');
    expect(await decisionTime(memoryStore().state, key, now)).toBe('2026-11-16T10:00:00.000Z');
  });

  test('is later than the changed value, also if the clock went back', async () => {
    const { state } = memoryStore();
    const ahead = Date.now() + hour;
    await state.set(key, { at: timeText(ahead) });
    expect(await decisionTime(state, key)).toBe(timeText(ahead + 1));
    await state.delete(key);
    expect(timeIn(await state.get(tombstoneKey(key)))).toBeGreaterThanOrEqual(ahead);
    expect(Date.parse(await decisionTime(state, key))).toBeGreaterThan(ahead);
  });

  test('is a date, whatever the state contains', async () => {
    const { state } = memoryStore();
    await state.set(tombstoneKey(key), 'nonsense');
    expect(await decisionTime(state, key)).toBe(timeText(8.64e15));
  });
});

describe('tombstones', () => {
  test('are forgotten above their limit, the oldest first', async () => {
    const { state } = memoryStore();
    const keys = Array.from({ length: limits.store.tombstones }, (_, index): StateKey => ['origin', String(index)]);
    await state.transact(() => ({
      writes: keys.map((one, index) => ({ key: tombstoneKey(one), value: timeValue(1_000 + index) })),
      result: undefined,
    }));
    await state.set(key, { at: timeText(0) });
    await state.delete(key);
    expect(await state.entries(['tombstone'])).toHaveLength(limits.store.tombstones);
    expect(await state.get(tombstoneKey(['origin', '0']))).toBeUndefined();
    expect(await state.get(tombstoneKey(['origin', '1']))).toBeDefined();
    expect(await state.get(tombstoneKey(key))).toBeDefined();
  });

  test('are limited also if they are imported', async () => {
    const { state } = memoryStore();
    const many = limits.store.tombstones + 5;
    await state.transact(() => ({
      writes: Array.from({ length: many }, (_, index) => ({
        key: tombstoneKey(['origin', String(index)]),
        value: timeValue(index),
      })),
      result: undefined,
    }));
    expect(await state.entries(['tombstone'])).toHaveLength(limits.store.tombstones);
  });

  test('pin no bytes', async () => {
    const { state } = memoryStore();
    const digest = `sha256:${'a'.repeat(64)}`;
    await state.set(['deny', 'digest', digest], { at: timeText(0) });
    expect(await pinnedDigests(state)).toEqual(new Set([digest]));
    await state.delete(['deny', 'digest', digest]);
    expect(await pinnedDigests(state)).toEqual(new Set());
  });

  test('survive a rewrite of the journal', async () => {
    const top = mkdtempSync(join(tmpdir(), 'skillwire-tombstones-'));
    const store = await openStore({ stateFolder: join(top, 'state'), cacheFolder: join(top, 'cache') });
    const inode = (): number => statSync(join(top, 'state/state.jsonl')).ino;
    await store.state.set(key, { at: timeText(Date.now()) });
    await store.state.delete(key);
    const removed = await store.state.get(tombstoneKey(key));
    const before = inode();
    const long = 'x'.repeat(limits.store.compactBytes / 2);
    for (let round = 0; round < 12; round++) await store.state.set(['waiting', 'docs'], `${round}${long}`);
    expect(inode()).not.toBe(before);
    expect(await store.state.get(tombstoneKey(key))).toEqual(removed);
    await store.close();
    rmSync(top, { recursive: true });
  });
});
