import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { approvalValue } from '../../test/approved-skill.ts';
import { eventually } from '../../test/eventually.ts';
import { policedServing } from '../../test/policed-serving.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { freshCatalog } from '../catalog/fresh-catalog.ts';
import type { ServingPolicy } from '../policy/serving-policy.ts';
import { contentDigest, contentFiles } from '../skill/content-digest.ts';
import { setDigest, setOf } from '../skill/skill-set.ts';
import { type MemorySource, memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { addDenial, removeDenial } from '../store/decisions/restrictions.ts';
import { openStore } from '../store/embedded/open-store.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { underLabel } from '../transforms/under-label.ts';
import { readWaiting } from './waiting-queue.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string, body = '', more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n# ${name}\n${body}`;

const uri = (name: string): string => `skill://${name}/SKILL.md`;
const served = (name: string): string => `skill://docs/${name}/SKILL.md`;

interface Gateway {
  readonly store: Store;
  readonly source: MemorySource;
  readonly errors: Error[];
  readonly failed: unknown[];
  use(policy: ServingPolicy): void;
  readonly catalog: ReturnType<typeof createCatalog>;
  uris(): Promise<readonly string[]>;
  read(name: string, file?: string): Promise<string>;
}

async function gateway(
  policy: ServingPolicy,
  store: Store = memoryStore(),
  wrap?: (source: SkillSource) => SkillSource,
) {
  const source = memorySource({
    refunds: { 'SKILL.md': text('refunds', 'first'), 'scripts/run.sh': 'echo 1\n' },
    writing: { 'SKILL.md': text('writing', '', 'license: MIT\n') },
  });
  const errors: Error[] = [];
  const failed: unknown[] = [];
  const { serving, police } = policedServing(
    store,
    policy,
    (error) => errors.push(error),
    (_, error) => failed.push(error),
  );
  const policed = police(wrap?.(source) ?? source, 'docs');
  const catalog = freshCatalog(createCatalog(underLabel(policed, 'docs')), () => serving.fresh());
  cleanUp.push(() => catalog.close());
  const made: Gateway = {
    store,
    source,
    errors,
    failed,
    catalog,
    use: (next) => serving.use(next),
    uris: async () => (await catalog.snapshot()).skills.map(({ entry }) => entry.uri),
    async read(name, file = 'SKILL.md') {
      const { bytes } = await catalog.read(`skill://docs/${name}/${file}`, {});
      return new TextDecoder().decode(bytes);
    },
  };
  return made;
}

/** As `skillwire approve` does it, from another process. */
async function approve({ store, source }: Pick<Gateway, 'store' | 'source'>, name: string, keep = true): Promise<void> {
  const skill = await source.get(uri(name), {});
  if (skill === undefined) throw new Error('no such skill');
  const { entry } = skill;
  if (entry.resources === 'dynamic') throw new Error('cannot be approved');
  if (keep)
    for (const file of entry.resources) {
      const opened = await source.open(file.uri, {});
      await store.blobs.put(file.digest, opened?.bytes ?? new Uint8Array());
    }
  await store.state.set(['approval', 'docs', entry.uri], await approvalValue('docs', entry));
}

describe('approved-only', () => {
  test('serves nothing without approval, and an approved skill from the next request', async () => {
    const made = await gateway({ mode: 'approved-only' });
    expect(await made.uris()).toEqual([]);
    await expect(made.read('refunds')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await made.catalog.find(served('refunds'), {})).toBeUndefined();
    await approve(made, 'refunds');
    expect(await made.uris()).toEqual([served('refunds')]);
    expect(await made.read('refunds')).toContain('first');
  });

  test('serves the approved version from the store while a new one is waiting', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    expect(await made.read('refunds')).toContain('first');
    made.source.add('refunds', { description: 'About refunds.' }, 'second');
    await eventually(async () => {
      const [row] = (await readWaiting(made.store.state)).filter(({ change }) => change === 'changed');
      expect(row).toMatchObject({ label: 'docs', uri: uri('refunds'), name: 'refunds' });
    });
    const entry = (await made.catalog.find(served('refunds'), {}))?.entry;
    expect(entry?._meta?.['dev.skillwire/approved']).toMatchObject({ current: false });
    expect(await made.read('refunds')).toContain('first');
    expect(await made.read('refunds', 'scripts/run.sh')).toBe('echo 1\n');
    const { findings } = await made.catalog.snapshot();
    expect(findings.map(({ rule }) => rule)).toContain('policy-waiting');
    await approve(made, 'refunds');
    expect(await made.read('refunds')).toContain('second');
    await expect(made.read('refunds', 'scripts/run.sh')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await eventually(async () => {
      expect((await readWaiting(made.store.state)).filter(({ change }) => change === 'changed')).toEqual([]);
    });
    expect(made.errors).toEqual([]);
  });

  test('copies the bytes of an approved skill that nobody stored, before it changes', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds', false);
    const entry = (await made.catalog.find(served('refunds'), {}))?.entry;
    const digests = (entry?.resources ?? []) as readonly { readonly digest: string }[];
    await eventually(async () => {
      for (const { digest } of digests) expect(await made.store.blobs.has(digest)).toBe(true);
    });
    made.source.add('refunds', { description: 'About refunds.' }, 'second');
    expect(await made.read('refunds')).toContain('first');
  });

  test('reports approved bytes that cannot be copied, and copies the others', async () => {
    const store = memoryStore();
    const broken: Store['blobs'] = {
      ...store.blobs,
      async put(digest, bytes) {
        if (new TextDecoder().decode(bytes).includes('# refunds')) throw new TypeError('the disk is broken');
        await store.blobs.put(digest, bytes);
      },
    };
    const made = await gateway({ mode: 'approved-only' }, { ...store, blobs: broken });
    await approve(made, 'refunds', false);
    await approve(made, 'writing', false);
    expect(await made.uris()).toEqual([served('refunds'), served('writing')]);
    const writingFiles = (await made.source.get(uri('writing'), {}))?.entry.resources as readonly {
      readonly digest: string;
    }[];
    await eventually(async () => expect(await made.store.blobs.has(writingFiles[0]?.digest ?? '')).toBe(true));
    expect(made.failed).toContainEqual(expect.objectContaining({ message: 'the disk is broken' }));
  });

  test('does not serve a changed skill whose approved bytes are lost, and reports it', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    made.source.add('refunds', { description: 'About refunds.' }, 'second');
    for await (const { digest } of made.store.blobs.list()) await made.store.blobs.delete(digest);
    expect(await made.uris()).toEqual([]);
    const { findings } = await made.catalog.snapshot();
    expect(findings.map(({ rule }) => rule)).toContain('approved-lost');
  });

  test('stops serving at the next request after the approval is revoked, also by digest of a file', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    expect(await made.read('refunds')).toContain('first');
    await made.store.state.delete(['approval', 'docs', uri('refunds')]);
    await expect(made.read('refunds')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await made.uris()).toEqual([]);
  });

  test('applies an approval to its own origin and skill only', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    const value = await made.store.state.get(['approval', 'docs', uri('refunds')]);
    await made.store.state.delete(['approval', 'docs', uri('refunds')]);
    await made.store.state.set(['approval', 'other', uri('refunds')], value ?? null);
    await made.store.state.set(['approval', 'docs', uri('writing')], value ?? null);
    expect(await made.uris()).toEqual([]);
  });

  test('removes a skill that its origin removed', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    expect(await made.uris()).toEqual([served('refunds')]);
    made.source.remove('refunds');
    await eventually(async () => expect(await made.uris()).toEqual([]));
  });

  test('never serves content that arrived during the decision about a recall', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    await made.uris();
    for (let round = 0; round < 20; round++) {
      made.source.add('refunds', { description: 'About refunds.' }, `version ${round}`);
      await Promise.all([addDenial(made.store, 'origin', 'docs', 'test'), made.uris()]);
      expect(await made.uris()).toEqual([]);
      await removeDenial(made.store, 'origin', 'docs', 'test');
      expect(await made.uris()).toEqual([served('refunds')]);
    }
  });

  test('follows a store that another process writes to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skillwire-decisions-'));
    cleanUp.push(() => rm(folder, { recursive: true, force: true }));
    const open = (): Promise<Store> =>
      openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
    const [own, other] = [await open(), await open()];
    cleanUp.push(
      () => own.close(),
      () => other.close(),
    );
    const made = await gateway({ mode: 'approved-only' }, own);
    expect(await made.uris()).toEqual([]);
    await approve({ store: other, source: made.source }, 'refunds');
    expect(await made.uris()).toEqual([served('refunds')]);
    await addDenial(other, 'match', 'docs/refunds', 'recalled');
    expect(await made.uris()).toEqual([]);
    // Other files in the folder have no effect.
    await writeFile(join(folder, 'state', 'note'), '');
    expect(await made.uris()).toEqual([]);
  });
});

describe('denials and rules', () => {
  test('a denial by digest, origin or pattern applies from the next request until it is removed', async () => {
    const made = await gateway({ mode: 'open' });
    expect(await made.uris()).toHaveLength(2);
    const entry = (await made.source.get(uri('refunds'), {}))?.entry;
    const resources = (entry?.resources ?? []) as readonly { digest: string }[];
    const set = entry === undefined ? undefined : setOf(entry);
    for (const [kind, value] of [
      ['digest', resources[1]?.digest ?? ''],
      ['digest', await setDigest(set ?? [])],
      ['origin', 'docs'],
      ['match', 'docs/refunds/'],
      ['match', '*fund*'],
    ] as const) {
      expect(await made.read('refunds')).toContain('first');
      await addDenial(made.store, kind, value, 'unsafe');
      await expect(made.read('refunds'), value).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
      expect(await made.catalog.find(served('refunds'), {})).toBeUndefined();
      expect(await removeDenial(made.store, kind, value, 'mended')).toBe(true);
    }
    expect(await made.uris()).toHaveLength(2);
    const actions: string[] = [];
    for await (const { action } of made.store.audit.read()) actions.push(action);
    expect(actions.filter((action) => action === 'deny')).toHaveLength(5);
    expect(actions.filter((action) => action === 'allow')).toHaveLength(5);
  });

  test.each([
    ['scripts', { scripts: false }, ['writing']],
    ['maxBytes', { maxBytes: 10 }, []],
    ['licenses', { licenses: ['mit'] }, ['writing']],
    ['a denial of the configuration', { deny: [{ match: 'docs/writing' }] }, ['refunds']],
  ] as const)('%s prevents serving', async (_, policy, names) => {
    const made = await gateway({ mode: 'open', ...policy });
    expect(await made.uris()).toEqual(names.map(served));
    const { findings } = await made.catalog.snapshot();
    expect(findings.filter(({ rule }) => rule === 'policy-denied')).toHaveLength(2 - names.length);
  });

  test('a rule overrides an approval', async () => {
    const made = await gateway({ mode: 'approved-only', scripts: false });
    await approve(made, 'refunds');
    await approve(made, 'writing');
    expect(await made.uris()).toEqual([served('writing')]);
  });

  test('a replaced policy applies from the next request', async () => {
    const made = await gateway({ mode: 'open' });
    expect(await made.uris()).toHaveLength(2);
    made.use({ mode: 'approved-only' });
    expect(await made.uris()).toEqual([]);
  });

  test('unverifiable skills are served in open mode unless refused, and in approved-only mode if allowed', async () => {
    const live = (policy: ServingPolicy) =>
      gateway(policy, memoryStore(), (source) => {
        (source as MemorySource).add('now', { description: 'Live.' }, () => '# Now\n');
        return source;
      });
    const has = async (policy: ServingPolicy) => (await (await live(policy)).uris()).includes(served('now'));
    expect(await has({ mode: 'open' })).toBe(true);
    expect(await has({ mode: 'open', dynamic: false })).toBe(false);
    expect(await has({ mode: 'approved-only' })).toBe(false);
    expect(await has({ mode: 'approved-only', dynamic: true })).toBe(true);
  });

  test('a disabled skill is missing with a finding, and returns when it is enabled', async () => {
    const made = await gateway({});
    await made.store.state.set(['disabled', 'docs', uri('refunds')], { version: 1, at: '2026-01-01T00:00:00.000Z' });
    expect(await made.uris()).toEqual([served('writing')]);
    const { findings } = await made.catalog.snapshot();
    expect(findings.map(({ rule }) => rule)).toContain('policy-disabled');
    await expect(made.read('refunds')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await made.store.state.delete(['disabled', 'docs', uri('refunds')]);
    expect(await made.uris()).toEqual([served('refunds'), served('writing')]);
  });

  test('a denied version is missing, and the previously approved version is served', async () => {
    const made = await gateway({ mode: 'approved-only' });
    await approve(made, 'refunds');
    expect(await made.read('refunds')).toContain('first');
    made.source.add('refunds', { description: 'Other.' }, 'second');
    const skill = await made.source.get(uri('refunds'), {});
    const set = skill === undefined ? undefined : setOf(skill.entry);
    if (set === undefined) throw new Error('no set');
    const denial = { setDigest: await setDigest(set), reason: 'INC-7', at: '2026-01-01T00:00:00.000Z' };
    await made.store.state.set(['denied', 'docs', uri('refunds')], denial);
    await eventually(async () => expect(await made.read('refunds')).toContain('first'));
    await eventually(async () =>
      expect((await readWaiting(made.store.state, 'docs')).find(({ name }) => name === 'refunds')).toMatchObject({
        state: 'denied',
        by: 'person',
        reason: 'INC-7',
        since: denial.at,
      }),
    );
  });

  test('a denied version stays denied if only its signature changes, whether a person or a digest denied it', async () => {
    const signed = (signature: string, body = 'first') => {
      return { 'SKILL.md': text('refunds', body), 'skill.oms.sig': signature };
    };
    for (const by of ['person', 'rule']) {
      const made = await gateway({});
      const version = async (files: ReturnType<typeof signed>) => {
        made.source.add('refunds', files);
        const skill = await made.source.get(uri('refunds'), {});
        const set = skill === undefined ? undefined : setOf(skill.entry);
        const content = skill === undefined ? undefined : contentFiles(skill.entry);
        if (set === undefined || content === undefined) throw new Error('no set');
        return { setDigest: await setDigest(set), content: await contentDigest(content) };
      };
      const first = await version(signed('one'));
      if (by === 'rule') await addDenial(made.store, 'digest', first.content, 'INC-7');
      else
        await made.store.state.set(['denied', 'docs', uri('refunds')], { ...first, reason: 'INC-7', at: '2026-01-01' });
      expect(await made.uris()).toEqual([served('writing')]);
      const second = await version(signed('two'));
      expect(second).toMatchObject({ content: first.content });
      expect(second.setDigest).not.toBe(first.setDigest);
      await made.catalog.refresh();
      expect(await made.uris()).toEqual([served('writing')]);
      await version(signed('two', 'other'));
      await eventually(async () => expect(await made.uris()).toEqual([served('refunds'), served('writing')]));
    }
  });

  test('a skill that is not served is in the audit once, with the reason', async () => {
    const made = await gateway({ mode: 'approved-only', scripts: false });
    await made.uris();
    await eventually(async () => expect(await readWaiting(made.store.state)).toHaveLength(2));
    made.use({ mode: 'approved-only', scripts: false });
    await made.uris();
    const records: unknown[] = [];
    for await (const record of made.store.audit.read()) records.push(record);
    expect(records).toMatchObject([
      { action: 'unserve', label: 'docs', uri: uri('refunds'), by: 'policy', reason: 'it has scripts' },
      { action: 'unserve', label: 'docs', uri: uri('writing'), by: 'policy', reason: 'no approval yet' },
    ]);
  });
});

test.each([
  { what: 'without a policy', policy: undefined, before: false },
  { what: 'with one', policy: {}, before: true },
])('restricts() $what reports whether anything can be hidden from readers', async ({ policy, before }) => {
  const store = memoryStore();
  const { serving } = policedServing(store, policy, (error) => expect.fail(error.message));
  await serving.fresh();
  expect(serving.restricts()).toBe(before);
  await addDenial(store, 'origin', 'docs', 'not today');
  await serving.fresh();
  expect(serving.restricts()).toBe(true);
});

test('subscribers are called once after each decision, and not for the first reading', async () => {
  const store = memoryStore();
  const { serving } = policedServing(
    store,
    {},
    () => {},
    () => {},
  );
  let calls = 0;
  const end = serving.subscribe(() => calls++);
  await serving.fresh();
  expect(calls).toBe(0);
  await addDenial(store, 'origin', 'docs', 'not today');
  await serving.fresh();
  await serving.fresh();
  expect(calls).toBe(1);
  end();
  await addDenial(store, 'origin', 'tools', 'not today');
  await serving.fresh();
  expect(calls).toBe(1);
});

describe('standing()', () => {
  test('reports for a skill of an origin without a policy whether it is served, and why not', async () => {
    const store = memoryStore();
    const { serving } = policedServing(
      store,
      {},
      () => {},
      () => {},
    );
    const found = await memorySource({ a: { 'SKILL.md': text('a') } }).get(uri('a'), {});
    if (found === undefined) throw new Error('the source does not have the skill');
    const skill = { label: 'docs', entry: found.entry };
    await serving.fresh();
    expect(serving.standing(skill)).toEqual({ state: 'served', approved: 'no' });
    await addDenial(store, 'origin', 'docs', 'not today');
    await serving.fresh();
    expect(serving.standing(skill)).toMatchObject({
      state: 'denied',
      why: { reason: expect.stringContaining('not today') },
    });
  });

  test('reports the approved version as served, and the newer one of the origin as waiting', async () => {
    const store = memoryStore();
    const { serving, police } = policedServing(
      store,
      { mode: 'approved-only' },
      () => {},
      () => {},
    );
    const source = memorySource({ refunds: { 'SKILL.md': text('refunds', 'first') } });
    const policed = police(source, 'docs');
    cleanUp.push(async () => policed.close?.());
    const entryNow = async () => {
      const found = await source.get(uri('refunds'), {});
      if (found === undefined) throw new Error('the source does not have the skill');
      return { label: 'docs', entry: found.entry };
    };
    const approved = await entryNow();
    await approve({ store, source }, 'refunds');
    source.add('refunds', { description: 'About refunds.' }, 'second');
    const newer = await entryNow();
    await serving.fresh();
    for await (const page of policed.list({})) expect(page.skills).toHaveLength(1);
    expect(serving.standing(approved)).toMatchObject({ state: 'served', approved: 'yes' });
    expect(serving.standing(newer)).toMatchObject({ state: 'waiting', approved: 'changed' });
  });
});
