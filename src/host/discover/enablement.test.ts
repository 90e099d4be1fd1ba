import { expect, test } from 'vitest';
import { auditOf } from '../../../test/scripted-origin.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { auditTrail } from '../approve/approvals.ts';
import { createEnablement } from './enablement.ts';

const uri = 'skill://a/SKILL.md';

test('a skill that is disabled, alone or with its origin, is refused until it is enabled', async () => {
  const store = memoryStore();
  const enablement = createEnablement(store.state, auditTrail(store.audit));
  await enablement.require({ label: 'docs', uri });
  await enablement.set('docs', uri, false);
  await expect(enablement.require({ label: 'docs', uri })).rejects.toMatchObject({
    code: 'SKILL_DISABLED',
    data: { uri },
  });
  await enablement.require({ label: 'docs', uri: 'skill://b/SKILL.md' });
  await enablement.require({ label: 'team', uri });
  await enablement.set('docs', undefined, false);
  await expect(enablement.requireOrigin('docs')).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  const disabled = await enablement.read();
  expect(disabled.origin('docs')).toBe(true);
  expect(disabled.skill({ label: 'docs', uri: 'skill://b/SKILL.md' })).toBe(true);
  expect(disabled.skill({ label: 'team', uri })).toBe(false);
  await enablement.set('docs', undefined, true);
  await expect(enablement.require({ label: 'docs', uri })).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  await enablement.set('docs', uri, true);
  await enablement.require({ label: 'docs', uri });
});

test('a skill that another process disables is disabled at once, and every change is in the audit', async () => {
  const store = memoryStore();
  const [one, two] = [0, 1].map(() => createEnablement(store.state, auditTrail(store.audit)));
  await two?.set('docs', uri, false);
  await expect(one?.require({ label: 'docs', uri })).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  await two?.set('docs', uri, true);
  expect((await auditOf(store)).map(({ action, label }) => [action, label])).toEqual([
    ['disable', 'docs'],
    ['enable', 'docs'],
  ]);
});
