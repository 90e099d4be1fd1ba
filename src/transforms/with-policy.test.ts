import { expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { ApprovedSkill, OriginDecisions } from '../serving/serving-state.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { SkillSource, SourceChange, SourceSkill } from '../sources/skill-source.ts';
import { withPolicy } from './with-policy.ts';

const uri = 'skill://refunds/SKILL.md';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function version(text: string): Promise<SourceSkill & { readonly entry: ApprovedSkill['entry'] }> {
  const bytes = bytesOf(text);
  return {
    entry: {
      uri,
      frontmatter: { name: 'refunds', description: 'About refunds.' },
      resources: [{ uri, digest: await sha256Digest(bytes), size: bytes.length }],
    },
    listed: true,
  };
}

/** An origin whose changes the test controls, and a store that answers when the test allows it. */
async function policed() {
  const approved: ApprovedSkill = { entry: (await version('One.')).entry, at: '2026-01-01T00:00:00.000Z' };
  let notify: (change: SourceChange) => void = () => undefined;
  let answer: (() => void) | undefined;
  let slow = false;
  let queries = 0;
  const source: SkillSource = {
    name: 'origin',
    async *list() {
      yield { skills: [await version('One.')], findings: [] };
    },
    get: async () => undefined,
    open: async () => undefined,
    watch(listener) {
      notify = listener;
      return () => undefined;
    },
  };
  const decisions: OriginDecisions = {
    verdict: () => ({ effect: 'approval' }) as ReturnType<OriginDecisions['verdict']>,
    unread: () => ({ text: false }),
    judgesContent: () => false,
    readsAhead: () => false,
    noteSignature: async () => undefined,
    signatureClaim: () => undefined,
    coversResigned: () => false,
    signerChange: () => undefined,
    allowsKind: () => true,
    deniesFolder: () => false,
    approved: (asking) => (asking === uri ? approved : undefined),
    allApproved: () => [],
    bytes: async () => bytesOf('One.'),
    async hasBytes() {
      queries++;
      if (slow)
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return true;
    },
    pin: async () => undefined,
    pinFailed: () => undefined,
    unserved: () => undefined,
  };
  const guarded = withPolicy(source, decisions);
  const shown = new Set<string>();
  const changes: SourceChange[] = [];
  guarded.watch?.((change) => {
    changes.push(change);
    for (const { entry } of change.upserted) shown.add(entry.uri);
    for (const gone of change.removed) shown.delete(gone);
  });
  for await (const { skills } of guarded.list({})) for (const { entry } of skills) shown.add(entry.uri);
  return {
    guarded,
    shown,
    changes,
    notify: (change: Partial<SourceChange>) => notify({ upserted: [], removed: [], findings: [], ...change }),
    slowly: () => {
      slow = true;
    },
    release: () => {
      slow = false;
      answer?.();
    },
    queries: () => queries,
  };
}

test('the later of two concurrent changes wins, however long the first takes', async () => {
  const { guarded, shown, changes, notify, slowly, release, queries } = await policed();
  expect([...shown]).toEqual([uri]);
  slowly();
  // A changed version: the store is asked whether the approved bytes are there.
  notify({ upserted: [await version('Two.')] });
  await eventually(() => expect(queries()).toBe(1));
  // Meanwhile the origin removes the skill.
  notify({ removed: [uri] });
  await new Promise((resolve) => setTimeout(resolve, 20));
  release();
  await eventually(() => expect(changes).toHaveLength(2));
  expect([...shown]).toEqual([]);
  expect(await guarded.open(uri, {})).toBeUndefined();
});

test('a refresh during a change does not bring back a removed skill', async () => {
  const { guarded, shown, changes, notify } = await policed();
  const refreshing = guarded.refresh();
  notify({ upserted: [await version('Two.')] });
  const again = guarded.refresh();
  notify({ removed: [uri] });
  await Promise.all([refreshing, again]);
  await eventually(() => expect(changes).toHaveLength(4));
  expect([...shown]).toEqual([]);
});
