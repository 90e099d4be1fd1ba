/** Imports that would undo a decision: the meaning of each kind of key. No value is revived silently. */
import { beforeEach, describe, expect, test } from 'vitest';
import { exitCodes, PolicyError } from '../errors.ts';
import type { JsonValue } from '../skill/entry.ts';
import { memoryStore } from './memory-store.ts';
import { type ImportPlan, planImport } from './plan-import.ts';
import { exportLines } from './state-export.ts';
import { type ImportChoices, importState } from './state-import.ts';
import { decidedRow, type ReviveFlag, reviveFlags, type StateKey, type StateKind, stateKinds } from './state-kinds.ts';
import type { AuditRecord, Store } from './store.ts';
import { decisionTime, timeIn, timeText, tombstoneKey } from './tombstones.ts';

const hour = 3_600_000;
const start = Date.now() - 100 * hour;
const uri = 'skill://a/SKILL.md';

/** A key and a value of each kind; a kind without a sample does not compile. */
const samples: Readonly<Record<StateKind, { readonly key: StateKey; readonly value: (at: string) => JsonValue }>> = {
  token: { key: ['token', 'abcdefgh'], value: (addedAt) => ({ addedAt, name: 'ci' }) },
  approval: { key: ['approval', 'docs', uri], value: (at) => ({ at }) },
  origin: { key: ['origin', 'docs'], value: (addedAt) => ({ addedAt }) },
  trust: { key: ['trust', '/work/skillwire.json'], value: (at) => ({ at, values: [] }) },
  pinned: { key: ['pinned', 'docs', uri], value: (pinnedAt) => ({ pinnedAt }) },
  deny: { key: ['deny', 'match', 'old/*'], value: (at) => ({ at }) },
  denied: { key: ['denied', 'docs', uri], value: (at) => ({ at, setDigest: 'one' }) },
  revoked: { key: ['revoked', 'subject', '', 'ada'], value: (at) => ({ at, reason: '' }) },
  disabled: { key: ['disabled', 'docs'], value: (at) => ({ at }) },
  'approval-before': { key: ['approval-before', 'docs', uri], value: (at) => ({ at }) },
  'signature-seen': { key: ['signature-seen', 'sha256:00', 'key'], value: (at) => ({ at }) },
  waiting: { key: ['waiting', 'docs', uri], value: (since) => ({ since }) },
  listing: { key: ['listing', 'x', 'docs'], value: () => 1 },
  moving: { key: ['moving'], value: (at) => ({ at, source: 'x' }) },
  tombstone: { key: ['tombstone', 'origin', 'gone'], value: (at) => ({ at }) },
  decided: { key: ['decided'], value: (at) => ({ at }) },
};

const kindsWith = (effect: string): StateKind[] =>
  (Object.keys(stateKinds) as StateKind[]).filter((kind) => stateKinds[kind].effect === effect);

let store: Store;
beforeEach(() => {
  store = memoryStore();
});

/** Decides about a sample at that hour. */
async function set(kind: StateKind, at: number, into = store): Promise<void> {
  await into.state.set(samples[kind].key, samples[kind].value(timeText(start + at * hour)));
}

const remove = (kind: StateKind, from = store): Promise<boolean> => from.state.delete(samples[kind].key);
const get = (kind: StateKind, from = store) => from.state.get(samples[kind].key);

async function exported(from = store): Promise<() => AsyncIterable<string>> {
  const lines: string[] = [];
  for await (const line of exportLines(from, timeText(start))) lines.push(line.slice(0, -1));
  return async function* () {
    yield* lines;
  };
}

const plain: ImportChoices = { replace: false, revive: [], skipRevoked: false };

async function take(lines: () => AsyncIterable<string>, choices: Partial<ImportChoices> = {}, into = store) {
  const plan = await planImport(into, lines);
  const options = { ...plain, ...choices, reason: 'RESTORE-1', at: new Date().toISOString(), user: 'ada' };
  await importState(into, lines, plan, options);
  return plan;
}

async function everything(of = store): Promise<unknown> {
  return [await of.state.entries([]), await audit(of)];
}

async function audit(of = store): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of of.audit.read()) records.push(record);
  return records;
}

const refused = { code: 'REFUSED_BY_POLICY', exitCode: exitCodes.refused };
const causes = ({ revives }: ImportPlan) => revives.map(({ kind, cause }) => [kind, cause]);

describe('the table of kinds', () => {
  test('has a flag for each kind of decision', () => {
    expect(reviveFlags).toEqual(['approvals', 'denials', 'origins', 'pinned', 'tokens', 'trust']);
    for (const kind of [...kindsWith('grants'), ...kindsWith('restricts')])
      expect(reviveFlags).toContain(decidedRow([kind])?.flag);
  });

  test('is the only source of writable kinds', async () => {
    // @ts-expect-error: a kind needs a row before it can be written.
    await store.state.set(['new-kind', 'docs'], 1);
  });
});

describe.each(kindsWith('grants'))('a %s that was revoked after the backup', (kind) => {
  let lines: () => AsyncIterable<string>;
  const flag = (): ReviveFlag => decidedRow([kind])?.flag ?? 'tokens';

  beforeEach(async () => {
    await set(kind, 1);
    lines = await exported();
    await remove(kind);
  });

  test('is listed, and nothing is imported', async () => {
    const before = await everything();
    const plan = await planImport(store, lines);
    expect(plan.revives).toEqual([
      expect.objectContaining({ kind: flag(), key: samples[kind].key, cause: 'revoked', decided: start + hour }),
    ]);
    await expect(take(lines)).rejects.toMatchObject(refused);
    await expect(take(lines, { revive: reviveFlags.filter((one) => one !== flag()) })).rejects.toThrow(`--revive`);
    await expect(take(lines, { replace: true })).rejects.toBeInstanceOf(PolicyError);
    expect(await everything()).toEqual(before);
  });

  test('is left out if asked for', async () => {
    await take(lines, { skipRevoked: true });
    expect(await get(kind)).toBeUndefined();
    expect((await audit()).at(-1)).toMatchObject({ action: 'import-state', data: { skipped: 1, revived: 0 } });
  });

  test('returns with its flag, in the audit first, and applies from then on', async () => {
    await take(lines, { revive: [flag()] });
    expect(await get(kind)).toEqual(samples[kind].value(timeText(start + hour)));
    expect((await audit()).map(({ action, key, reason }) => [action, key, reason])).toEqual([
      ['import-state', undefined, 'RESTORE-1'],
      ['revive', samples[kind].key, 'RESTORE-1'],
    ]);
    expect(causes(await take(lines))).toEqual([]);
    const elsewhere = memoryStore();
    await take(await exported(), {}, elsewhere);
    expect(await get(kind, elsewhere)).toBeDefined();
  });

  test('is known from the audit if the tombstone was forgotten', async () => {
    await store.audit.append({
      at: new Date().toISOString(),
      action: 'revoke',
      reason: 'leaked',
      key: samples[kind].key,
      data: { user: 'ada' },
    });
    await store.state.delete(tombstoneKey(samples[kind].key));
    expect((await planImport(store, lines)).revives).toMatchObject([{ reason: 'leaked', user: 'ada' }]);
  });

  test('is not a revival if it was decided again since, unless its key is single-use', async () => {
    const elsewhere = memoryStore();
    await take(await exported(), {}, elsewhere);
    const again = samples[kind].value(await decisionTime(store.state, samples[kind].key));
    await store.state.set(samples[kind].key, again);
    if (kind === 'token') {
      expect(causes(await planImport(elsewhere, lines))).toEqual([['tokens', 'revoked']]);
      return;
    }
    expect(causes(await take(await exported(), {}, elsewhere))).toEqual([]);
    expect(await get(kind, elsewhere)).toEqual(again);
    await expect(take(lines, { replace: true }, elsewhere)).rejects.toMatchObject(refused);
  });

  test('is revoked after the import of a newer backup, and stays so', async () => {
    const elsewhere = memoryStore();
    await take(lines, {}, elsewhere);
    const plan = await take(await exported(), {}, elsewhere);
    expect(plan.revoked).toMatchObject([{ key: samples[kind].key }]);
    expect(await get(kind, elsewhere)).toBeUndefined();
    const stone = tombstoneKey(samples[kind].key);
    expect(await elsewhere.state.get(stone)).toEqual(await store.state.get(stone));
    await expect(take(lines, {}, elsewhere)).rejects.toMatchObject(refused);
  });

  test('does not return in a race', async () => {
    const elsewhere = memoryStore();
    const plan = await planImport(elsewhere, lines);
    await set(kind, 1, elsewhere);
    await remove(kind, elsewhere);
    const options = { ...plain, reason: '', at: new Date().toISOString(), user: 'ada' };
    await expect(importState(elsewhere, lines, plan, options)).rejects.toThrow('meanwhile');
    expect(await get(kind, elsewhere)).toBeUndefined();
  });
});

describe.each(kindsWith('grants').filter((kind) => kind !== 'token'))('a %s that was replaced', (kind) => {
  test('needs its flag besides --replace; a newer one does not', async () => {
    await set(kind, 1);
    const older = await exported();
    await set(kind, 2);
    const newer = await exported();
    const flag = decidedRow([kind])?.flag ?? 'tokens';
    await expect(take(older, { replace: true })).rejects.toMatchObject(refused);
    await take(older, { skipRevoked: true });
    expect(await get(kind)).toEqual(samples[kind].value(timeText(start + 2 * hour)));
    await take(older, { replace: true, revive: [flag] });
    expect(await get(kind)).toEqual(samples[kind].value(timeText(start + hour)));
    await expect(take(newer)).rejects.toMatchObject({ code: 'USAGE' });
    await take(newer, { replace: true });
    expect(await get(kind)).toEqual(samples[kind].value(timeText(start + 2 * hour)));
  });
});

describe.each(kindsWith('restricts'))('a restriction of the kind %s', (kind) => {
  test('that was made after the backup stays', async () => {
    const lines = await exported();
    await set(kind, 1);
    await take(lines, { replace: true, revive: reviveFlags });
    expect(await get(kind)).toBeDefined();
  });

  test('that was lifted elsewhere stays', async () => {
    const elsewhere = memoryStore();
    for (const one of [store, elsewhere]) await set(kind, 1, one);
    await remove(kind);
    const plan = await take(await exported(), { replace: true, revive: reviveFlags }, elsewhere);
    expect(plan.revoked).toEqual([]);
    expect(await get(kind, elsewhere)).toBeDefined();
  });

  test('that was lifted after the backup returns, and is listed', async () => {
    await set(kind, 1);
    const lines = await exported();
    await remove(kind);
    const plan = await take(lines);
    expect(plan).toMatchObject({ restores: [samples[kind].key], revives: [] });
    expect(await get(kind)).toBeDefined();
  });
});

test('a newer denial of other content is replaced by an older one only with its flag', async () => {
  await set('denied', 1);
  const lines = await exported();
  const newer = { at: timeText(start + 2 * hour), setDigest: 'two' };
  await store.state.set(samples.denied.key, newer);
  expect(causes(await planImport(store, lines))).toEqual([['denials', 'narrowed']]);
  await expect(take(lines, { replace: true })).rejects.toMatchObject(refused);
  await take(lines, { skipRevoked: true });
  expect(await get('denied')).toEqual(newer);
  await take(lines, { replace: true, revive: ['denials'] });
  expect(await get('denied')).toMatchObject({ setDigest: 'one' });
});

test('an approval of content that was denied here since needs its flag', async () => {
  const elsewhere = memoryStore();
  const approval = { at: timeText(start + 2 * hour), setDigest: 'one' };
  await elsewhere.state.set(samples.approval.key, approval);
  const lines = await exported(elsewhere);
  await set('denied', 1);
  expect(causes(await planImport(store, lines))).toEqual([]);
  await set('denied', 3);
  expect(causes(await planImport(store, lines))).toEqual([['approvals', 'denied']]);
  await take(lines, { skipRevoked: true });
  expect(await get('approval')).toBeUndefined();
  await store.state.set(samples.denied.key, { at: timeText(start + 4 * hour), setDigest: 'two' });
  await take(lines);
  expect(await get('approval')).toEqual(approval);
});

test.each(kindsWith('none'))('a %s, which is not a decision, needs no flag', async (kind) => {
  await set(kind, 1);
  const lines = await exported();
  await remove(kind);
  expect(causes(await take(lines))).toEqual([]);
  expect(await get(kind)).toBeDefined();
});

test('each flag brings back its own kind', async () => {
  const grants = kindsWith('grants');
  for (const kind of grants) await set(kind, 1);
  const lines = await exported();
  for (const kind of grants) await remove(kind);
  const there = async (): Promise<StateKind[]> => {
    const found: StateKind[] = [];
    for (const kind of grants) if ((await get(kind)) !== undefined) found.push(kind);
    return found;
  };
  for (const [index, kind] of grants.entries()) {
    const flag = decidedRow([kind])?.flag ?? 'tokens';
    await take(lines, { revive: [flag], skipRevoked: true });
    expect(await there()).toEqual(grants.slice(0, index + 1));
  }
});

test.each<[string, StateKind, Omit<AuditRecord, 'at'>]>([
  ['approvals', 'approval', { action: 'revoke', label: 'docs', uri }],
  ['approvals', 'approval', { action: 'remove-origin', label: 'docs' }],
  ['tokens', 'token', { action: 'revoke-token', data: { token: 'abcdefgh' } }],
  ['pinned', 'pinned', { action: 'unpin', label: 'docs', uri }],
])('the audit of an older version records which %s were revoked', async (flag, kind, record) => {
  await set(kind, 1);
  const lines = await exported();
  const other = memoryStore();
  await other.audit.append({ at: timeText(start + 2 * hour), ...record });
  expect(causes(await planImport(other, lines))).toEqual([[flag, 'revoked']]);
  const untouched = memoryStore();
  await untouched.audit.append({ at: timeText(start), ...record });
  expect(causes(await planImport(untouched, lines))).toEqual(kind === 'token' ? [[flag, 'revoked']] : []);
});

test('the later tombstone is kept, in both directions', async () => {
  const stone = tombstoneKey(samples.approval.key);
  const elsewhere = memoryStore();
  for (const [one, at] of [
    [store, 5],
    [elsewhere, 9],
  ] as const)
    await one.state.set(stone, { at: timeText(start + at * hour) });
  await take(await exported(), {}, elsewhere);
  expect(timeIn(await elsewhere.state.get(stone))).toBe(start + 9 * hour);
  await take(await exported(elsewhere));
  expect(timeIn(await store.state.get(stone))).toBe(start + 9 * hour);
});

test('a value that a running server rewrites is never a conflict, and the current one stays', async () => {
  await set('waiting', 1);
  const lines = await exported();
  await set('waiting', 2);
  const here = await get('waiting');
  await take(lines);
  expect(await get('waiting')).toEqual(here);
});
