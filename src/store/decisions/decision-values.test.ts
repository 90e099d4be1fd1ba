/** Written and read values of decisions: which ones count, which fail closed, and the audit records. */
import { describe, expect, test } from 'vitest';
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import { setDigest, setOf } from '../../skill/skill-set.ts';
import { memoryStore } from '../memory-store.ts';
import type { AuditRecord, Store } from '../store.ts';
import {
  type Approval,
  approvalKey,
  earlierApprovalKey,
  earlierApprovals,
  readApproval,
  writeApproval,
} from './approval.ts';
import {
  addDenial,
  disabledKey,
  disabledRecords,
  disabledValue,
  readDenialRule,
  readDenials,
  readDisabled,
  readSkillDenial,
  removeDenial,
  skillDenialKey,
} from './restrictions.ts';

const uri = 'skill://a/SKILL.md';
const digest = `sha256:${'0'.repeat(64)}`;
const entry: SkillEntry = { uri, frontmatter: { name: 'a', description: 'b' }, resources: [{ uri, digest, size: 1 }] };
const key = approvalKey({ label: 'docs', uri });

async function auditOf(store: Store): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for await (const record of store.audit.read()) found.push(record);
  return found;
}

describe('an approval', () => {
  const approval = async (): Promise<Approval> => {
    const set = setOf(entry) ?? [];
    return {
      label: 'docs',
      uri,
      name: 'a',
      set,
      setDigest: await setDigest(set),
      entry,
      grants: { execution: true, allowedTools: false },
      by: 'person',
      reason: 'read it',
      at: '2026-01-01T00:00:00.000Z',
      lasting: true,
      hiddenSeen: false,
    };
  };
  const written = async () => writeApproval(await approval()) as Record<string, JsonValue>;

  test('is read as written, also from a frozen value, and only by its own key', async () => {
    expect(await readApproval(key, await written())).toEqual(await approval());
    const store = memoryStore();
    await store.state.set(key, await written());
    const value = (await store.state.get(key)) ?? null;
    const first = await readApproval(key, value);
    expect(first).toEqual(await approval());
    expect(await readApproval(key, value)).toBe(first);
    expect(await readApproval(approvalKey({ label: 'other', uri }), value)).toMatchObject({ label: 'other' });
    expect(await readApproval(approvalKey({ label: 'docs', uri: 'skill://b/SKILL.md' }), value)).toBeUndefined();
  });

  test.each(['person', 'policy', 'program', 'local'])('may be by %s', async (by) => {
    expect(await readApproval(key, { ...(await written()), by })).toMatchObject({ by });
  });

  const resource = { uri, digest, size: 1 };
  const entryWith = (more: object): JsonValue => ({ ...entry, ...more }) as unknown as JsonValue;
  test.each<Record<string, JsonValue>>([
    { version: 2 },
    { name: 7 },
    { name: 'b' },
    { reason: 7 },
    { at: 7 },
    { hiddenSeen: 'no' },
    { by: 'nobody' },
    { grants: null },
    { grants: { execution: 1, allowedTools: false } },
    { grants: { execution: true, allowedTools: 1 } },
    { setDigest: null },
    { setDigest: digest },
    { entry: null },
    { entry: entryWith({ uri: 'skill://b/SKILL.md' }) },
    { entry: entryWith({ frontmatter: null }) },
    { entry: entryWith({ frontmatter: { name: 7, description: 'b' } }) },
    { entry: entryWith({ frontmatter: { name: 'a' } }) },
    { entry: entryWith({ resources: 'dynamic' }) },
    { entry: entryWith({ resources: [null] }) },
    { entry: entryWith({ resources: [{ ...resource, uri: 7 }] }) },
    { entry: entryWith({ resources: [{ ...resource, digest: 7 }] }) },
    { entry: entryWith({ resources: [{ ...resource, size: '1' }] }) },
    { entry: entryWith({ resources: [resource, resource] }) },
  ])('is invalid with %j', async (more) => {
    expect(await readApproval(key, { ...(await written()), ...more })).toBeUndefined();
  });

  test('is invalid without a complete key or an object', async () => {
    for (const short of [['approval'], ['approval', 'docs']])
      expect(await readApproval(short, await written())).toBeUndefined();
    for (const value of [null, 'x', 7, []]) expect(await readApproval(key, value)).toBeUndefined();
  });

  test('that ended is listed by its address', async () => {
    const store = memoryStore();
    await store.state.set(earlierApprovalKey({ label: 'docs', uri }), 1);
    expect(await earlierApprovals(store.state)).toEqual([{ label: 'docs', uri }]);
  });
});

describe('denials', () => {
  test.each([
    ['digest', digest, {}],
    ['origin', 'docs', { label: 'docs' }],
    ['match', 'a/*', {}],
  ] as const)('of %s are recorded when they are made and removed', async (kind, value, more) => {
    const store = memoryStore();
    expect(await removeDenial(store, kind, value, 'x')).toBe(false);
    await addDenial(store, kind, value, 'why');
    expect(await readDenials(store.state)).toEqual([
      { [kind]: value, kind, value, reason: 'why', at: expect.any(String) },
    ]);
    expect(await removeDenial(store, kind, value, 'fine')).toBe(true);
    expect(await readDenials(store.state)).toEqual([]);
    const row = { at: expect.any(String), by: 'person', key: ['deny', kind, value], data: { [kind]: value }, ...more };
    expect(await auditOf(store)).toEqual([
      { ...row, action: 'deny', reason: 'why' },
      { ...row, action: 'allow', reason: 'fine' },
    ]);
  });

  test.each<readonly [readonly string[], JsonValue, object | undefined]>([
    [['deny', 'match', 'a'], null, { match: 'a', kind: 'match', value: 'a' }],
    [['deny', 'match', 'a'], 'x', { match: 'a', kind: 'match', value: 'a' }],
    [['deny', 'match', 'a'], { reason: '', at: 7 }, { match: 'a', kind: 'match', value: 'a' }],
    [['deny', 'match'], { at: 'x' }, { match: '', kind: 'match', value: '', at: 'x' }],
    [['deny', 'other', 'a'], {}, undefined],
    [['deny'], {}, undefined],
  ])('%j with %j', (denied, value, expected) => {
    expect(readDenialRule(denied, value)).toEqual(expected);
  });

  test.each<readonly [JsonValue, boolean]>([
    [{ setDigest: digest, reason: 'x', at: 'y' }, true],
    [{ setDigest: 7, reason: 'x', at: 'y' }, false],
    [{ setDigest: digest, reason: 7, at: 'y' }, false],
    [{ setDigest: digest, reason: 'x' }, false],
    [null, false],
    ['x', false],
  ])('of one version: %j is one: %s', (value, is) => {
    expect(readSkillDenial(value)).toEqual(is ? value : undefined);
    expect(skillDenialKey({ label: 'docs', uri })).toEqual(['denied', 'docs', uri]);
  });
});

test('a skill or an origin can be disabled, and the key alone disables it', async () => {
  const store = memoryStore();
  const at = '2026-01-01T00:00:00.000Z';
  await store.state.set(disabledKey('docs', uri), disabledValue(at));
  await store.state.set(disabledKey('docs', undefined), null);
  await store.state.set(disabledKey('other', undefined), { at: 7 });
  expect(await disabledRecords(store.state)).toEqual([
    { label: 'docs' },
    { label: 'docs', uri, at },
    { label: 'other' },
  ]);
  expect(await disabledRecords(store.state, 'other')).toEqual([{ label: 'other' }]);
  expect(readDisabled(['disabled'], null)).toBeUndefined();
  expect(disabledValue(at)).toEqual({ version: 1, at });
});
