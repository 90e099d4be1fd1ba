import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { SkillwireError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import { originMetaKey } from '../skill/provenance.ts';
import { type MemorySource, memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { type NewPin, type PinOptions, pinnedMetaKey, pinSkill } from './pinned-skill.ts';
import { deletePinned, pinnedInStore, readPinned, writePinned } from './stored-pins.ts';
import { withPinned } from './with-pinned.ts';

const uri = 'skill://report/SKILL.md';
const place = { label: 'live', origin: 'mdp:ws://127.0.0.1:1/' };
let store: Store;
let live: MemorySource;
let source: SkillSource;
let catalog: Catalog;
let text: string;
let clock: number;

beforeEach(() => {
  store = memoryStore();
  live = memorySource();
  text = 'One.';
  clock = Date.parse('2026-01-01T00:00:00Z');
  live.add('report', { description: 'Figures' }, () => text);
  source = withPinned(
    live,
    pinnedInStore(store, ({ label }) => label === 'live'),
    { everyMs: 5, driftMs: 0, now: () => clock },
  );
  catalog = createCatalog(source);
});

afterEach(async () => {
  await catalog.close();
  await store.close();
});

async function pin(name = uri, options: PinOptions = {}): Promise<void> {
  const pinned = await readPinned(store, 'live');
  await writePinned(store, place, await pinSkill(live, name, {}, { pinned, now: new Date(clock), ...options }));
}

function fail(code: 'FILE_NOT_FOUND' | 'UNREACHABLE'): never {
  throw new SkillwireError(code, 'no note');
}

const read = async (name = uri): Promise<string> => new TextDecoder().decode((await catalog.read(name, {})).bytes);
const entry = async (name = uri) => (await catalog.find(name, {}))?.entry;
const rules = async (): Promise<string[]> => (await catalog.snapshot()).findings.map(({ rule }) => rule);

describe('a skill that is pinned while it is served', () => {
  test('has digests and stable bytes until it is unpinned, even if the live one changes', async () => {
    expect((await entry())?.resources).toBe('dynamic');
    await pin();
    const resources = await eventually(async () => {
      const found = (await entry())?.resources;
      if (found === undefined || found === 'dynamic') throw new Error('not pinned yet');
      return found;
    });
    expect(resources).toEqual([
      { uri, digest: await sha256Digest((await catalog.read(uri, {})).bytes), size: expect.any(Number) },
    ]);
    expect(await read()).toMatch(/One\.\n$/);
    expect((await entry())?._meta).toEqual({ [pinnedMetaKey]: { at: '2026-01-01T00:00:00.000Z', drift: false } });

    text = 'Two.';
    await eventually(async () => expect(await rules()).toContain('pinned-drift'));
    expect((await entry())?._meta).toMatchObject({ [pinnedMetaKey]: { drift: true } });
    expect(await read()).toMatch(/One\.\n$/);
    expect((await readPinned(store))[0]?.drift).toEqual({
      seenAt: expect.any(String),
      digest: expect.stringMatching(/^sha256/),
    });

    text = 'One.';
    await eventually(async () => expect(await rules()).not.toContain('pinned-drift'));
    expect((await readPinned(store))[0]?.drift).toBeUndefined();

    live.remove('report');
    await eventually(async () => expect(await read()).toMatch(/One\.\n$/));
    expect((await catalog.snapshot()).listed).toHaveLength(1);
    live.add('report', { description: 'Figures' }, () => 'Three.');
    await eventually(async () => expect(await rules()).toContain('pinned-drift'));

    expect(await deletePinned(store, 'live', uri)).toBe(true);
    await eventually(async () => expect(await read()).toMatch(/Three\.\n$/));
    expect(await rules()).not.toContain('pinned-drift');
    expect((await entry())?.resources).toBe('dynamic');
  });

  test('has its provenance if that is known, with digests of all files since it was pinned', async () => {
    await pin();
    const ownPins = pinnedInStore(store, ({ label }) => label === 'live');
    const known = withPinned(live, ownPins, {
      origin: ({ entry: { uri: own }, pinnedAt }) => ({
        label: 'live',
        uri: own,
        kind: 'mdp',
        verified: 'files',
        since: pinnedAt,
        via: ['gateway-0001'],
      }),
    });
    const shown: SourceSkill[] = [];
    for await (const { skills } of known.list({})) shown.push(...skills);
    const provenance = { label: 'live', uri, verified: 'files', since: '2026-01-01T00:00:00.000Z' };
    for (const one of [...shown, await known.get(uri, {})])
      expect(one?.entry._meta).toMatchObject({ [originMetaKey]: provenance, [pinnedMetaKey]: { drift: false } });
    expect((await entry())?._meta).not.toHaveProperty([originMetaKey]);
  });

  test('ends at its time', async () => {
    await pin(uri, { expiresAt: new Date(clock + 10_000) });
    expect(await read()).toMatch(/One\.\n$/);
    expect((await catalog.find(uri, {}))?.source.ttlMs).toBe(10_000);
    live.remove('report');
    clock += 10_000;
    await eventually(async () => expect((await catalog.snapshot()).listed).toEqual([]));
    await expect(read()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('is served even if its runtime never connected, and only under its label', async () => {
    await pin();
    const empty = memorySource();
    const ownSource = withPinned(
      empty,
      pinnedInStore(store, ({ label }) => label === 'live'),
    );
    expect((await ownSource.get(uri, {}))?.entry.resources).toHaveLength(1);
    const other = withPinned(
      empty,
      pinnedInStore(store, ({ label }) => label === 'other'),
    );
    expect(await other.get(uri, {})).toBeUndefined();
  });

  test('with lost bytes is an error, not the live text', async () => {
    await pin();
    for await (const { digest } of store.blobs.list()) await store.blobs.delete(digest);
    await expect(read()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });
});

describe('skills inside others', () => {
  beforeEach(() => live.add('report/daily', { description: 'Of today' }, () => 'Daily.'));

  test('a skill with a live one inside can be pinned only together with it', async () => {
    await expect(pin()).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('Pin them first: "skill://report/daily/SKILL.md"'),
    });
    await pin('skill://report/daily/SKILL.md', { expiresAt: new Date(clock + 5_000) });
    await pin(uri, { expiresAt: new Date(clock + 9_000) });
    const outer = (await readPinned(store)).find((skill) => skill.entry.uri === uri);
    expect(outer?.entry.resources.map((file) => file.uri)).toEqual([uri, 'skill://report/daily/SKILL.md']);
    expect(outer?.expiresAt).toBe(new Date(clock + 5_000).toISOString());
    expect(await read('skill://report/daily/SKILL.md')).toMatch(/Daily\.\n$/);
  });

  test('a live skill that appears inside a pinned one is not served, with a finding', async () => {
    live.remove('report/daily');
    await pin();
    await catalog.snapshot();
    live.add('report/daily', { description: 'Of today' }, () => 'Daily.');
    await eventually(async () => expect(await rules()).toContain('pinned-parent'));
    expect((await catalog.snapshot()).listed.map((skill) => skill.path)).toEqual(['report']);
    expect(await entry('skill://report/daily/SKILL.md')).toBeUndefined();
  });
});

describe('a source that is not watched', () => {
  const unwatched = (): SkillSource => {
    const { watch: _, ...plain } = live;
    return withPinned(
      plain,
      pinnedInStore(store, () => true),
    );
  };

  test('is compared when a skill is requested, and the drift is stored', async () => {
    await pin();
    const reading = unwatched();
    text = 'Two.';
    expect((await reading.get(uri, {}))?.entry._meta).toMatchObject({ [pinnedMetaKey]: { drift: true } });
    const pages = [];
    for await (const page of reading.list({})) pages.push(...page.findings);
    expect(pages.map(({ rule }) => rule)).toEqual(['pinned-drift']);
    expect(new TextDecoder().decode((await reading.open(uri, {}))?.bytes)).toMatch(/One\.\n$/);
  });

  describe('with a file beside SKILL.md', () => {
    const note = 'skill://report/note.md';
    let answer: () => string | undefined;

    /** The live skill, with `note.md` as `answer()` has it. */
    function withNote(): SkillSource {
      const { watch: _, ...plain } = live;
      return {
        ...plain,
        async get(name, context) {
          const skill = await plain.get(name, context);
          return skill && { ...skill, partial: { reason: 'no-digest', files: [{ uri }, { uri: note }] } };
        },
        async open(name, context) {
          if (name !== note) return plain.open(name, context);
          const content = answer();
          return content === undefined ? undefined : { bytes: new TextEncoder().encode(content) };
        },
      };
    }

    async function hasDrift(): Promise<unknown> {
      const reading = withPinned(
        withNote(),
        pinnedInStore(store, () => true),
      );
      return (await reading.get(uri, {}))?.entry._meta?.[pinnedMetaKey];
    }

    beforeEach(async () => {
      answer = () => 'First.';
      await writePinned(store, place, await pinSkill(withNote(), uri, {}, { pinned: [], now: new Date(clock) }));
    });

    test.each<[string, () => string | undefined, boolean]>([
      ['is the same', () => 'First.', false],
      ['changed', () => 'Second.', true],
      ['is gone', () => undefined, true],
      ['is gone with an error', () => fail('FILE_NOT_FOUND'), true],
      ['cannot be read now', () => fail('UNREACHABLE'), false],
    ])('compares it: it %s', async (_, now, drift) => {
      answer = now;
      expect(await hasDrift()).toMatchObject({ drift });
    });
  });

  test('may fail: pinned skills are listed first, then the error is thrown', async () => {
    await pin();
    const { watch: _, ...plain } = live;
    const failing: SkillSource = {
      ...plain,
      async *list() {
        yield { skills: [], findings: [] };
        throw new SkillwireError('UNREACHABLE', 'nobody there');
      },
      get: () => Promise.reject(new SkillwireError('UNREACHABLE', 'nobody there')),
    };
    const reading = withPinned(
      failing,
      pinnedInStore(store, () => true),
    );
    const seen: string[] = [];
    const listing = async (): Promise<void> => {
      for await (const { skills } of reading.list({})) seen.push(...skills.map((skill) => skill.entry.uri));
    };
    await expect(listing()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(seen).toEqual([uri]);
    expect((await reading.get(uri, {}))?.entry.resources).toHaveLength(1);
  });
});

test('pinSkill() refuses a missing skill, and a text whose frontmatter differs from the entry', async () => {
  await expect(pin('skill://nothing/SKILL.md')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  const lying: SkillSource = {
    ...live,
    open: async () => ({ bytes: new TextEncoder().encode('---\nname: other\n---\n') }),
  };
  await expect(pinSkill(lying, uri)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

test('fields of a pinned frontmatter keep their order', async () => {
  const { skill, files } = await pinSkill(live, uri);
  const frontmatter = { license: 'MIT', description: 'Figures', name: 'report' };
  await writePinned(store, place, { skill: { ...skill, entry: { ...skill.entry, frontmatter } }, files, missing: [] });
  const [stored] = await readPinned(store);
  expect(Object.keys(stored?.entry.frontmatter ?? {})).toEqual(['license', 'description', 'name']);
});

test('an invalid value is an error', async () => {
  await store.state.set(['pinned', 'live', uri], { version: 2 });
  await expect(readPinned(store)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
});

test('if the pins can no longer be read, the last known are served, with a finding', async () => {
  await pin();
  await catalog.snapshot();
  await store.state.set(['pinned', 'live', 'skill://x/SKILL.md'], 'nonsense');
  await eventually(async () => expect(await rules()).toContain('pinned-unusable'));
  expect(await read()).toMatch(/One\.\n$/);
});

describe('rules', () => {
  const withRules = (match: string, forMs?: number): Catalog => {
    const pinned = {
      ...pinnedInStore(store, () => true),
      add: (newPin: NewPin) => writePinned(store, place, newPin),
    };
    const rules = [forMs === undefined ? { match } : { match, forMs }];
    return createCatalog(withPinned(live, pinned, { everyMs: 5, driftMs: 0, now: () => clock, rules }));
  };

  test('pin matching skills as soon as they appear, and again after they expired', async () => {
    live.add('other', { description: 'Not meant' }, () => 'Other.');
    await using ruled = withRules('report', 1_000);
    await ruled.snapshot();
    await eventually(async () => expect((await ruled.find(uri, {}))?.entry.resources).toHaveLength(1));
    expect((await ruled.find('skill://other/SKILL.md', {}))?.entry.resources).toBe('dynamic');
    text = 'Two.';
    clock += 1_000;
    await eventually(async () => {
      const { bytes } = await ruled.read(uri, {});
      expect(new TextDecoder().decode(bytes)).toMatch(/Two\.\n$/);
      expect((await ruled.find(uri, {}))?.entry.resources).toHaveLength(1);
    });
  });

  test('pin inner skills first, and report skills that cannot be pinned', async () => {
    live.add('report/daily', { description: 'Of today' }, () => 'Daily.');
    await using both = withRules('report');
    await both.snapshot();
    await eventually(async () => expect((await both.find(uri, {}))?.entry.resources).toHaveLength(2));
    for (const skill of await readPinned(store)) await deletePinned(store, 'live', skill.entry.uri);
    await using outer = withRules('report/**/never');
    expect((await outer.snapshot()).findings).toEqual([]);
    live.add('alone', { description: 'Fails' }, () => {
      throw new Error('kaput');
    });
    await using failing = withRules('alone');
    await failing.snapshot();
    await eventually(async () =>
      expect((await failing.snapshot()).findings).toMatchObject([
        { rule: 'pinned-refused', message: expect.stringContaining('"skill://alone/SKILL.md" stays live') },
      ]),
    );
  });
});
