/**
 * Every decision that keeps a skill from agents x every way to ask for it, with a policy and without one. A decision is written to the store as
 * another process would write it, and applies on every surface. When it is reverted, the skill returns.
 */
import { describe, expect, test } from 'vitest';
import { createEnablement } from '../../../src/host/discover/enablement.ts';
import { serve } from '../../../src/node/serve.ts';
import type { ServingPolicy } from '../../../src/policy/serving-policy.ts';
import { setDigest, setOf } from '../../../src/skill/skill-set.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import { approvalKey } from '../../../src/store/decisions/approval.ts';
import { addDenial, removeDenial, skillDenialKey } from '../../../src/store/decisions/restrictions.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { approvalValue } from '../../approved-skill.ts';
import { eventually } from '../../eventually.ts';
import { policedServing } from '../../policed-serving.ts';
import { type Ask, type CallerAt, get, listings, questions } from '../access-requests.ts';

const marker = 'zebrafish';
const label = 'docs';
const path = 'team/secret';
const uri = `skill://${path}/SKILL.md`;
const address = { label, uri };

interface Served {
  readonly store: Store;
  readonly caller: CallerAt;
  readonly set: string;
  readonly fileDigest: string;
}

interface Row {
  decide(served: Served): Promise<unknown>;
  takeBack(served: Served): Promise<unknown>;
}

const enablement = ({ store }: Served) =>
  createEnablement(store.state, (record) => store.audit.append({ at: new Date().toISOString(), ...record }));

const decisions: Readonly<Record<string, Row>> = {
  'a skill is disabled': {
    decide: (served) => enablement(served).set(label, uri, false),
    takeBack: (served) => enablement(served).set(label, uri, true),
  },
  'its origin is disabled': {
    decide: (served) => enablement(served).set(label, undefined, false),
    takeBack: (served) => enablement(served).set(label, undefined, true),
  },
  'a person denied this version': {
    decide: ({ store, set }) =>
      store.state.set(skillDenialKey(address), { setDigest: set, reason: 'no', at: '2026-01-01T00:00:00.000Z' }),
    takeBack: ({ store }) => store.state.delete(skillDenialKey(address)),
  },
  'a person denied its path': {
    decide: ({ store }) => addDenial(store, 'match', 'team/sec*', 'INC-7'),
    takeBack: ({ store }) => removeDenial(store, 'match', 'team/sec*', 'fixed'),
  },
  'a person denied one of its files': {
    decide: ({ store, fileDigest }) => addDenial(store, 'digest', fileDigest, 'INC-7'),
    takeBack: ({ store, fileDigest }) => removeDenial(store, 'digest', fileDigest, 'fixed'),
  },
  'a person denied its origin': {
    decide: ({ store }) => addDenial(store, 'origin', label, 'INC-7'),
    takeBack: ({ store }) => removeDenial(store, 'origin', label, 'fixed'),
  },
};

const policies: Readonly<Record<string, ServingPolicy | undefined>> = {
  'without a policy': undefined,
  'with an open policy': {},
  'in approved-only mode': { mode: 'approved-only' },
};

/** The page shows local readers what they may decide about, so its routes are asked as a visitor from elsewhere too. */
function asks({ set }: Served): Readonly<Record<string, Ask>> {
  const all: Readonly<Record<string, Ask>> = {
    ...listings(['secret']),
    ...questions({ path, file: 'notes.md', name: 'secret', artifact: `${set.replace(':', '-')}.tar.gz` }),
  };
  const forReviewers = /^(?:the page about|its (?:text|bytes) on the page|the rows of the page|the page without)/;
  const visited = { 'x-forwarded-for': '203.0.113.9' };
  const page = (target: string): Ask => get(target, visited);
  return {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => !forReviewers.test(name))),
    'a visitor of the page: rows': page('/api/skills'),
    'a visitor of the page: one skill': page(`/api/skill?uri=${uri}`),
    'a visitor of the page: text': page(`/api/text?uri=${uri}`),
    'a visitor of the page: bytes': page(`/api/bytes?uri=${uri}`),
    'a visitor of the page without scripts': page('/ui/plain'),
  };
}

async function withMarker(served: Served): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, ask] of Object.entries(asks(served)))
    if ((await ask(served.caller)).body.includes(marker)) found.push(name);
  return found;
}

async function started(policy: ServingPolicy | undefined): Promise<Served & { close(): Promise<void> }> {
  const store = memoryStore();
  const source = memorySource();
  source.add(path, { description: `About ${marker}.` }, `# ${marker}\n`, { 'notes.md': `${marker}\n` });
  source.add('team/plain', { description: 'Plain.' }, 'plain');
  const entry = (await source.get(uri, {}))?.entry;
  const set = entry === undefined ? undefined : setOf(entry);
  if (entry === undefined || set === undefined) throw new Error('the skill has no set');
  const digest = await setDigest(set);
  await store.state.set(approvalKey(address), await approvalValue(label, entry));
  const policed =
    policy === undefined ? undefined : policedServing(store, policy, (error) => expect.fail(error.message));
  const handle = await serve({
    source: policed?.police(source, label, '') ?? source,
    store,
    origins: [{ label, kind: 'source', place: 'memory' }],
    search: true,
    http: { host: '127.0.0.1', port: 0 },
    ...(policed === undefined ? {} : { policy: policed }),
  });
  return {
    store,
    caller: { url: handle.url ?? '' },
    set: digest,
    fileDigest:
      entry.resources === 'dynamic' ? '' : (entry.resources.find(({ uri: one }) => one !== uri)?.digest ?? ''),
    close: () => handle.close(),
  };
}

describe.each(Object.entries(policies))('%s', (_, policy) => {
  test.each(Object.entries(decisions))('%s: no surface serves it to agents', async (__, { decide, takeBack }) => {
    const served = await started(policy);
    try {
      const before = await withMarker(served);
      expect(before).toContain('skills/list');
      expect(before).toContain('resources/read');
      expect(before).toContain('the index of v0.2');
      expect(before).toContain('the tool search_skills');
      expect(before).toContain('a visitor of the page: bytes');
      await decide(served);
      await eventually(async () => expect(await withMarker(served)).toEqual([]));
      await takeBack(served);
      await eventually(async () => expect(await withMarker(served)).toEqual(before));
    } finally {
      await served.close();
    }
  });
});
