import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { skill, type Tree, temporary, write } from '../../../test/skill-folders.ts';
import { decodeIndex } from '../../dialects/well-known/decode-index.ts';
import { directorySource } from '../../sources/directory/directory-source.ts';
import { type MemorySource, memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { type BuildSiteOptions, buildSite, type SiteReport } from './build-site.ts';
import { createByteCopies } from './byte-copies.ts';
import { checkSite } from './check-site.ts';

const day = 24 * 60 * 60_000;
const v02 = '.well-known/agent-skills';
const v01 = '.well-known/skills';
const unfinished = '.skillwire-site-unfinished.json';
const tree: Tree = {
  one: { 'SKILL.md': skill('one') },
  many: { 'SKILL.md': skill('many'), references: { 'a b.md': 'A\n' }, 'größe.txt': 'x' },
  team: { plain: { 'SKILL.md': skill('plain'), scripts: { 'run.sh': '#!/bin/sh\n' } } },
};

type Changes = Partial<Omit<BuildSiteOptions, 'source' | 'out'>>;

function optionsOf(root: string, out: string, changes: Changes): BuildSiteOptions {
  const source = directorySource(root, { watch: false, cache: false });
  return { source, out, version: '1.0.0', keepDays: 7, ...changes };
}

const build = (root: string, out: string, changes: Changes = {}): Promise<SiteReport> =>
  buildSite(optionsOf(root, out, changes));
const stale = async (root: string, out: string, changes: Changes = {}): Promise<readonly string[]> =>
  (await checkSite(optionsOf(root, out, changes))).stale;

/** Bytes of every file by path. */
function contents(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (statSync(join(folder, name)).isFile()) found.set(name, readFileSync(join(folder, name)).toString('base64'));
  return found;
}

/** The artifacts that the index names. */
function artifacts(out: string): Map<string, string> {
  const index = decodeIndex(readFileSync(join(out, v02, 'index.json')), `http://site/${v02}/index.json`);
  if (index.version !== '0.2.0') throw new Error(index.version);
  return new Map(index.entries.map(({ name, url }) => [name, decodeURI(new URL(url).pathname.slice(1))]));
}

async function folders(): Promise<{ root: string; out: string }> {
  const folder = await temporary({ skills: tree });
  return { root: join(folder, 'skills'), out: join(folder, 'site') };
}

describe('a built site', () => {
  test('has both indexes, artifacts by digest and by name, single files and a page', async () => {
    const { root, out } = await folders();
    const report = await build(root, out);
    expect(report).toMatchObject({
      skills: ['many', 'one', 'plain'],
      added: ['many', 'one', 'plain'],
      leftover: 0,
      deleted: 0,
    });
    const index = decodeIndex(readFileSync(join(out, v02, 'index.json')), `http://site/${v02}/index.json`);
    expect(index).toMatchObject({ version: '0.2.0', refused: [] });
    for (const [name, place] of artifacts(out)) {
      const bytes = readFileSync(join(out, place));
      expect(place).toContain(nodeDigest(bytes).replace(':', '-'));
      if (name !== 'one') expect(readFileSync(join(out, v02, `${name}.tar.gz`))).toEqual(bytes);
    }
    const older = decodeIndex(readFileSync(join(out, v01, 'index.json')), `http://site/${v01}/index.json`);
    if (older.version !== '0.1') throw new Error(older.version);
    expect(older.entries.map(({ name }) => name)).toEqual(['one', 'plain']);
    for (const { name, files } of older.entries)
      for (const { path } of files) {
        const source = readFileSync(join(root, name === 'plain' ? 'team/plain' : name, path));
        expect(readFileSync(join(out, v01, name, path))).toEqual(source);
      }
    // Each file exists once: in the folder of v0.1 if its index names it, else in that of v0.2.
    expect(readFileSync(join(out, v02, 'many', 'größe.txt'), 'utf8')).toBe('x');
    const beside = ['by-digest', 'index.json', 'many', 'many.tar.gz', 'one', 'plain.tar.gz'];
    expect(readdirSync(join(out, v02)).sort()).toEqual(beside);
    expect(readdirSync(join(out, v01)).sort()).toEqual(['index.json', 'one', 'plain']);
    expect(readFileSync(join(out, v02, 'one/SKILL.md'))).toEqual(readFileSync(join(root, 'one/SKILL.md')));
    expect(readFileSync(join(out, v02, 'index.json'), 'utf8')).not.toContain('"files"');
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('<bdi>many</bdi>');
    expect(report.findings.map(({ rule }) => rule)).toEqual(['publish-v01-path']);
    expect(report.written).toBe(contents(out).size);
  });

  test('has the same bytes whenever and wherever it is built', async () => {
    const [first, second] = [await folders(), await folders()];
    await build(first.root, first.out);
    await build(second.root, second.out, { now: () => 99 * day });
    expect(contents(second.out)).toEqual(contents(first.out));
    expect(contents(first.out).size).toBeGreaterThan(10);
    await build(first.root, first.out, { now: () => 200 * day });
    expect(contents(first.out)).toEqual(contents(second.out));
  });

  test('needs nothing that listing the source has already read', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const copies = createByteCopies(1024 * 1024);
    let opened = 0;
    const read = directorySource(root, { watch: false, cache: false, onRead: copies.add });
    const source = {
      ...read,
      open: (...args: Parameters<typeof read.open>) => {
        opened++;
        return read.open(...args);
      },
    };
    await buildSite({ source, out: `${out}-copies`, version: '1.0.0', keepDays: 7, known: copies.get });
    expect(opened).toBe(0);
    expect(contents(`${out}-copies`)).toEqual(contents(out));

    // Files that did not fit are read again.
    const little = createByteCopies(100);
    const again = directorySource(root, { watch: false, cache: false, onRead: little.add });
    await buildSite({ source: again, out: `${out}-little`, version: '1.0.0', keepDays: 7, known: little.get });
    expect(contents(`${out}-little`)).toEqual(contents(out));
  });

  test('can be aborted while it writes', async () => {
    const out = join(await temporary(), 'site');
    const names = Array.from({ length: 1500 }, (_, at) => `skill-${at}`);
    const source = memorySource(Object.fromEntries(names.map((name) => [name, { 'SKILL.md': skill(name) }])));
    const bytes = new Map(names.map((name) => Buffer.from(skill(name))).map((text) => [nodeDigest(text), text]));
    const controller = new AbortController();
    let lookups = 0;
    const known = (digest: string): Uint8Array | undefined => {
      if (++lookups === 1) setImmediate(() => controller.abort());
      return bytes.get(digest);
    };
    const built = buildSite({ source, out, version: '1', keepDays: 0, known, signal: controller.signal });
    await expect(built).rejects.toMatchObject({ name: 'AbortError' });
    expect(lookups).toBeLessThan(names.length);
    expect(existsSync(join(out, unfinished))).toBe(true);
  });

  test('has absolute artifact addresses if its own address is known', async () => {
    const { root, out } = await folders();
    await build(root, out, { baseUrl: 'https://host.example/sub' });
    const text = readFileSync(join(out, v02, 'index.json'), 'utf8');
    expect(text).toContain(`"url":"https://host.example/sub/${v02}/by-digest/sha256-`);
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('https://host.example/sub');
  });

  test('has zip archives if asked for', async () => {
    const { root, out } = await folders();
    await build(root, out, { archiveFormat: 'zip' });
    expect(artifacts(out).get('many')).toMatch(/\.zip$/);
    expect(
      readFileSync(join(out, v02, 'many.zip'))
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });

  test('shows text of skills as text', async () => {
    const out = join(await temporary(), 'site');
    const source = memorySource({
      x: { 'SKILL.md': '---\nname: x\ndescription: "<script>alert(1)</script> \\u202E & \\"q\\""\n---\n' },
    });
    await buildSite({ source, out, version: '1', keepDays: 0 });
    const page = readFileSync(join(out, 'index.html'), 'utf8');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; \\u{202e} &amp; &quot;q&quot;');
    expect(page).not.toMatch(/<script|\u202e/);
  });
});

describe('a site that is updated', () => {
  test('is not touched if nothing changed', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const before = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(out, name)).ino);
    expect(await build(root, out)).toMatchObject({ written: 0, added: [], changed: [], removed: [] });
    const after = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(out, name)).ino);
    expect(after).toEqual(before);
  });

  test('writes only the files of a changed skill, and keeps artifacts of older indexes for the grace period', async () => {
    const { root, out } = await folders();
    await build(root, out, { now: () => 0 });
    const old = artifacts(out).get('plain') ?? '';
    await writeFile(join(root, 'team/plain/scripts/run.sh'), '#!/bin/sh\necho 1\n');
    await rename(join(root, 'team/plain/SKILL.md'), join(root, 'x'));
    await writeFile(join(root, 'team/plain/SKILL.md'), skill('plain', 'Other.\n'));
    await rm(join(root, 'one'), { recursive: true });
    const report = await build(root, out, { now: () => 1 * day });
    expect(report).toMatchObject({ changed: ['plain'], removed: ['one'], deleted: 0 });
    // Two files, the archive in two places, two indexes, the page and the manifest.
    expect(report.written).toBe(8);
    expect(existsSync(join(out, old))).toBe(true);
    expect(existsSync(join(out, v01, 'one/SKILL.md'))).toBe(true);
    expect(artifacts(out).has('one')).toBe(false);
    expect(await build(root, out, { now: () => 7 * day })).toMatchObject({ leftover: 4, deleted: 0, written: 0 });
    expect(await build(root, out, { now: () => 8 * day })).toMatchObject({ leftover: 0, deleted: 4, written: 1 });
    expect(existsSync(join(out, old))).toBe(false);
    expect(existsSync(join(out, v01, 'one'))).toBe(false);
    expect(existsSync(join(out, artifacts(out).get('plain') ?? ''))).toBe(true);
  });

  test('removes old files at once without a grace period, and then equals a new site', async () => {
    const { root, out } = await folders();
    await build(root, out);
    await rm(join(root, 'many'), { recursive: true });
    await writeFile(join(root, 'one/more.md'), 'x');
    await build(root, out, { keepDays: 0 });
    await build(root, `${out}-new`);
    expect(contents(out)).toEqual(contents(`${out}-new`));
  });

  test('keeps a skill that returned', async () => {
    const { root, out } = await folders();
    await build(root, out, { now: () => 0 });
    await rename(join(root, 'one'), join(root, '.one'));
    await build(root, out, { now: () => 1 * day });
    await rename(join(root, '.one'), join(root, 'one'));
    expect(await build(root, out, { now: () => 30 * day })).toMatchObject({ added: ['one'], leftover: 0, deleted: 0 });
    expect(await stale(root, out)).toEqual([]);
  });

  test.each([
    ['a file becomes a folder', { a: 'x' }, { a: { b: 'y' } }],
    ['a folder becomes a file', { a: { b: 'y' } }, { a: 'x' }],
  ])('if %s', async (_, before, after) => {
    const { root, out } = await folders();
    await write(join(root, 'one'), before);
    await build(root, out);
    await rm(join(root, 'one/a'), { recursive: true });
    await write(join(root, 'one'), after);
    await build(root, out);
    expect(await stale(root, out)).toEqual([]);
  });

  test('is repaired if files are missing', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const whole = contents(out);
    rmSync(join(out, v01), { recursive: true });
    rmSync(join(out, artifacts(out).get('many') ?? ''));
    await build(root, out);
    expect(contents(out)).toEqual(whole);
  });

  test('finds artifacts of an interrupted build', async () => {
    const { root, out } = await folders();
    await build(root, out, { now: () => 0 });
    const orphan = join(out, v02, 'by-digest', `sha256-${'0'.repeat(64)}.md`);
    writeFileSync(orphan, 'x');
    expect(await build(root, out, { now: () => 0 })).toMatchObject({ leftover: 1 });
    expect(await build(root, out, { now: () => 7 * day })).toMatchObject({ leftover: 0, deleted: 1 });
    expect(existsSync(orphan)).toBe(false);
  });

  test('is stale after an unfinished build, and the next one repeats its writes', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const whole = contents(out);
    // Simulates a build killed after it wrote one file of an unchanged skill and one of a skill that is gone.
    const skills = { plain: ['SKILL.md'], gone: ['SKILL.md', 'x.md'] };
    writeFileSync(join(out, unfinished), JSON.stringify({ version: 1, page: true, skills }));
    writeFileSync(join(out, v01, 'plain', 'SKILL.md'), 'half');
    await write(join(out, v01, 'gone'), { 'x.md': 'x' });
    expect(await stale(root, out)).toContain('the last build did not finish');
    expect(await build(root, out, { now: () => 0 })).toMatchObject({ changed: [], leftover: 1, deleted: 0 });
    expect(existsSync(join(out, unfinished))).toBe(false);
    expect(await build(root, out, { now: () => 7 * day })).toMatchObject({ leftover: 0, deleted: 1 });
    expect(contents(out)).toEqual(whole);
    expect(await stale(root, out)).toEqual([]);
  });

  test('is rebuilt for another archive format, or by another version', async () => {
    const { root, out } = await folders();
    await build(root, out, { keepDays: 0 });
    expect(await build(root, out, { archiveFormat: 'zip', keepDays: 0 })).toMatchObject({ deleted: 4 });
    await build(root, `${out}-new`, { archiveFormat: 'zip' });
    expect(contents(out)).toEqual(contents(`${out}-new`));
    expect((await build(root, out, { archiveFormat: 'zip', version: '2.0.0' })).changed).toHaveLength(3);
  });
});

test('a source that changes during the build gives a site of one moment', async () => {
  const folder = await temporary();
  const skills = (text: string): MemorySource =>
    memorySource({ many: { 'SKILL.md': skill('many', text), a: text }, other: { 'SKILL.md': skill('other'), a: 'x' } });
  const [old, fresh] = [skills('old\n'), skills('new\n')];
  const upserted = [await fresh.get('skill://many/SKILL.md', {})].filter((found) => found !== undefined);
  for (let delay = 0; delay < 60; delay++) {
    let [now, left] = [old, 4];
    let notify: Parameters<NonNullable<SkillSource['watch']>>[0] = () => {};
    /** Changes the skills a few turns after the last file was opened. */
    const change = async (): Promise<void> => {
      for (let turn = 0; turn < delay; turn++) await Promise.resolve();
      now = fresh;
      notify({ upserted, removed: [], findings: [] });
    };
    const changes: Promise<void>[] = [];
    const source: SkillSource = {
      name: 'changing',
      list: (context) => old.list(context),
      get: (uri, context) => now.get(uri, context),
      async open(uri, context) {
        if (--left === 0) changes.push(change());
        return now.open(uri, context);
      },
      watch(listener) {
        notify = listener;
        return () => {};
      },
    };
    const out = join(folder, String(delay));
    await buildSite({ source, out, version: '1', keepDays: 0 });
    await Promise.all(changes);
    for (const [name, place] of artifacts(out)) {
      const digest = place.replace(/.*sha256-(\w+).*/, 'sha256:$1');
      const found = existsSync(join(out, place)) ? nodeDigest(readFileSync(join(out, place))) : 'nothing';
      expect([name, delay, found]).toEqual([name, delay, digest]);
    }
  }
});

describe('a folder with foreign files', () => {
  test('keeps its page and everything beside the site', async () => {
    const { root, out } = await folders();
    await mkdir(out);
    await writeFile(join(out, 'index.html'), 'mine');
    await writeFile(join(out, 'about.html'), 'mine too');
    expect(await build(root, out)).toMatchObject({ foreignPage: true });
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe('mine');
    expect(await stale(root, out)).toEqual([]);
    expect(await build(root, out)).toMatchObject({ foreignPage: true, written: 0 });
  });

  test.each([v01, v02])('is refused if %s is not ours', async (place) => {
    const { root, out } = await folders();
    await mkdir(join(out, place), { recursive: true });
    await expect(build(root, out)).rejects.toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(/did not create/) }),
    );
  });

  test.each([
    '{',
    '{"version":1}',
    '{"version":2,"format":"zip","skills":[],"documents":{},"absent":{"../x":"2026-01-01T00:00:00Z"}}',
  ])('is refused if the manifest is %s', async (text) => {
    const { root, out } = await folders();
    await build(root, out);
    writeFileSync(join(out, '.skillwire-site.json'), text);
    await expect(build(root, out)).rejects.toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(/did not write/) }),
    );
  });

  test('keeps its page, also if the first build did not finish', async () => {
    const { root, out } = await folders();
    await write(out, { 'index.html': 'mine', '.well-known': { 'agent-skills': {} } });
    writeFileSync(join(out, unfinished), '{"version":1,"page":false,"skills":{}}');
    expect(await build(root, out)).toMatchObject({ foreignPage: true });
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe('mine');
  });

  test.each([
    '{',
    '{"version":2,"page":true,"skills":{}}',
    '{"version":1,"skills":{}}',
    '{"version":1,"page":true,"skills":{"..":["x"]}}',
    '{"version":1,"page":true,"skills":{"a":["../../x"]}}',
  ])('is refused if the note of an unfinished build is %s', async (text) => {
    const { root, out } = await folders();
    await build(root, out);
    writeFileSync(join(out, unfinished), text);
    await expect(build(root, out)).rejects.toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(/did not write ".*unfinished.json"/) }),
    );
  });

  test('is refused if it cannot be written', async () => {
    const { root, out } = await folders();
    writeFileSync(out, 'a file');
    await expect(build(root, out)).rejects.toThrow(
      expect.objectContaining({ code: 'WRITE_FAILED', message: expect.stringMatching(/Cannot write the site/) }),
    );
  });
});

describe('checking', () => {
  test('finds nothing if the site is up to date', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const before = contents(out);
    expect(await stale(root, out)).toEqual([]);
    expect(contents(out)).toEqual(before);
  });

  test('finds new, changed and removed skills', async () => {
    const { root, out } = await folders();
    await build(root, out);
    await write(root, { fresh: { 'SKILL.md': skill('fresh') } });
    await writeFile(join(root, 'one/SKILL.md'), skill('one', 'Other.\n'));
    await rm(join(root, 'many'), { recursive: true });
    expect(await stale(root, out)).toEqual([
      'the skill "fresh" is new',
      'the skill "one" changed',
      'the skill "many" is no longer published',
    ]);
  });

  test('finds a changed byte in any file, and any missing file', async () => {
    const { root, out } = await folders();
    await build(root, out);
    const places = [...contents(out).keys()].filter((place) => !['.skillwire-site.json', '.nojekyll'].includes(place));
    for (const place of places) {
      const bytes = readFileSync(join(out, place));
      rmSync(join(out, place));
      expect(await stale(root, out)).toEqual([`the file "${place}" is missing`]);
      const flipped = Buffer.from(bytes);
      flipped[0] = (flipped[0] ?? 0) ^ 1;
      writeFileSync(join(out, place), flipped);
      expect(await stale(root, out)).toEqual([`the file "${place}" has changed`]);
      writeFileSync(join(out, place), bytes);
    }
    expect(await stale(root, out)).toEqual([]);
  });

  test('finds another requested address or archive format, and a missing site', async () => {
    const { root, out } = await folders();
    expect(await stale(root, out)).toHaveLength(3);
    await build(root, out);
    expect(await stale(root, out, { baseUrl: 'https://host.example' })).toEqual([
      `the file "${v02}/index.json" has changed`,
      'the file "index.html" has changed',
    ]);
    expect(await stale(root, out, { archiveFormat: 'zip' })).toHaveLength(3);
  });
});
