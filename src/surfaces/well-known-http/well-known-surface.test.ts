import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { skill, temporary } from '../../../test/skill-folders.ts';
import { unpackArchive } from '../../archive/unpack.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import { type MemorySource, memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { PlainAnswer, PlainSurface } from '../plain-answer.ts';
import { type WellKnownOptions, wellKnownSurface } from './well-known-surface.ts';

interface Site {
  readonly surface: Pick<PlainSurface, 'answer'>;
  readonly catalog: Catalog;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<PlainAnswer>;
  text(path: string): Promise<string>;
  entry(name: string): Promise<{ url: string; digest: string; description: string }>;
}

function siteOf(source: SkillSource, options?: WellKnownOptions): Site {
  const catalog = createCatalog(source);
  onTestFinished(() => catalog.close());
  const surface = wellKnownSurface(catalog, options);
  const get: Site['get'] = async (path, headers = {}, method = 'GET') => {
    const { signal } = new AbortController();
    const target = `/.well-known/${path}`;
    const header = (name: string): string | undefined => headers[name];
    const answer = await surface.answer({ method, target, header, body: new Uint8Array(0), signal });
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };
  const text: Site['text'] = async (path) => Buffer.from(bytesOf(await get(path))).toString();
  return {
    surface,
    catalog,
    get,
    text,
    async entry(name) {
      const { skills } = JSON.parse(await text('agent-skills/index.json'));
      return skills.find((candidate: { name: string }) => candidate.name === name);
    },
  };
}

function bytesOf({ body }: PlainAnswer): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.concat(body.parts as readonly Uint8Array[]);
}

const two = (): MemorySource =>
  memorySource({
    one: { 'SKILL.md': skill('one') },
    many: { 'SKILL.md': skill('many'), 'references/a.md': '0123456789' },
  });
const file = 'skills/many/references/a.md';

describe('conditions', () => {
  test('an entity tag is the digest; a request with it gets 304 without a body', async () => {
    const { get } = siteOf(two());
    for (const path of ['agent-skills/index.json', 'skills/index.json', file, 'agent-skills/many.tar.gz']) {
      const { headers, ...answer } = await get(path);
      const etag = `"${await sha256Digest(bytesOf({ headers, ...answer }))}"`;
      expect(headers['etag']).toBe(etag);
      for (const named of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await get(path, { 'if-none-match': named });
        expect([path, again.status, again.headers['etag'], again.body]).toEqual([path, 304, etag, '']);
        expect(again.headers['cache-control']).toBe(headers['cache-control']);
      }
      expect((await get(path, { 'if-none-match': '"sha256:0"' })).status).toBe(200);
    }
  });

  test('an artifact under its digest gets 304, too', async () => {
    const { get, entry } = siteOf(two());
    const { url, digest } = await entry('one');
    expect((await get(`agent-skills/${url}`, { 'if-none-match': `"${digest}"` })).status).toBe(304);
  });
});

describe('ranges', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=8-', '89', 'bytes 8-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
  ])('%s returns a part', async (range, text, contentRange) => {
    const answer = await siteOf(two()).get(file, { range });
    expect([answer.status, Buffer.from(bytesOf(answer)).toString(), answer.headers['content-range']]).toEqual([
      206,
      text,
      contentRange,
    ]);
  });

  test.each([
    'bytes=0-1,3-4',
    'bytes=5-2',
    'lines=0-1',
    'bytes=',
    'bytes=a-b',
    'bytes=0-1 ',
    `bytes=${'9'.repeat(99)}-`,
  ])('%s is ignored', async (range) => {
    expect(await siteOf(two()).get(file, { range })).toMatchObject({ status: 200, body: { length: 10 } });
  });

  test.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('%s cannot be satisfied', async (range) => {
    const answer = await siteOf(two()).get(file, { range });
    expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */10']);
  });

  test('a range applies to the file that the client started with, or is ignored', async () => {
    const { get } = siteOf(two());
    const etag = (await get(file)).headers['etag'] ?? '';
    expect((await get(file, { range: 'bytes=1-2', 'if-range': etag })).status).toBe(206);
    expect((await get(file, { range: 'bytes=1-2', 'if-range': '"sha256:0"' })).status).toBe(200);
    expect((await get(file, { range: 'bytes=1-2', 'if-range': `W/${etag}` })).status).toBe(200);
    expect((await get(file, { range: 'bytes=1-2' }, 'HEAD')).status).toBe(200);
  });
});

describe('after a change', () => {
  test('index, files and archive are from the new snapshot, and artifacts of the last index still exist', async () => {
    const source = two();
    const { get, text, entry, catalog } = siteOf(source);
    const [before, one] = [await entry('many'), await entry('one')];
    const old = bytesOf(await get(`agent-skills/${before.url}`));
    await get(`agent-skills/${one.url}`);
    source.add('many', { 'SKILL.md': skill('many'), 'references/a.md': 'new' });
    source.remove('one');
    await expect.poll(async () => (await catalog.snapshot()).generation).toBe(2);
    const after = await entry('many');
    expect(after.digest).not.toBe(before.digest);
    expect(await text(file)).toBe('new');
    const unpacked = await unpackArchive(bytesOf(await get('agent-skills/many.tar.gz')));
    expect(unpacked.map(({ bytes }) => Buffer.from(bytes).toString())).toContain('new');
    expect(bytesOf(await get(`agent-skills/${before.url}`))).toEqual(old);
    expect((await get(`agent-skills/${one.url}`)).status).toBe(200);
    expect((await get('agent-skills/one/SKILL.md')).status).toBe(404);
    expect(await text('skills/index.json')).not.toContain('"one"');
  });

  test('a file that is edited behind the snapshot never makes an archive of two versions', async () => {
    const folder = await temporary({ many: { 'SKILL.md': skill('many'), 'a.md': 'old' } });
    const { entry, get } = siteOf(directorySource(folder, { watch: false, cache: false }));
    await get('skills/index.json');
    await writeFile(join(folder, 'many/a.md'), 'newer');
    await writeFile(join(folder, 'many/SKILL.md'), skill('many').replace('About many.', 'Newer.'));
    const { url, digest, description } = await entry('many');
    expect(description).toBe('Newer.');
    const bytes = bytesOf(await get(`agent-skills/${url}`));
    expect(await sha256Digest(bytes)).toBe(digest);
    const unpacked = await unpackArchive(bytes);
    expect(unpacked.map(({ bytes: content }) => Buffer.from(content).toString())).toContain('newer');
  });

  test('a skill that is removed from the disk is removed from the index', async () => {
    const folder = await temporary({
      many: { 'SKILL.md': skill('many'), 'a.md': 'old' },
      one: { 'SKILL.md': skill('one') },
    });
    const { text, get, catalog } = siteOf(directorySource(folder, { watch: false, cache: false }));
    await get('skills/index.json');
    await rm(join(folder, 'many'), { recursive: true });
    expect((await get('skills/many/a.md')).status).toBe(404);
    expect((await catalog.snapshot()).skills).toHaveLength(1);
    expect(await text('agent-skills/index.json')).not.toContain('"many"');
  });

  test('a repeated request is answered synchronously', async () => {
    const { surface, get, entry } = siteOf(two());
    const artifact = `agent-skills/${(await entry('many')).url}`;
    for (const path of ['agent-skills/index.json', 'skills/index.json', file, artifact]) {
      const tag = (await get(path)).headers['etag'];
      for (const [given, status] of [
        [undefined, 200],
        [tag, 304],
      ] as const)
        expect([
          path,
          surface.answer({
            method: 'GET',
            target: `/.well-known/${path}`,
            header: (name) => (name === 'if-none-match' ? given : undefined),
            body: new Uint8Array(0),
            signal: new AbortController().signal,
          }),
        ]).toMatchObject([path, { status }]);
    }
  });

  test.each(['skills', 'agent-skills'])('a repeated path of %s leads to the current file', async (place) => {
    const source = two();
    const { get, catalog } = siteOf(source);
    const path = `${place}/many/references/a.md`;
    const ask = async (): Promise<unknown[]> => {
      const { status, body, headers } = await get(path);
      const text = Buffer.from(bytesOf({ status, body, headers })).toString();
      const again = await get(path, { 'if-none-match': headers['etag'] ?? '' });
      return [status, text, again.status];
    };
    for (let round = 0; round < 2; round++) expect(await ask()).toEqual([200, '0123456789', 304]);
    const old = { 'if-none-match': (await get(path)).headers['etag'] ?? '' };
    source.add('many', { description: 'Many.' }, 'text', { 'references/a.md': 'other' });
    await expect.poll(async () => (await catalog.snapshot()).generation).toBe(1);
    expect((await get(path, old)).status).toBe(200);
    for (let round = 0; round < 2; round++) expect(await ask()).toEqual([200, 'other', 304]);
    source.add('many', { description: 'Many.' }, 'text', { 'b.md': 'b' });
    expect((await get(path)).status).toBe(404);
    source.remove('many');
    expect((await get(path)).status).toBe(404);
  });

  test('a tag never belongs to older bytes', async () => {
    const folder = await temporary({ one: { 'SKILL.md': skill('one') } });
    const { get } = siteOf(directorySource(folder, { watch: false, cache: false }));
    const { headers } = await get('skills/one/SKILL.md');
    await writeFile(join(folder, 'one/SKILL.md'), skill('one', 'Other.\n'));
    await utimes(join(folder, 'one/SKILL.md'), new Date(), new Date(Date.now() - 60_000));
    const now = await get('skills/one/SKILL.md');
    expect(now.headers['etag']).toBe(`"${await sha256Digest(await readFile(join(folder, 'one/SKILL.md')))}"`);
    expect(now.headers['etag']).not.toBe(headers['etag']);
  });
});

test('zip is published if asked for, and then no tar.gz', async () => {
  const { entry, get } = siteOf(two(), { archiveFormat: 'zip' });
  const { url, digest } = await entry('many');
  expect(url).toMatch(/\.zip$/);
  const answer = await get(`agent-skills/${url}`);
  expect(answer.headers['content-type']).toBe('application/zip');
  expect(await sha256Digest(bytesOf(answer))).toBe(digest);
  expect((await get('agent-skills/many.zip')).status).toBe(200);
  expect((await get('agent-skills/many.tar.gz')).status).toBe(404);
});

test('restricted content is not for shared caches', async () => {
  const source = two();
  const hidden: SkillSource = {
    ...source,
    async *list(context) {
      for await (const page of source.list(context))
        yield { ...page, skills: page.skills.map((one) => ({ ...one, cacheScope: 'private' as const })) };
    },
  };
  const { get, entry } = siteOf(hidden);
  for (const path of ['agent-skills/index.json', 'skills/index.json', file, 'agent-skills/many.tar.gz'])
    expect((await get(path)).headers['cache-control']).toBe('private, max-age=60');
  const { url } = await entry('many');
  expect((await get(`agent-skills/${url}`)).headers['cache-control']).toBe('private, max-age=31536000, immutable');
});

test('a text that is not UTF-8 is not labeled as UTF-8', async () => {
  const { get } = siteOf(
    memorySource({ one: { 'SKILL.md': skill('one'), 'latin1.txt': new Uint8Array([0xe4, 0x0a]), 'a.txt': 'ä' } }),
  );
  expect((await get('skills/one/latin1.txt')).headers['content-type']).toBe('text/plain');
  expect((await get('skills/one/a.txt')).headers['content-type']).toBe('text/plain; charset=utf-8');
});

test('the operator gets one report about differences for readers', async () => {
  const reports: string[] = [];
  const source = memorySource({ 'a/x': { 'SKILL.md': skill('x') }, 'b/x': { 'SKILL.md': skill('x') } });
  const { get, catalog } = siteOf(source, { onfinding: ({ rule, skill: uri }) => reports.push(`${rule} ${uri}`) });
  await get('agent-skills/index.json');
  await get('agent-skills/index.json');
  expect(reports).toEqual(['publish-name-alias skill://b/x/SKILL.md']);
  source.add('c/x', { 'SKILL.md': skill('x') });
  await expect.poll(async () => (await catalog.snapshot()).generation).toBe(1);
  await get('agent-skills/index.json');
  expect(reports).toEqual(['publish-name-alias skill://b/x/SKILL.md', 'publish-name-alias skill://c/x/SKILL.md']);
});
