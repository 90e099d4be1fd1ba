/** Every source made from another passes the tests of the port. */

import { describe, expect, test } from 'vitest';
import { approvalValue } from '../../test/approved-skill.ts';
import { policedServing } from '../../test/policed-serving.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { withoutSecrets } from '../origins/without-secrets.ts';
import type { ServingPolicy } from '../policy/serving-policy.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { testSkillSource } from '../testing/test-skill-source.ts';
import { aggregate } from './aggregate.ts';
import { combine } from './combine.ts';
import { pinSkill } from './pinned-skill.ts';
import { selected, withRules } from './selected.ts';
import { pinnedInStore, writePinned } from './stored-pins.ts';
import { swappable } from './swappable.ts';
import { underLabel } from './under-label.ts';
import { upstream } from './upstream.ts';
import { waitingSkills } from './waiting-skills.ts';
import { withPinned } from './with-pinned.ts';

const skill = (name: string) => ({
  'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n`,
  'references/a b.md': 'Text.\n',
});
const first = 'skill://a/SKILL.md';

const below = (source: SkillSource): SkillSource => underLabel(source, 'team');

function policed(source: SkillSource, policy: ServingPolicy, store = memoryStore()): SkillSource {
  const serving = policedServing(store, policy, (error) => {
    throw error;
  });
  return serving.police(source, 'docs', '');
}

async function approvedOnly(source: SkillSource): Promise<SkillSource> {
  const store = memoryStore();
  const entry = (await source.get(first, {}))?.entry;
  if (entry === undefined || entry.resources === 'dynamic') throw new Error('cannot be approved');
  for (const { uri, digest } of entry.resources)
    await store.blobs.put(digest, (await source.open(uri, {}))?.bytes ?? new Uint8Array());
  const approval = await approvalValue('docs', entry);
  await store.state.set(['approval', 'docs', first], approval);
  return policed(source, { mode: 'approved-only' }, store);
}

/** With one pinned skill and one live one. */
async function partlyPinned(source: SkillSource): Promise<SkillSource> {
  const store = memoryStore();
  const place = { label: 'docs', origin: 'mdp:ws://127.0.0.1:1/' };
  await writePinned(store, place, await pinSkill(source, first, {}, { pinned: [], now: new Date() }));
  return withPinned(
    source,
    pinnedInStore(store, () => true),
  );
}

async function allWaiting(source: SkillSource): Promise<SkillSource> {
  const waiting = waitingSkills(source);
  for await (const { skills } of source.list({})) waiting.replace(skills);
  return waiting.source;
}

/** Each made from a source with the skills "a" and "x/b". */
const decorators: Readonly<Record<string, (source: SkillSource) => SkillSource | Promise<SkillSource>>> = {
  underLabel: below,
  selected: (source) => selected(source, { exclude: ['other'] }),
  aggregate: (source) => aggregate(new Map([['team', below(source)]]), { name: 'all' }),
  combine: (source) => combine([source, memorySource({ c: skill('c') })]),
  upstream: (source) => upstream(source, { label: 'docs', kind: 'folder', gateway: 'gateway-0001' }),
  withRules: (source) => withRules(source, [{ match: 'x/', listed: false }]),
  swappable,
  withoutSecrets: (source) => withoutSecrets(source, () => ['hunter2-hunter2']),
  'policed, open': (source) => policed(source, {}),
  'policed, approved-only': approvedOnly,
  withPinned: partlyPinned,
  waitingSkills: allWaiting,
};

describe.each(Object.entries(decorators))('%s', (_name, decorate) => {
  const made = async () => decorate(memorySource({ a: skill('a'), 'x/b': skill('b') }));

  testSkillSource({ test, create: async () => ({ source: await made() }) });

  test('cached content is answered synchronously', async () => {
    await using catalog = createCatalog(await made());
    const [one] = (await catalog.snapshot()).skills;
    const uri = one?.entry.uri ?? '';
    const { bytes } = await catalog.read(uri, {});
    expect(catalog.read(uri, {})).toMatchObject({ bytes });
  });
});
