/** Records, blobs, followers and parts of a store: what they refuse and report. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { createStateFollower } from './assemble-store.ts';
import { collectGarbage, pinnedDigests } from './collect-garbage.ts';
import { memoryStore } from './memory-store.ts';
import type { AnyKey, BlobFacts, BlobStore, StateEntry } from './store.ts';
import { checkBlob, checkDigest, checkedRecord, isAuditRecord } from './store-checks.ts';

afterEach(() => void vi.useRealTimers());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('records and blobs', () => {
  const record = { at: 'now', action: 'x' };
  test.each<readonly [JsonValue, boolean]>([
    [record, true],
    [{ ...record, label: 'a', uri: 'b', by: 'c', reason: 'd', key: ['e'], data: 7 }, true],
    [{ action: 'x' }, false],
    [{ at: 'now' }, false],
    [{ ...record, at: 1 }, false],
    [{ ...record, action: 1 }, false],
    [{ ...record, label: 1 }, false],
    [{ ...record, uri: 1 }, false],
    [{ ...record, by: 1 }, false],
    [{ ...record, reason: 1 }, false],
    [{ ...record, key: [] }, false],
    [{ ...record, key: 'x' }, false],
    [null, false],
    ['x', false],
  ])('%j is a record: %s', (value, is) => {
    expect(isAuditRecord(value)).toBe(is);
    if (is) expect(checkedRecord(value as never)).toEqual(value);
    else expect(() => checkedRecord(value as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  test('digests and bytes are checked', async () => {
    const digest = await sha256Digest(bytes('a'));
    expect(() => checkDigest(digest)).not.toThrow();
    for (const bad of ['', 'x', digest.toUpperCase(), '../x'])
      expect(() => checkDigest(bad)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => checkBlob(digest, bytes('a'), digest)).not.toThrow();
    expect(() => checkBlob(digest, bytes('a'), 'other')).toThrow(
      expect.objectContaining({
        code: 'VERIFICATION_FAILED',
        reason: 'digest',
        data: expect.objectContaining({ expectedDigest: digest, actualDigest: 'other' }),
      }),
    );
    const sized = (length: number) => ({ length }) as Uint8Array;
    expect(() => checkBlob(digest, sized(limits.skill.bytes), digest)).not.toThrow();
    expect(() => checkBlob(digest, sized(limits.skill.bytes + 1), digest)).toThrow(
      expect.objectContaining({
        code: 'LIMIT_EXCEEDED',
        data: { digest, actual: limits.skill.bytes + 1, limit: limits.skill.bytes },
      }),
    );
  });

  test('all digests in keys and values are pinned, except those of tombstones', async () => {
    const [a, b, c, d] = 'abcd'.split('').map((text) => `sha256:${text.repeat(64)}`);
    const state = {
      entries: async (): Promise<readonly StateEntry<AnyKey>[]> => [
        { key: ['deny', 'digest', a ?? ''], value: { deep: [{ digest: b ?? '' }, null, 7, 'x'] } },
        { key: ['tombstone', 'x', c ?? ''], value: { digest: d ?? '' } },
      ],
    };
    expect(await pinnedDigests(state)).toEqual(new Set([a, b]));
  });

  const facts = (digest: string, size: number, usedAt: number): BlobFacts => ({ digest, size, usedAt });
  test.each<readonly [number, readonly string[], object, readonly string[]]>([
    [100, [], { removed: 0, freed: 0, remaining: 4, remainingBytes: 40 }, []],
    [40, [], { removed: 0, freed: 0, remaining: 4, remainingBytes: 40 }, []],
    [39, [], { removed: 1, freed: 10, remaining: 3, remainingBytes: 30 }, ['a']],
    [20, [], { removed: 2, freed: 20, remaining: 2, remainingBytes: 20 }, ['a', 'b']],
    [20, ['a', 'b'], { removed: 2, freed: 20, remaining: 2, remainingBytes: 20 }, ['c', 'd']],
    [0, ['b'], { removed: 3, freed: 30, remaining: 1, remainingBytes: 10 }, ['a', 'c', 'd']],
  ])('a budget of %d with %j pinned', async (budgetBytes, pinned, report, gone) => {
    const deleted: string[] = [];
    const blobs = {
      async *list() {
        yield* [facts('d', 10, 9), facts('b', 10, 5), facts('a', 10, 5), facts('c', 10, 7)];
      },
      delete: async (digest: string) => {
        deleted.push(digest);
        return true;
      },
    } as unknown as BlobStore;
    expect(await collectGarbage(blobs, { budgetBytes, pinned: new Set(pinned), graceMs: 0 })).toEqual(report);
    expect(deleted).toEqual(gone);
    const vanished = { ...blobs, delete: async () => false };
    expect(await collectGarbage(vanished, { budgetBytes, pinned: new Set(pinned), graceMs: 0 })).toMatchObject({
      removed: 0,
      remaining: 4,
    });
  });
});

describe('createStateFollower()', () => {
  const settled = () => vi.advanceTimersByTimeAsync(0);
  function follower(revisions: readonly (number | undefined)[]) {
    vi.useFakeTimers();
    let looks = 0;
    let event = (): void => undefined;
    let watching = 0;
    const revision = async () => {
      const now = revisions[Math.min(looks, revisions.length - 1)];
      looks += 1;
      if (now === undefined) throw new Error('unreadable');
      return now;
    };
    const made = createStateFollower(revision, (onEvent) => {
      watching += 1;
      event = onEvent;
      return () => {
        watching -= 1;
      };
    });
    return { ...made, looks: () => looks, event: () => event(), watching: () => watching };
  }

  test('the first look reports nothing, a change is reported, no change is not', async () => {
    const { add, wake, event, looks } = follower([1, 1, 2, 2, 3]);
    let heard = 0;
    add(() => {
      heard += 1;
    });
    await settled();
    expect([heard, looks()]).toEqual([0, 1]);
    wake();
    await settled();
    expect(heard).toBe(0);
    event();
    await settled();
    expect(heard).toBe(1);
    await vi.advanceTimersByTimeAsync(limits.store.followMs);
    expect([heard, looks()]).toEqual([1, 4]);
    await vi.advanceTimersByTimeAsync(limits.store.followMs);
    expect([heard, looks()]).toEqual([2, 5]);
  });

  test('a state that cannot be read counts as a change', async () => {
    const { add, wake } = follower([undefined, undefined, 1, 1]);
    let heard = 0;
    add(() => {
      heard += 1;
    });
    await settled();
    expect(heard).toBe(1);
    wake();
    await settled();
    expect(heard).toBe(2);
  });

  test('watches while there are listeners', async () => {
    const { add, wake, close, watching, looks } = follower([1, 2, 3, 4, 5]);
    wake();
    await settled();
    expect([watching(), looks()]).toEqual([0, 0]);
    let heard = 0;
    const ends = [1, 2].map(() =>
      add(() => {
        heard += 1;
      }),
    );
    await settled();
    expect(watching()).toBe(1);
    wake();
    await settled();
    expect(heard).toBe(2);
    ends[0]?.();
    expect(watching()).toBe(1);
    ends[1]?.();
    expect(watching()).toBe(0);
    const before = looks();
    wake();
    await vi.advanceTimersByTimeAsync(3 * limits.store.followMs);
    expect(looks()).toBe(before);
    add(() => undefined);
    expect(watching()).toBe(1);
    close();
    expect(watching()).toBe(0);
  });

  test('a change during a look causes another look', async () => {
    const { add, wake, looks } = follower([1, 2, 3]);
    add(() => undefined);
    wake();
    wake();
    await settled();
    expect(looks()).toBe(2);
  });
});

describe('a closed store', () => {
  test('refuses all calls, and closes once', async () => {
    const store = memoryStore();
    const refused = expect.objectContaining({ code: 'CLOSED' });
    const closing = store.close();
    expect(store.close()).toBe(closing);
    await closing;
    const digest = await sha256Digest(bytes('a'));
    const key = ['listing', 'a'] as const;
    for (const call of [
      () => store.blobs.put(digest, bytes('a')),
      () => store.blobs.get(digest),
      () => store.blobs.has(digest),
      () => store.blobs.delete(digest),
      () => store.blobs.list()[Symbol.asyncIterator]().next(),
      () => store.audit.append({ at: 'now', action: 'x' }),
      () => store.audit.read()[Symbol.asyncIterator]().next(),
      ...[store.state, store.index].flatMap((values) => [
        () => values.get(key),
        () => values.entries([]),
        () => values.revision(),
        () => values.set(key, 1),
        () => values.delete(key),
        () => values.transact(() => ({ writes: [], result: 1 })),
      ]),
    ])
      await expect(Promise.resolve().then(call as () => Promise<unknown>)).rejects.toEqual(refused);
    expect(() => store.state.follow(() => undefined)).toThrow(refused);
  });

  test('reports its own writes to followers while it is open', async () => {
    const store = memoryStore();
    let heard = 0;
    const end = store.state.follow(() => {
      heard += 1;
    });
    const changes = [
      () => store.state.set(['listing', 'a'], 1),
      () => store.state.delete(['listing', 'a']),
      () => store.state.transact(() => ({ writes: [{ key: ['listing', 'b'], value: 1 }], result: 1 })),
    ];
    await store.state.set(['listing', 'first'], 1);
    for (const change of changes) {
      const before = heard;
      await change();
      await vi.waitFor(() => expect(heard).toBeGreaterThan(before));
    }
    end();
    await store.close();
  });
});
