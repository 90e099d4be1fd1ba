/** Which files of a skill are fetched, under which name it is installed, and which skills cannot be. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { executableSource } from '../../test/executable-source.ts';
import { createHost } from '../host/create-host.ts';
import { captureEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { fetchSkill, manifestOf, withSizes } from './fetch-skill.ts';

const uri = 'skill://docs/one/SKILL.md';
const md = '---\nname: one\ndescription: Does it.\n---\n';
const digest = `sha256:${'a'.repeat(64)}`;
const resource = (path: string) => ({ uri: `skill://docs/one/${path}`, digest, size: 1 });
const origin = { label: 'docs', local: false };

function captured(name: string, at = uri, paths: readonly string[] = []) {
  const folder = at.slice(0, -'SKILL.md'.length);
  const resources = ['SKILL.md', ...paths].map((path) => ({ ...resource(path), uri: `${folder}${path}` }));
  return captureEntry(origin, at, { entry: { uri: at, frontmatter: { name, description: 'x' }, resources } });
}

describe('manifestOf()', () => {
  test.each([
    ['one', uri, 'one'],
    ['two', uri, 'two'],
    // The name cannot be a folder, that of the origin can.
    ['a/b', uri, 'one'],
    ['.hidden', uri, 'one'],
    ['CON', 'skill://docs/My_Skill-2/SKILL.md', 'My_Skill-2'],
  ])('installs %j of %s as %s', async (name, at, folder) => {
    expect(manifestOf(await captured(name, at)).name).toBe(folder);
  });

  test.each([
    ['a/b', 'skill://docs/a%20b/SKILL.md'],
    ['..', 'skill://docs/a.b/SKILL.md'],
  ])('refuses %j of %s: neither can be a folder name', async (name, at) => {
    const entry = await captured(name, at);
    expect(() => manifestOf(entry)).toThrow(expect.objectContaining({ code: 'INVALID_SKILL', data: { name } }));
  });

  test('has every file, sorted by path', async () => {
    const { files, setDigest } = manifestOf(await captured('one', uri, ['z.txt', 'a/b.txt', 'B.txt']));
    expect(files.map(({ path }) => path)).toEqual(['B.txt', 'SKILL.md', 'a/b.txt', 'z.txt']);
    expect(files[0]).toEqual({ ...resource('B.txt'), path: 'B.txt', executable: false });
    expect(setDigest).toMatch(/^sha256:/);
  });

  test('refuses paths that some systems cannot write', async () => {
    const entry = await captured('one', uri, ['a.txt', 'A.txt']);
    expect(() => manifestOf(entry)).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });

  test.each(['dynamic', 'no-size', 'no-digest'] as const)('refuses a skill without promises: %s', async (status) => {
    const partial = status === 'dynamic' ? {} : { partial: { reason: status, files: [] } };
    const entry = { uri, frontmatter: { name: 'one', description: 'x' }, resources: 'dynamic' as const };
    const loose = await captureEntry(origin, uri, { entry, ...partial });
    expect(() => manifestOf(loose)).toThrow(
      expect.objectContaining({ code: 'NOT_APPROVED', data: { origin: 'docs', uri, status } }),
    );
  });
});

async function hostOf(source: SkillSource) {
  const host = await createHost({ store: memoryStore(), origins: [{ label: 'docs', source, local: false }] });
  onTestFinished(() => host.close());
  return host;
}

test('fetchSkill() returns the bytes of every file in order, in as many rounds as needed', async () => {
  const count = limits.cli.parallelReads + 2;
  const texts = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`f${String(at).padStart(3, '0')}.txt`, `${at}`]),
  );
  const files = { 'SKILL.md': md, ...texts, 'z.bin': Uint8Array.of(0xff, 0) };
  const source = executableSource(memorySource({ 'docs/one': files }), () => ['skill://docs/one/f001.txt']);
  const host = await hostOf(source);
  const fetched = await fetchSkill(host, await host.capture({ label: 'docs', uri }));
  expect(fetched.name).toBe('one');
  expect(fetched.files.map(({ path }) => path)).toEqual(Object.keys(files));
  for (const { path, bytes, size, uri: at, digest: proved, executable } of fetched.files) {
    expect(Buffer.from(bytes)).toEqual(Buffer.from(files[path as keyof typeof files]));
    expect({ size, at, proved }).toEqual({
      size: bytes.length,
      at: `skill://docs/one/${path}`,
      proved: expect.any(String),
    });
    expect(executable).toBe(path === 'f001.txt' ? true : undefined);
  }
  expect(fetched.texts.get('skill://docs/one/f001.txt')).toBe('1');
  expect([...fetched.texts.keys()]).toHaveLength(count + 1);
  expect(fetched.texts.has('skill://docs/one/z.bin')).toBe(false);
});

describe('withSizes()', () => {
  const inner = memorySource({ 'docs/one': { 'SKILL.md': md, 'a.txt': 'four' } });
  const partly = async (reason: 'no-size' | 'no-digest', count?: number) => {
    const whole = await inner.get(uri, {});
    if (whole === undefined || whole.entry.resources === 'dynamic') throw new Error('no skill');
    const rows = whole.entry.resources.map(({ uri: at, digest: proved }) => ({
      uri: at,
      ...(reason === 'no-size' ? { digest: proved } : {}),
    }));
    const files = count === undefined ? rows : Array.from({ length: count }, () => rows[0] ?? { uri });
    return captureEntry(origin, uri, { entry: { ...whole.entry, resources: 'dynamic' }, partial: { reason, files } });
  };

  test('reads files with digests but no sizes', async () => {
    const host = await hostOf(inner);
    const measured = await withSizes(host, await partly('no-size'));
    expect(measured).toMatchObject({ status: 'verifiable', label: 'docs', local: false });
    expect(manifestOf(measured).files.map(({ path, size }) => [path, size])).toEqual([
      ['SKILL.md', md.length],
      ['a.txt', 4],
    ]);
    expect(measured.setDigest).toBe((await host.capture({ label: 'docs', uri })).setDigest);
  });

  test('does not change anything else', async () => {
    const host = await hostOf(inner);
    for (const one of [await partly('no-digest'), await host.capture({ label: 'docs', uri })])
      expect(await withSizes(host, one)).toBe(one);
  });

  test('reads nothing of a skill with too many files', async () => {
    const host = await hostOf(inner);
    const many = await partly('no-size', limits.skill.files + 1);
    await expect(withSizes(host, many)).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { status: 'no-size' } });
  });
});
