import { describe, expect, test } from 'vitest';
import { createCatalog } from '../catalog/create-catalog.ts';
import { limits } from '../limits.ts';
import { testSkillSource } from '../testing/test-skill-source.ts';
import { memorySource } from './memory.ts';

const text =
  '---\nname: git-workflow\ndescription: Follow team Git conventions for branching and commits.\n---\n\n# Git Workflow\n';

describe('memorySource() passes the tests of the port', () => {
  testSkillSource({
    test,
    create: async () => {
      const source = memorySource({
        'git-workflow': {
          'SKILL.md': text,
          'references/GUIDE.md': '# Guide\n',
          'assets/raw.bin': new Uint8Array([0, 255, 254]),
        },
      });
      source.add('reports/daily', { description: 'Figures of today.' }, () => '# Today\n');
      return { source };
    },
  });
});

describe('memorySource()', () => {
  test('publishes the digest and size of its bytes', async () => {
    const skill = await memorySource({ 'git-workflow': { 'SKILL.md': text } }).get('skill://git-workflow/SKILL.md', {});
    expect(skill?.entry.resources).toEqual([
      {
        uri: 'skill://git-workflow/SKILL.md',
        digest: 'sha256:37c746f48a0c6fb77068ea85d28af1f27d2efc46f0726715d73628f27d9a7fa3',
        size: 111,
      },
    ]);
  });

  test('add() with a function makes a dynamic skill that sees the caller', async () => {
    const source = memorySource();
    source.add('reports/daily', { description: 'Figures of today.' }, ({ principal }) => `# For ${principal?.id}\n`);
    const skill = await source.get('skill://reports/daily/SKILL.md', {});
    expect(skill?.entry).toEqual({
      uri: 'skill://reports/daily/SKILL.md',
      frontmatter: { name: 'daily', description: 'Figures of today.' },
      resources: 'dynamic',
    });
    expect(skill).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    const file = await source.open('skill://reports/daily/SKILL.md', { principal: { id: 'ada' } });
    expect(file?.digest).toBeUndefined();
    expect(new TextDecoder().decode(file?.bytes)).toBe(
      '---\nname: "daily"\ndescription: "Figures of today."\n---\n\n# For ada\n',
    );
  });

  test('one function among the files makes the whole skill dynamic', async () => {
    const source = memorySource();
    source.add('now', { description: 'The time.' }, 'Read time.txt.', { 'time.txt': () => 'noon' });
    expect((await source.get('skill://now/SKILL.md', {}))?.entry.resources).toBe('dynamic');
    expect(new TextDecoder().decode((await source.open('skill://now/time.txt', {}))?.bytes)).toBe('noon');
    await using catalog = createCatalog(source);
    expect((await catalog.read('skill://now/time.txt', {})).file.mediaType).toBe('text/plain');
    await expect(async () => catalog.read('skill://now/other.txt', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('database down')), /threw an error/],
    ['returns a number', () => 42 as unknown as string, /neither text nor bytes/],
    ['returns other frontmatter', () => '---\nname: other\ndescription: x\n---\n', /frontmatter that differs/],
    ['returns too much', () => 'x'.repeat(limits.dynamic.bytes + 1), /more than/],
    ['returns bytes that are no text', () => new Uint8Array([0xff]), /not UTF-8/],
  ])('a function that %s is an error that names the skill', async (_, generate, message) => {
    const source = memorySource();
    source.add('broken', { description: 'Breaks.' }, generate);
    const error = await source.open('skill://broken/SKILL.md', {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'GENERATOR_FAILED', message: expect.stringMatching(message) });
    expect((error as Error).message).toContain('"broken"');
    expect((error as Error).message).not.toContain('database down');
  });

  test.each([
    ['throws', () => Promise.reject(new Error('database down')), /threw an error/],
    ['returns nothing', () => undefined as unknown as string, /neither text nor bytes/],
    ['returns too much', () => 'x'.repeat(limits.dynamic.bytes + 1), /more than/],
  ])('a function for another file that %s is an error that names the file', async (_, generate, message) => {
    const source = memorySource();
    source.add('now', { description: 'The time.' }, 'Read time.txt.', { 'time.txt': generate });
    const error = await source.open('skill://now/time.txt', {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'GENERATOR_FAILED', message: expect.stringMatching(message) });
    expect((error as Error).message).toContain('"time.txt"');
  });

  test('later changes to the bytes by their owner are not served', async () => {
    const bytes = new TextEncoder().encode('before');
    const source = memorySource({ 'git-workflow': { 'SKILL.md': text, 'x.txt': bytes } });
    bytes.fill(0);
    await using catalog = createCatalog(source);
    expect(new TextDecoder().decode((await catalog.read('skill://git-workflow/x.txt', {})).bytes)).toBe('before');
  });

  test('a function may return the whole SKILL.md if its frontmatter is the published one', async () => {
    const source = memorySource();
    const whole = '---\nname: same\ndescription: Kept.\n---\nBody\n';
    source.add('same', { description: 'Kept.' }, () => whole);
    expect(new TextDecoder().decode((await source.open('skill://same/SKILL.md', {}))?.bytes)).toBe(whole);
  });

  test('a function stops when the caller aborts', async () => {
    const source = memorySource();
    source.add('slow', { description: 'Slow.' }, () => new Promise<string>(() => {}));
    const gone = new AbortController();
    const read = source.open('skill://slow/SKILL.md', { signal: gone.signal });
    gone.abort(new Error('client left'));
    await expect(read).rejects.toThrow('client left');
  });

  test.each([
    ['a name that differs from the path', 'other', { 'SKILL.md': text }, /End the path with the name/],
    ['no SKILL.md', 'a', { 'x.md': 'x' }, /no "SKILL.md"/],
    ['broken frontmatter', 'a', { 'SKILL.md': '# none' }, /Cannot add the skill "a"/],
    [
      'two files with one path',
      'git-workflow',
      { 'SKILL.md': text, 'a\u0301.md': '1', '\u00e1.md': '2' },
      /two files have the path/,
    ],
    [
      'too many files',
      'git-workflow',
      { 'SKILL.md': text, ...Object.fromEntries(Array.from({ length: 512 }, (_, n) => [`f${n}`, ''])) },
      /513 files/,
    ],
    [
      'a path that is too long together',
      'git-workflow',
      { 'SKILL.md': text, [`${'deep/'.repeat(120)}x`]: '' },
      /segments/,
    ],
    ['too many bytes', 'git-workflow', { 'SKILL.md': text, big: new Uint8Array(limits.skill.bytes) }, /more than/],
  ])('add() refuses a skill with %s', (_, path, files, message) => {
    expect(() => memorySource().add(path, files as never)).toThrow(message);
  });

  test.each(['../a', 'a//b', '', 'a\\b', 'a\u0000'])('add() refuses the path %j', (path) => {
    expect(() => memorySource().add(path, { description: 'x' }, 'x')).toThrow(/skill/i);
  });
});
