/** Exports and imports: counts, audit records and refusals. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sha256Digest } from '../skill/digest.ts';
import { memoryStore } from './memory-store.ts';
import { planImport } from './plan-import.ts';
import { checkExport, createLineDigest, exportLines } from './state-export.ts';
import { importState } from './state-import.ts';
import type { AuditRecord, Store } from './store.ts';
import { newestDecision, revokes, timeIn, timeText } from './tombstones.ts';

afterEach(() => void vi.useRealTimers());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const uri = 'skill://a/SKILL.md';

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, 'now')) lines.push(line.slice(0, -1));
  return lines;
}

const reader = (lines: readonly string[]) =>
  async function* () {
    yield* lines;
  };

async function auditOf(store: Store): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for await (const record of store.audit.read()) found.push(record);
  return found;
}

async function filled(): Promise<{ store: Store; digest: string }> {
  const store = memoryStore();
  // More than one chunk of base64.
  const large = new Uint8Array(0x6000 * 2 + 5).map((_, at) => at % 251);
  const digest = await sha256Digest(large);
  await store.blobs.put(digest, large);
  const unused = bytes('unused');
  await store.blobs.put(await sha256Digest(unused), unused);
  await store.state.set(['approval', 'docs', uri], { at: '2026-01-01T00:00:00.000Z', setDigest: digest });
  await store.state.set(['listing', 'x'], { missing: `sha256:${'0'.repeat(64)}` });
  await store.audit.append({ at: 'now', action: 'approve' });
  return { store, digest };
}

describe('an export', () => {
  test('counts its parts, and has the bytes that the state names', async () => {
    const { store, digest } = await filled();
    const lines = exportLines(store, 'now');
    let count = 0;
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) {
        expect(value).toEqual({ state: 3, audit: 1, blobs: 1 });
        break;
      }
      count += 1;
      if (count === 1) expect(JSON.parse(value)).toEqual({ format: 'skillwire-export', version: 1, at: 'now' });
    }
    expect(count).toBe(1 + 3 + 1 + 1 + 1);
    const seen: string[] = [];
    const read = await checkExport(reader(await linesOf(store))(), async (line) => {
      seen.push(line.kind);
      if (line.kind === 'blob') expect([line.digest, line.bytes.length]).toEqual([digest, 0x6000 * 2 + 5]);
    });
    expect(read.counts).toEqual({ state: 3, audit: 1, blobs: 1 });
    expect(seen).toEqual(['state', 'state', 'state', 'audit', 'blob']);
  });

  const state = '{"state":["origin","x"],"value":1}';
  test.each<readonly [string, (lines: string[]) => string[], number, RegExp]>([
    ['is cut', (lines) => lines.slice(0, -1), 6, /incomplete/],
    ['is empty', () => [], 0, /incomplete/],
    ['goes on', (lines) => [...lines, state], 8, /data after its end/],
    ['has another header', ([, ...rest]) => ['{"format":"x","version":1}', ...rest], 1, /not an export/],
    [
      'is of another version',
      ([, ...rest]) => ['{"format":"skillwire-export","version":2}', ...rest],
      1,
      /not an export/,
    ],
    ['lacks a line', (lines) => lines.filter((_, at) => at !== 2), 6, /digest/],
    ['has one more', ([first = '', ...rest]) => [first, state, ...rest], 8, /digest/],
    [
      'counts wrongly',
      (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? '').replace('"audit":1', '"audit":2')],
      7,
      /digest/,
    ],
    ['is no JSON', ([first = '']) => [first, '{'], 2, /not a JSON object/],
    ['is a list', ([first = '']) => [first, '[]'], 2, /not a JSON object/],
    ['has a line of no kind', ([first = '']) => [first, '{"what":1}'], 2, /an unknown kind/],
    ['has a key without a value', ([first = '']) => [first, '{"state":["origin"]}'], 2, /an unknown kind/],
    ['has a kind of later', ([first = '']) => [first, '{"state":["later","x"],"value":1}'], 2, /"later" need/],
    ['has a bad record', ([first = '']) => [first, '{"audit":{"at":1}}'], 2, /an unknown kind/],
    ['has no bytes', ([first = '']) => [first, `{"blob":"sha256:${'0'.repeat(64)}"}`], 2, /an unknown kind/],
    ['has other bytes', ([first = '']) => [first, `{"blob":"sha256:${'0'.repeat(64)}","base64":"YQ=="}`], 2, /digest/],
    ['has no base64', ([first = '']) => [first, `{"blob":"sha256:${'0'.repeat(64)}","base64":"%"}`], 2, /digest/],
  ])('that %s is refused', async (_, change, line, reason) => {
    const { store } = await filled();
    const changed = change(await linesOf(store));
    await expect(checkExport(reader(changed)(), async () => undefined)).rejects.toMatchObject({
      code: 'USAGE',
      data: { line, reason: expect.stringMatching(reason) },
    });
  });

  test('the digest of lines depends on their order', async () => {
    const sum = async (...lines: string[]) => {
      const digest = createLineDigest();
      for (const line of lines) await digest.add(line);
      return digest.value();
    };
    expect(await sum('a', 'b')).not.toBe(await sum('b', 'a'));
    expect(await sum('a', 'b')).not.toBe(await sum('ab'));
    expect(await sum('a')).toMatch(/^sha256:/);
    expect(await sum()).toBe('');
  });
});

describe('an import', () => {
  const options = {
    replace: false,
    revive: [],
    skipRevoked: false,
    reason: 'moved',
    at: '2026-06-01T00:00:00.000Z',
    user: 'me',
  };
  const take = async (into: Store, from: Store, more: object = {}) => {
    const lines = reader(await linesOf(from));
    const plan = await planImport(into, lines);
    await importState(into, lines, plan, { ...options, ...more });
    return plan;
  };

  test('writes values, bytes and records, and names its author', async () => {
    const { store, digest } = await filled();
    const into = memoryStore();
    const plan = await take(into, store);
    expect(plan).toMatchObject({
      counts: { state: 3, audit: 1, blobs: 1 },
      conflicts: [],
      revives: [],
      revoked: [],
      restores: [],
    });
    expect(await into.state.entries([])).toEqual(await store.state.entries([]));
    expect(await into.blobs.has(digest)).toBe(true);
    const [first, second] = await auditOf(into);
    expect(first).toEqual({
      at: options.at,
      action: 'import-state',
      by: 'person',
      reason: 'moved',
      data: { ...plan.counts, revived: 0, skipped: 0, revoked: 0, digest: plan.digest, user: 'me' },
    });
    expect(second).toEqual({ at: 'now', action: 'approve' });
    await take(into, store);
    expect((await auditOf(into)).filter(({ action }) => action === 'approve')).toHaveLength(1);
  });

  test.each(['', 'needed'])('that restores a value records it, with the reason "%s"', async (reason) => {
    const { store } = await filled();
    const lines = reader(await linesOf(store));
    await store.state.delete(['approval', 'docs', uri]);
    const plan = await planImport(store, lines);
    const [revival] = plan.revives;
    await expect(importState(store, lines, plan, { ...options, reason })).rejects.toMatchObject({
      code: 'REFUSED_BY_POLICY',
      data: { revive: ['approvals'] },
      message: expect.stringContaining('1 value that was'),
    });
    await importState(store, lines, plan, { ...options, reason, revive: ['approvals'] });
    const row = (await auditOf(store)).find(({ action }) => action === 'revive');
    expect(row).toEqual({
      at: timeText(Math.max(Date.parse(options.at), (revival?.at ?? 0) + 1)),
      action: 'revive',
      by: 'person',
      reason: reason === '' ? 'restored by an import' : 'needed',
      key: ['approval', 'docs', uri],
      label: 'docs',
      uri,
      data: { digest: plan.digest, user: 'me', decided: '2026-01-01T00:00:00.000Z' },
    });
    expect(await store.state.get(['approval', 'docs', uri])).toBeDefined();
    expect(timeIn(await store.state.get(newestDecision))).toBeGreaterThanOrEqual(Date.parse(row?.at ?? ''));
  });

  test('writes many values, each once', async () => {
    const from = memoryStore();
    const count = 250;
    for (let at = 0; at < count; at++) await from.state.set(['listing', String(at)], at);
    const into = memoryStore();
    let written = 0;
    const transact: Store['state']['transact'] = (change) =>
      into.state.transact((view) => {
        const made = change(view);
        written += made.writes.length;
        return made;
      });
    const lines = reader(await linesOf(from));
    const watched = { ...into, state: { ...into.state, transact } };
    await importState(watched, lines, await planImport(into, lines), options);
    expect(await into.state.entries(['listing'])).toHaveLength(count);
    expect(written).toBe(count);
  });

  test('of values that differ needs an explicit option', async () => {
    const [from, into] = [memoryStore(), memoryStore()];
    for (const at of [1, 2]) await from.state.set(['approval-before', 'docs', String(at)], at);
    for (const at of [1, 2]) await into.state.set(['approval-before', 'docs', String(at)], 'mine');
    await expect(take(into, from)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('2 stored values'),
      data: { conflicts: ['approval-before docs 1', 'approval-before docs 2'] },
    });
    expect(await auditOf(into)).toEqual([]);
    await take(into, from, { replace: true });
    expect(await into.state.get(['approval-before', 'docs', '1'])).toBe(1);
  });
});

describe('revokes()', () => {
  test.each([
    [['approval', 'a', 'b'], 5, 5, true],
    [['approval', 'a', 'b'], 5, 6, false],
    [['approval', 'a', 'b'], 5, 4, true],
    [['token', 'a'], 5, 6, true],
    [['token', 'a'], Number.NEGATIVE_INFINITY, 6, false],
    [['approval', 'a', 'b'], Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, false],
  ])('%j removed at %d, decided at %d: %s', (key, removed, decided, expected) => {
    expect(revokes(key, removed, decided)).toBe(expected);
  });

  test('invalid times are the latest', () => {
    expect(timeIn(undefined)).toBe(Number.NEGATIVE_INFINITY);
    expect(timeIn({ at: 'x' })).toBe(8.64e15);
    expect(timeText(Number.POSITIVE_INFINITY)).toBe(new Date(8.64e15).toISOString());
  });
});
