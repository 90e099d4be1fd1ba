import { describe, expect, onTestFinished, test } from 'vitest';
import { policedServing } from '../../test/policed-serving.ts';
import { memorySource } from '../sources/memory.ts';
import { earlierApprovalKind } from '../store/decisions/approval.ts';
import { addDenial, disabledKey, disabledValue, skillDenialKey } from '../store/decisions/restrictions.ts';
import { memoryStore } from '../store/memory-store.ts';

const uri = 'skill://a/SKILL.md';
const at = '2026-01-01T00:00:00.000Z';

async function skillOf(name: string) {
  const text = `---\nname: ${name}\ndescription: About ${name}.\n---\n`;
  const source = memorySource({ [name]: { 'SKILL.md': text } });
  const found = await source.get(`skill://${name}/SKILL.md`, {});
  if (found === undefined) throw new Error('the source does not have the skill');
  return { source, skill: { label: 'docs', entry: found.entry } };
}

function opened(mode: 'open' | 'approved-only') {
  const store = memoryStore();
  const fail = (error: Error): void => expect.fail(error.message);
  return { store, ...policedServing(store, { mode }, fail) };
}

describe('standing()', () => {
  test('says whether a skill or its origin is disabled, and since when', async () => {
    const { store, serving } = opened('open');
    const { skill } = await skillOf('a');
    await store.state.set(disabledKey('docs', uri), disabledValue(at));
    await serving.fresh();
    const why = { reason: 'it is disabled', by: 'person', since: at };
    expect(serving.standing(skill)).toEqual({ state: 'disabled', why, approved: 'no' });
    expect(serving.isOriginDisabled('docs')).toBe(false);
    await store.state.delete(disabledKey('docs', uri));
    await store.state.set(disabledKey('docs', undefined), disabledValue(at));
    await serving.fresh();
    expect(serving.standing(skill).why).toEqual({ ...why, reason: 'its origin is disabled' });
    expect(serving.isOriginDisabled('docs')).toBe(true);
  });

  test('has the denial of the version, and none of another version', async () => {
    const { store, serving } = opened('open');
    const { skill } = await skillOf('a');
    const denial = { setDigest: String(serving.setDigest(skill.entry)), reason: 'INC-7', at };
    const address = { label: 'docs', uri };
    await store.state.set(skillDenialKey(address), denial);
    await serving.fresh();
    expect(serving.standing(skill)).toMatchObject({ state: 'denied', why: { reason: 'INC-7', since: at }, denial });
    await store.state.set(skillDenialKey(address), { ...denial, setDigest: `sha256:${'0'.repeat(64)}` });
    await serving.fresh();
    expect(serving.standing(skill)).toStrictEqual({ state: 'served', approved: 'changed' });
  });

  test('says that another version was approved before', async () => {
    const { store, serving } = opened('open');
    const { skill } = await skillOf('a');
    await serving.fresh();
    expect(serving.standing(skill).approved).toBe('no');
    await store.state.set([earlierApprovalKind, 'docs', uri], { version: 1, at });
    await serving.fresh();
    expect(serving.standing(skill).approved).toBe('changed');
  });
});

test('unservedCounts() adds up all policed origins, by state', async () => {
  const { store, serving, police } = opened('approved-only');
  for (const [label, name] of [
    ['docs', 'a'],
    ['team', 'b'],
    ['ops', 'c'],
    ['lab', 'd'],
  ] as const) {
    const { source } = await skillOf(name);
    const policed = police(source, label);
    onTestFinished(() => policed.close?.());
    for await (const page of policed.list({})) expect(page.skills).toEqual([]);
  }
  await store.state.set(disabledKey('ops', undefined), disabledValue(at));
  await addDenial(store, 'origin', 'lab', 'not today');
  await serving.fresh();
  expect(serving.unservedCounts()).toEqual({ waiting: 2, denied: 1, disabled: 1, absent: 4 });
  expect(serving.absent().map(({ label, state }) => [label, state])).toEqual([
    ['docs', 'waiting'],
    ['team', 'waiting'],
    ['ops', 'disabled'],
    ['lab', 'denied'],
  ]);
});
