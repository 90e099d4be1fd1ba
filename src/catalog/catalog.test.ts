import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import type { CatalogChange } from './catalog.ts';
import { createCatalog } from './create-catalog.ts';

const skillText = (name: string, body = 'Body.'): string =>
  `---\nname: ${name}\ndescription: Skill ${name} for tests.\n---\n\n${body}\n`;

function nextChange(subscribe: (listener: (change: CatalogChange) => void) => () => void): Promise<CatalogChange> {
  return new Promise((resolve) => {
    const stop = subscribe((change) => {
      stop();
      resolve(change);
    });
  });
}

describe('a snapshot', () => {
  const source = memorySource({
    'acme/refunds': { 'SKILL.md': skillText('refunds'), 'templates/a b.md': 'x', 'templates/deep/größe.md': 'y' },
    outer: { 'SKILL.md': skillText('outer'), 'inner/SKILL.md': skillText('inner') },
    'outer/inner': { 'SKILL.md': skillText('inner') },
    plain: { 'SKILL.md': skillText('plain') },
  });
  const catalog = createCatalog(source);

  test('is sorted by URI', async () => {
    const { listed } = await catalog.snapshot();
    expect(listed.map(({ entry }) => entry.uri)).toEqual([
      'skill://acme/refunds/SKILL.md',
      'skill://outer/SKILL.md',
      'skill://outer/inner/SKILL.md',
      'skill://plain/SKILL.md',
    ]);
  });

  test('finds a file by every equivalent spelling of its URI and no other', async () => {
    const snapshot = await catalog.snapshot();
    const canonical = 'skill://acme/refunds/templates/deep/gr%C3%B6%C3%9Fe.md';
    for (const uri of [
      canonical,
      'skill://acme/refunds/templates/deep/größe.md',
      canonical.toLowerCase().replace('skill', 'SKILL'),
    ])
      expect(snapshot.file(uri)?.uri).toBe(canonical);
    for (const uri of [
      'skill://acme/refunds',
      `${canonical}/`,
      'skill://acme/../acme/refunds/SKILL.md',
      'skill://refunds/SKILL.md',
    ])
      expect(snapshot.file(uri)).toBeUndefined();
  });

  test('finds a file of a nested skill through the innermost skill', async () => {
    const snapshot = await catalog.snapshot();
    expect(snapshot.file('skill://outer/inner/SKILL.md')?.skill.path).toBe('outer/inner');
  });

  test('lists directories inside skills from the entry, and prefixes from the listed skills', async () => {
    const snapshot = await catalog.snapshot();
    const names = (uri: string): readonly string[] | undefined => snapshot.directory(uri)?.map(({ name }) => name);
    expect(names('skill://acme')).toEqual(['refunds']);
    expect(names('skill://')).toEqual(['acme', 'outer', 'plain']);
    expect(names('skill://acme/refunds/')).toEqual(['SKILL.md', 'templates']);
    expect(names('skill://acme/refunds/templates')).toEqual(['a b.md', 'deep']);
    expect(names('skill://outer')).toEqual(['SKILL.md', 'inner']);
    expect(names('skill://acme/refunds/SKILL.md')).toBeUndefined();
    expect(names('skill://nothing')).toBeUndefined();
    expect(snapshot.directory('skill://acme/refunds/templates')?.[1]).toMatchObject({
      uri: 'skill://acme/refunds/templates/deep',
      mediaType: 'inode/directory',
    });
  });
});

describe('a catalog', () => {
  test('reports added, changed and removed skills file by file', async () => {
    const source = memorySource({ a: { 'SKILL.md': skillText('a'), 'x.md': '1' } });
    await using catalog = createCatalog(source);
    const before = await catalog.snapshot();

    let change = nextChange(catalog.subscribe);
    source.add('b', { 'SKILL.md': skillText('b') });
    expect(await change).toMatchObject({
      added: ['skill://b/SKILL.md'],
      removed: [],
      changed: [],
      files: ['skill://b/SKILL.md'],
    });

    change = nextChange(catalog.subscribe);
    source.add('a', { 'SKILL.md': skillText('a'), 'x.md': '2' });
    expect(await change).toMatchObject({ changed: ['skill://a/SKILL.md'], files: ['skill://a/x.md'] });

    change = nextChange(catalog.subscribe);
    source.remove('b');
    expect(await change).toMatchObject({ removed: ['skill://b/SKILL.md'], files: ['skill://b/SKILL.md'] });
    expect(before.listed).toHaveLength(1);
    expect((await catalog.snapshot()).generation).toBe(3);
  });

  test('does not make a new snapshot if nothing differs', async () => {
    const source = memorySource({ a: { 'SKILL.md': skillText('a') } });
    await using catalog = createCatalog(source);
    const before = await catalog.snapshot();
    expect(await catalog.refresh()).toBe(before);
  });

  test('serves the new entry with the new bytes after an unwatched source has changed', async () => {
    let body = 'one';
    const inner = (): SkillSource => memorySource({ a: { 'SKILL.md': skillText('a', body) } });
    const source: SkillSource = {
      name: 'unwatched',
      list: (context) => inner().list(context),
      get: (uri, context) => inner().get(uri, context),
      open: (uri, context) => inner().open(uri, context),
      isCurrent: async () => false,
    };
    await using catalog = createCatalog(source);
    expect(catalog.watched).toBe(false);
    const old = (await catalog.snapshot()).skill('skill://a/SKILL.md')?.entry;
    body = 'two';
    const { bytes, file } = await catalog.read('skill://a/SKILL.md', {});
    expect(new TextDecoder().decode(bytes)).toContain('two');
    const now = (await catalog.snapshot()).skill('skill://a/SKILL.md')?.entry;
    expect(now).not.toEqual(old);
    expect(now?.resources).toEqual([file.resource]);
  });

  test('answers a repeated read synchronously if the source confirms synchronously that nothing changed', async () => {
    const inner = memorySource({ a: { 'SKILL.md': skillText('a') } });
    let answer: boolean | Promise<boolean> = true;
    let opened = 0;
    await using catalog = createCatalog({
      ...inner,
      isCurrent: () => answer,
      open(uri, context) {
        opened++;
        return inner.open(uri, context);
      },
    });
    const uri = 'skill://a/SKILL.md';
    expect(catalog.snapshot()).toBeInstanceOf(Promise);
    const { bytes } = await catalog.read(uri, {});
    expect(catalog.snapshot()).toBe(await catalog.snapshot());
    const noSignal = {
      get signal(): AbortSignal {
        throw new Error('nobody waits');
      },
    };
    expect(catalog.snapshot(noSignal)).toBe(await catalog.snapshot());
    expect(catalog.read(uri, noSignal)).toMatchObject({ bytes });
    answer = Promise.resolve(true);
    expect(await (catalog.read(uri, {}) as Promise<unknown>)).toMatchObject({ bytes });
    answer = Promise.reject(new Error('the disk is gone'));
    await expect(catalog.read(uri, {})).rejects.toThrow('the disk is gone');
    expect(opened).toBe(1);
    answer = false;
    await catalog.read(uri, {});
    expect(opened).toBe(2);
    await catalog.close();
    expect(() => catalog.read(uri, {})).toThrow('closed');
    expect(() => catalog.snapshot()).toThrow('closed');
  });

  test('passes the signal to sources, also in copies of the context', async () => {
    const inner = memorySource({ a: { 'SKILL.md': skillText('a') } });
    const { signal } = new AbortController();
    class Asking {
      get signal() {
        return signal;
      }
    }
    const seen: (AbortSignal | undefined)[] = [];
    await using catalog = createCatalog({
      ...inner,
      get(uri, context) {
        seen.push({ ...context }.signal);
        return inner.get(uri, context);
      },
      open(uri, context) {
        seen.push({ ...context }.signal);
        return inner.open(uri, context);
      },
    });
    await catalog.read('skill://a/SKILL.md', new Asking());
    await catalog.find('skill://none/SKILL.md', new Asking());
    expect(seen).toEqual([signal, signal]);
  });

  test('reports bytes that never match as unstable instead of serving them', async () => {
    const inner = memorySource({ a: { 'SKILL.md': skillText('a') } });
    let count = 0;
    await using catalog = createCatalog({
      ...inner,
      isCurrent: async () => false,
      open: async () => ({ bytes: new TextEncoder().encode(`${count++}`), digest: `sha256:${'1'.repeat(64)}` }),
    });
    await expect(async () => catalog.read('skill://a/SKILL.md', {})).rejects.toMatchObject({ code: 'UNSTABLE' });
  });

  test('finds and reads a skill that its source does not list', async () => {
    const inner = memorySource({ a: { 'SKILL.md': skillText('a') }, hidden: { 'SKILL.md': skillText('hidden') } });
    const { watch: _, ...silent } = inner;
    await using catalog = createCatalog({
      ...silent,
      async *list(context) {
        for await (const page of inner.list(context))
          yield { ...page, skills: page.skills.filter(({ entry }: SourceSkill) => !entry.uri.includes('hidden')) };
      },
    });
    expect((await catalog.snapshot()).skills).toHaveLength(1);
    await expect(async () => catalog.read('skill://hidden/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    expect(await catalog.find('skill://hidden/SKILL.md', {})).toMatchObject({ listed: false });
    expect((await catalog.read('skill://hidden/SKILL.md', {})).bytes.length).toBeGreaterThan(0);
    expect((await catalog.snapshot()).listed).toHaveLength(1);
  });

  test('shares one listing among callers, of which one can abort', async () => {
    let listings = 0;
    const inner = memorySource({ a: { 'SKILL.md': skillText('a') } });
    const { watch: _, ...silent } = inner;
    await using catalog = createCatalog({
      ...silent,
      async *list(context) {
        listings++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield* inner.list(context);
      },
    });
    const impatient = AbortSignal.abort(new Error('gave up'));
    const [first, second, third] = await Promise.allSettled([
      catalog.snapshot(),
      catalog.snapshot(),
      catalog.snapshot({ signal: impatient }),
    ]);
    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(listings).toBe(1);
  });

  test('never takes a partial change for the whole after a failed listing', async () => {
    const inner = memorySource({ one: { 'SKILL.md': skillText('one') }, two: { 'SKILL.md': skillText('two') } });
    const two = await inner.get('skill://two/SKILL.md', {});
    let fails = true;
    let notify: Parameters<NonNullable<SkillSource['watch']>>[0] = () => undefined;
    const source: SkillSource = {
      ...inner,
      async *list(context) {
        if (fails) throw new SkillwireError('UNREACHABLE', 'not now');
        yield* inner.list(context);
      },
      watch(listener) {
        notify = listener;
        return () => undefined;
      },
    };
    const catalog = createCatalog(source);
    await expect(async () => catalog.snapshot()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    notify({ upserted: [], removed: [], findings: [] });
    await expect(async () => catalog.snapshot()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    fails = false;
    notify({ upserted: two === undefined ? [] : [two], removed: [], findings: [] });
    expect((await catalog.snapshot()).skills).toHaveLength(2);
  });

  test('finds skills that only a template names, if its source has templates', async () => {
    const inner = memorySource({
      plain: { 'SKILL.md': skillText('plain') },
      hidden: { 'SKILL.md': skillText('hidden') },
    });
    const partial: SkillSource = {
      ...inner,
      async *list(context) {
        for await (const page of inner.list(context))
          yield { ...page, skills: page.skills.filter(({ entry }) => entry.uri !== 'skill://hidden/SKILL.md') };
      },
    };
    const templates = [{ uriTemplate: 'skill://{name}/SKILL.md', name: 'any', description: 'Any skill' }];
    await using catalog = createCatalog({ ...partial, templates: async () => templates });
    expect(await catalog.templates({})).toEqual(templates);
    const { bytes, file } = await catalog.read('skill://hidden/SKILL.md', {});
    expect(new TextDecoder().decode(bytes)).toBe(skillText('hidden'));
    expect(file.skill.listed).toBe(false);
    await expect(async () => catalog.read('skill://nobody/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    await using without = createCatalog(partial);
    expect(await without.templates({})).toBeUndefined();
    await expect(async () => without.read('skill://hidden/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  test('refuses calls after it was closed', async () => {
    const catalog = createCatalog(memorySource());
    await catalog.close();
    await expect(async () => catalog.snapshot()).rejects.toBeInstanceOf(SkillwireError);
  });
});

test('a large file is opened once for simultaneous callers, and each of them can abort alone', async () => {
  const memory = memorySource({
    big: { 'SKILL.md': skillText('big'), 'data.txt': 'x'.repeat(300_000), 'few.txt': 'x' },
  });
  const opened: string[] = [];
  const gates: (() => void)[] = [];
  const source: SkillSource = {
    ...memory,
    async open(uri, context) {
      opened.push(uri);
      await new Promise<void>((open) => gates.push(open));
      return memory.open(uri, context);
    },
  };
  const catalog = createCatalog(source);
  await catalog.snapshot();
  const read = async (signal?: AbortSignal) => (await catalog.read('skill://big/data.txt', { signal })).bytes;
  const leaving = new AbortController();
  const [first, second, left] = [read(), read(), read(leaving.signal)];
  leaving.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => gates.length).toBe(1);
  gates.shift()?.();
  expect(await first).toBe(await second);
  expect(opened).toEqual(['skill://big/data.txt']);
});
