import { describe, expect, test } from 'vitest';
import type { SkillEntry } from '../../skill/entry.ts';
import { setDigest, setOf } from '../../skill/skill-set.ts';
import { memoryStore } from '../memory-store.ts';
import {
  type Approval,
  approvalKey,
  earlierApprovalKey,
  earlierApprovals,
  noGrants,
  writeApproval,
} from './approval.ts';
import { createDecisionReader } from './decisions.ts';
import { addDenial, disabledKey, disabledRecords, disabledValue, skillDenialKey } from './restrictions.ts';

const uri = 'skill://a/SKILL.md';
const here = { label: 'docs', uri };
const elsewhere = { label: 'team', uri };
const at = '2026-01-01T00:00:00.000Z';
const digest = `sha256:${'1'.repeat(64)}`;

async function approval(): Promise<Approval> {
  const entry: SkillEntry = {
    uri,
    frontmatter: { name: 'a', description: 'A.' },
    resources: [{ uri, digest, size: 1 }],
  };
  const set = setOf(entry);
  if (set === undefined) throw new Error('the entry has no set');
  const rest = { grants: noGrants, by: 'person', reason: 'read it', at, lasting: true, hiddenSeen: false } as const;
  return { ...here, name: 'a', set, setDigest: await setDigest(set), entry, ...rest };
}

describe('createDecisionReader()', () => {
  test('reads approvals by label and URI, and those that ended', async () => {
    const { state } = memoryStore();
    const approved = await approval();
    await state.set(approvalKey(here), writeApproval(approved));
    await state.set(earlierApprovalKey(elsewhere), {});
    const decisions = await createDecisionReader(state).read();
    expect(decisions.approval(here)).toEqual(approved);
    expect(decisions.approval(elsewhere)).toBeUndefined();
    expect(decisions.approvalsOf('docs')).toEqual([approved]);
    expect(decisions.approvalsOf('team')).toEqual([]);
    expect([decisions.wasApproved(elsewhere), decisions.wasApproved(here)]).toEqual([true, false]);
    expect(await earlierApprovals(state)).toEqual([elsewhere]);
    expect(decisions.restricts).toBe(false);
  });

  test.each(['person', 'policy', 'program', 'local'] as const)('reads an approval by a %s', async (by) => {
    const { state } = memoryStore();
    await state.set(approvalKey(here), writeApproval({ ...(await approval()), by }));
    expect((await createDecisionReader(state).read()).approval(here)?.by).toBe(by);
  });

  test('does not count an approval that cannot be read, and reports it', async () => {
    const { state } = memoryStore();
    await state.set(approvalKey(here), { version: 2 });
    const unreadable: unknown[] = [];
    const decisions = await createDecisionReader(state, (address) => unreadable.push(address)).read();
    expect(decisions.approval(here)).toBeUndefined();
    expect(unreadable).toEqual([here]);
  });

  test('reads a denial of one skill', async () => {
    const { state } = memoryStore();
    const denial = { setDigest: digest, reason: 'no', at };
    await state.set(skillDenialKey(here), denial);
    await state.set(skillDenialKey({ ...here, uri: 'skill://b/SKILL.md' }), 'unreadable');
    const decisions = await createDecisionReader(state).read();
    expect(decisions.denial(here)).toEqual(denial);
    expect(decisions.denial(elsewhere)).toBeUndefined();
    expect(decisions.denial({ ...here, uri: 'skill://b/SKILL.md' })).toBeUndefined();
    expect(decisions.restricts).toBe(true);
  });

  test('reads a disabled skill and a disabled origin', async () => {
    const { state } = memoryStore();
    await state.set(disabledKey('docs', uri), disabledValue(at));
    await state.set(disabledKey('team', undefined), disabledValue(at));
    const decisions = await createDecisionReader(state).read();
    expect(await disabledRecords(state)).toEqual([
      { ...here, at },
      { label: 'team', at },
    ]);
    expect(await disabledRecords(state, 'team')).toEqual([{ label: 'team', at }]);
    expect(decisions.disabled(here)).toEqual({ ...here, at });
    expect(decisions.disabled({ ...here, uri: 'skill://b/SKILL.md' })).toBeUndefined();
    expect(decisions.disabled(elsewhere)).toEqual({ label: 'team', at });
    expect([decisions.isOriginDisabled('team'), decisions.isOriginDisabled('docs')]).toEqual([true, false]);
    expect(decisions.restricts).toBe(true);
  });

  test('reads the rules of denials', async () => {
    const store = memoryStore();
    await addDenial(store, 'origin', 'docs', 'no');
    const { rules, restricts } = await createDecisionReader(store.state).read();
    expect(rules).toMatchObject([{ kind: 'origin', value: 'docs', origin: 'docs', reason: 'no' }]);
    expect(restricts).toBe(true);
  });

  test('returns the same reading until something that decides is written', async () => {
    const { state } = memoryStore();
    const reader = createDecisionReader(state);
    const first = await reader.read();
    expect(first.restricts).toBe(false);
    expect(await reader.read()).toBe(first);
    await state.set(['pinned', 'docs', uri], {});
    expect(await reader.read()).toBe(first);
    await state.set(disabledKey('docs', uri), disabledValue(at));
    const second = await reader.read();
    expect(second.stamp).toBeGreaterThan(first.stamp);
    expect(second.isOriginDisabled('docs')).toBe(false);
    await state.set(['pinned', 'docs', uri], { again: true });
    expect(await reader.read()).toBe(second);
    await state.delete(disabledKey('docs', uri));
    await state.set(disabledKey('docs', undefined), disabledValue(at));
    expect((await reader.read()).isOriginDisabled('docs')).toBe(true);
  });
});
