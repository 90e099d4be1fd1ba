import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { originMetaKey } from '../skill/provenance.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { type CachedSkill, createListingMemory } from './listing-cache.ts';
import { type ListingCaches, listingsInStore, type UpstreamIdentity } from './stored-listing.ts';
import { type Upstream, type UpstreamOptions, upstream } from './upstream.ts';
import type { UpstreamEvent } from './upstream-report.ts';

const text = new TextEncoder().encode('---\nname: refunds\ndescription: About refunds.\n---\nRefund.\n');
const uri = 'skill://refunds/SKILL.md';
const shop: UpstreamIdentity = { label: 'shop', address: 'https://shop.example/mcp', secrets: ['s3cret-token'] };
const start = Date.parse('2026-01-01T00:00:00.000Z');

let store: Store;
let listings: ListingCaches;
let clock: number;
let events: UpstreamEvent[];

beforeEach(() => {
  store = memoryStore();
  clock = start;
  listings = listingsInStore(store, '/etc/skillwire.json', () => clock);
  events = [];
});

async function skillAt(name: string, size = text.length): Promise<SourceSkill> {
  const own = uri.replace('refunds', name);
  return {
    // Fields in another order than the schema.
    entry: {
      uri: own,
      frontmatter: { license: 'MIT', description: 'About refunds.', name, 'x-team': ['a'] },
      resources: [{ uri: own, digest: await sha256Digest(text), size }],
      _meta: { 'com.example/team': 'a' },
    },
    listed: true,
    ttlMs: 60_000,
    cacheScope: 'public',
  };
}

interface Peer extends SkillSource {
  fault: SkillwireError | undefined;
  hangs: boolean;
  skills: readonly SourceSkill[];
}

async function peer(): Promise<Peer> {
  const one: Peer = {
    name: 'peer',
    fault: undefined,
    hangs: false,
    skills: [await skillAt('refunds')],
    async *list() {
      if (one.hangs) await new Promise(() => undefined);
      if (one.fault !== undefined) throw one.fault;
      yield { skills: one.skills, findings: [], dialect: 'skills-extension' };
    },
    async get(requested) {
      if (one.fault !== undefined) throw one.fault;
      return one.skills.find(({ entry }) => entry.uri === requested);
    },
    async open() {
      if (one.fault !== undefined) throw one.fault;
      return { bytes: text };
    },
  };
  return one;
}

const away = (): SkillwireError => new SkillwireError('UNREACHABLE', 'cannot reach it');

function opened(source: SkillSource, more: Partial<UpstreamOptions> = {}, who: UpstreamIdentity = shop): Upstream {
  return upstream(source, {
    label: 'shop',
    kind: 'mcp',
    gateway: 'gateway-0001',
    listingCache: listings.of(who),
    byteCache: store.blobs,
    staleMs: 60_000,
    onEvent: (event) => events.push(event),
    now: () => clock,
    ...more,
  });
}

async function listed(one: SkillSource): Promise<readonly SourceSkill[]> {
  const all: SourceSkill[] = [];
  for await (const page of one.list({})) all.push(...page.skills);
  return all;
}

const stored = (): Promise<JsonValue | undefined> => store.state.get(['listing', '/etc/skillwire.json', 'shop']);

/** Lists the skills once and closes. */
async function ran(source: Peer): Promise<void> {
  const one = opened(source);
  await listed(one);
  await one.open(uri, {});
  await eventually(async () => {
    expect(await stored()).toBeDefined();
    expect(await store.blobs.has(await sha256Digest(text))).toBe(true);
  });
  await one.close?.();
}

test('the last listing is served after a restart while the upstream is down, marked as stale, with its bytes', async () => {
  const source = await peer();
  await ran(source);
  clock += 30_000;
  source.fault = away();
  const one = opened(source);
  const [skill] = await listed(one);
  const [before] = source.skills;
  const { [originMetaKey]: provenance, ...meta } = skill?.entry._meta ?? {};
  expect({ ...skill, entry: { ...skill?.entry, _meta: meta } }).toEqual(before);
  expect(Object.keys(skill?.entry.frontmatter ?? {})).toEqual(['license', 'description', 'name', 'x-team']);
  expect(provenance).toMatchObject({
    label: 'shop',
    dialect: 'skills-extension',
    verified: 'files',
    since: new Date(start).toISOString(),
    stale: new Date(clock).toISOString(),
  });
  expect(one.report()).toMatchObject({
    state: 'stale',
    skills: 1,
    code: 'UNREACHABLE',
    since: new Date(clock).toISOString(),
    listedAt: new Date(start).toISOString(),
  });
  expect((await one.get(uri, {}))?.entry.uri).toBe(uri);
  expect((await one.open(uri, {}))?.bytes).toEqual(text);
  await one.close?.();
});

test('restarts keep the time since when it is down, and it is back as soon as it answers', async () => {
  const source = await peer();
  await ran(source);
  source.fault = away();
  const first = opened(source);
  await listed(first);
  const since = first.report().since;
  await eventually(async () => expect(await stored()).toMatchObject({ staleAt: clock }));
  await first.close?.();
  clock += 20_000;
  const second = opened(source);
  expect((await listed(second))[0]?.entry._meta?.[originMetaKey]).toMatchObject({ stale: since });
  expect(second.report()).toMatchObject({ state: 'stale', since });
  await second.close?.();
  source.fault = undefined;
  const third = opened(source);
  expect((await listed(third))[0]?.entry._meta?.[originMetaKey]).not.toHaveProperty('stale');
  expect(third.report()).toMatchObject({ state: 'ok', since: new Date(clock).toISOString() });
  await third.close?.();
});

test('an upstream that hangs at the start delays its cached listing only briefly', async () => {
  const source = await peer();
  await ran(source);
  source.hangs = true;
  const one = opened(source, { deadlineMs: 60_000 });
  expect(await listed(one)).toHaveLength(1);
  expect(one.report()).toMatchObject({ state: 'stale', reason: expect.stringContaining('2026-01-01T00:00:00.000Z') });
  await one.close?.();
});

test('a restart reports an upstream as stale only once it failed to answer', async () => {
  const source = await peer();
  await ran(source);
  const states = (): readonly string[] =>
    events.flatMap((event) => (event.event === 'origin.state' ? [`${event.from} ${event.to}`] : []));
  events.length = 0;
  source.hangs = true;
  const slow = opened(source, { deadlineMs: limits.gateway.storedPatienceMs + 1_000 });
  await listed(slow);
  expect([slow.report().state, states()]).toEqual(['stale', []]);
  await eventually(() => expect(states()).toEqual(['pending stale']), 200);
  await slow.close?.();
});

test('an expired cached listing is not served, even if the upstream hangs', async () => {
  const source = await peer();
  await ran(source);
  source.hangs = true;
  clock += 60_000;
  const one = opened(source, { deadlineMs: limits.gateway.storedPatienceMs + 1_000 });
  expect(await listed(one)).toEqual([]);
  await one.close?.();
});

test('a restart does not extend the time for which a stale listing is served', async () => {
  const source = await peer();
  await ran(source);
  source.fault = away();
  clock += 59_999;
  const late = opened(source);
  expect(await listed(late)).toHaveLength(1);
  await late.close?.();
  clock += 1;
  const over = opened(source);
  expect(await listed(over)).toEqual([]);
  expect(over.report()).toMatchObject({ state: 'unreachable', skills: 0 });
  await eventually(async () => expect(await stored()).toBeUndefined());
  await over.close?.();
});

test('the times of an unchanged listing are saved now and then, a changed listing immediately', async () => {
  const source = await peer();
  const one = opened(source, { ttlMs: 1 });
  await listed(one);
  const first = await eventually(async () => {
    const value = await stored();
    expect(value).toBeDefined();
    return value as { readonly pieces: JsonValue };
  });
  clock += 6_000;
  await eventually(async () => expect(await stored()).toEqual({ ...first, listedAt: clock, until: clock + 60_000 }));
  source.skills = [await skillAt('returns')];
  await eventually(async () => expect((await stored()) as object).not.toHaveProperty('pieces', first.pieces));
  source.skills = [];
  await eventually(async () => expect(await stored()).toBeUndefined());
  await one.close?.();
});

test.each([
  ['says that nobody is let in', new SkillwireError('NOT_AUTHORIZED', 'go away')],
  ['says that it has no skills', new SkillwireError('NO_SKILLS_EXTENSION', 'none')],
])('the cached listing of an upstream that %s is dropped and does not come back', async (_, answer) => {
  const source = await peer();
  await ran(source);
  source.fault = answer;
  const refusing = opened(source);
  expect(await listed(refusing)).toEqual([]);
  await eventually(async () => expect(await stored()).toBeUndefined());
  await refusing.close?.();
  source.fault = away();
  const again = opened(source);
  expect(await listed(again)).toEqual([]);
  await again.close?.();
});

test.each([
  ['address', { ...shop, address: 'https://other.example/mcp' }],
  ['credentials', { ...shop, secrets: ['another-token'] }],
])('the cached listing is not served if the upstream has other %s', async (_, other) => {
  const source = await peer();
  await ran(source);
  source.fault = away();
  const one = opened(source, {}, other);
  expect(await listed(one)).toEqual([]);
  expect(await stored()).toBeUndefined();
  await one.close?.();
});

test('the cache contains no secret and no address', async () => {
  await ran(await peer());
  const values = JSON.stringify(await store.state.entries([]));
  let blobs = '';
  for await (const { digest } of store.blobs.list()) blobs += new TextDecoder().decode(await store.blobs.get(digest));
  for (const hidden of ['s3cret-token', 'shop.example']) expect(values + blobs).not.toContain(hidden);
});

test.each([
  ['a value that is none', async () => store.state.set(['listing', '/etc/skillwire.json', 'shop'], { version: 7 })],
  [
    'bytes that are lost',
    async () => {
      const [piece = ''] = ((await stored()) as { readonly pieces: readonly string[] }).pieces;
      await store.blobs.delete(piece);
    },
  ],
  [
    'bytes of another shape',
    async () => {
      const value = (await stored()) as Record<string, JsonValue>;
      const bytes = new TextEncoder().encode(JSON.stringify([{ skill: { entry: { uri } }, since: 'yesterday' }]));
      const digest = await sha256Digest(bytes);
      await store.blobs.put(digest, bytes);
      await store.state.set(['listing', '/etc/skillwire.json', 'shop'], { ...value, pieces: [digest] });
    },
  ],
])('%s in the cache is reported, not trusted and not fatal', async (_, damage) => {
  const source = await peer();
  await ran(source);
  await damage();
  source.fault = away();
  const one = opened(source);
  expect(await listed(one)).toEqual([]);
  expect(one.report().state).toBe('unreachable');
  expect(events).toContainEqual({
    event: 'cache.unusable',
    label: 'shop',
    reason: expect.stringContaining('"shop" cannot be used'),
  });
  await eventually(async () => expect(await stored()).toBeUndefined());
  source.fault = undefined;
  await one.close?.();
  const healed = opened(source);
  expect(await listed(healed)).toHaveLength(1);
  await healed.close?.();
});

test('retain() drops the listings of removed upstreams, and expired ones of other configurations', async () => {
  const cached = {
    skills: [{ skill: await skillAt('refunds'), since: new Date(start).toISOString() }],
    listedAt: start,
  };
  const other = listingsInStore(store, '/etc/other.json', () => clock);
  await listings.of(shop).save({ ...cached, until: start + 10 });
  await listings.of({ ...shop, label: 'gone' }).save({ ...cached, until: start + 10 });
  await other.of({ ...shop, label: 'theirs' }).save({ ...cached, until: start + 10 });
  const labels = async () => (await store.state.entries(['listing'])).map(({ key }) => key[2]);
  await listings.retain(['shop']);
  expect(await labels()).toEqual(['theirs', 'shop']);
  clock += 10;
  await listings.retain(['shop']);
  expect(await labels()).toEqual(['shop']);
});

test('of several replicas one writes, and another one writes the whole listing when it takes over', async () => {
  let leads = false;
  let requests = 0;
  const cached = { skill: await skillAt('refunds'), since: new Date(start).toISOString() };
  const memory = createListingMemory({
    cache: {
      ...listings.of(shop),
      async leads() {
        requests += 1;
        return leads;
      },
    },
    staleMs: 60_000,
    now: () => clock,
    current: () => ({ skills: [cached], listedAt: clock }),
    isClosed: () => false,
    onFailed: (error) => expect.unreachable(error.message),
    onUnusable: (error) => expect.unreachable(error.message),
  });
  memory.listed(true);
  await eventually(() => expect(requests).toBe(1));
  expect(await stored()).toBeUndefined();
  leads = true;
  // Nothing has changed since, but this replica does not know what the other one has written.
  await eventually(async () => {
    memory.listed(false);
    expect(await stored()).toBeDefined();
  });
});

test('a large listing is cached in pieces, and one beyond the limit not at all', async () => {
  const skills: CachedSkill[] = [];
  const filler = 'x'.repeat(limits.gateway.storedPieceBytes / 4);
  for (let count = 0; count < 9; count++) {
    const skill = await skillAt(`s${count}`);
    skills.push({
      skill: { ...skill, entry: { ...skill.entry, _meta: { filler } } },
      since: new Date(start).toISOString(),
    });
  }
  const keeper = listings.of(shop);
  await keeper.save({ skills, listedAt: start, until: start + 1 });
  expect(((await stored()) as { readonly pieces: readonly string[] }).pieces).toHaveLength(3);
  expect((await listings.of(shop).load())?.skills).toEqual(skills);
  const many = Array.from({ length: 65 }, () => skills[0] ?? { skill: {} as SourceSkill, since: '' });
  await expect(keeper.save({ skills: many, listedAt: start, until: start + 1 })).rejects.toThrow(
    /not cached for the next start/,
  );
});
