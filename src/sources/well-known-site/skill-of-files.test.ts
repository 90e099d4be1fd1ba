import { describe, expect, test } from 'vitest';
import { sha256, skillMd } from '../../../test/scripted-site.ts';
import { limits } from '../../limits.ts';
import { type SkillFile, skillOfFiles } from './skill-of-files.ts';

const indexed = { name: 'a', description: 'About a.' };
const file = (path: string, content: string | Uint8Array = ''): SkillFile => ({
  path,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
});
const main = file('SKILL.md', skillMd('a'));

describe('skillOfFiles()', () => {
  test('gives each file its URI, digest and size, sorted by URI', async () => {
    const { skill, files } = await skillOfFiles(indexed, [file('b/ü.md', 'x'), main, file('A', 'y')], sha256);
    expect(skill.entry.resources).toEqual([
      { uri: 'skill://a/A', digest: sha256('y'), size: 1 },
      { uri: 'skill://a/SKILL.md', digest: sha256(skillMd('a')), size: skillMd('a').length },
      { uri: 'skill://a/b/%C3%BC.md', digest: sha256('x'), size: 1 },
    ]);
    expect([...files.keys()]).toContain('skill://a/b/%C3%BC.md');
  });

  test.each<[string, readonly SkillFile[], string, RegExp]>([
    ['no SKILL.md', [file('x')], 'W-12', /has no SKILL\.md at its root/],
    ['a SKILL.md in a folder', [file('a/SKILL.md', skillMd('a'))], 'W-12', /has no SKILL\.md at its root/],
    ['no frontmatter', [file('SKILL.md', '# A\n')], 'S-7', /not "---"/],
    ['bytes that are not text', [file('SKILL.md', new Uint8Array([0xff, 0xfe]))], 'S-7', /not UTF-8/],
    [
      'two spellings of one name',
      [main, file('\u00e9'), file('e\u0301')],
      'W-12',
      /two of its files have the same name/,
    ],
    [
      'too many files',
      [main, ...Array.from({ length: limits.skill.files }, (_, n) => file(`f${n}`))],
      'S-35',
      /has 513 files/,
    ],
    ['too many bytes', [main, file('x', new Uint8Array(limits.skill.bytes))], 'S-35', /bytes, more than/],
  ])('refuses %s', async (_, given, requirement, message) => {
    await expect(skillOfFiles(indexed, given, sha256)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      data: { requirement },
    });
  });

  test('reports a description that differs from the index', async () => {
    const { findings } = await skillOfFiles({ ...indexed, description: 'Other.' }, [main], sha256);
    expect(findings).toMatchObject([{ rule: 'site-index-unusual', skill: 'skill://a/SKILL.md' }]);
  });
});
