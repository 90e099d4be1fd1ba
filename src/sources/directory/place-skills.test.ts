import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, report, skill, temporary, uris } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { directorySource } from './directory-source.ts';

const broken = '---\nname: in\ndescription: Use when: broken\n---\n';

describe('skills inside a skill that got no URI', () => {
  test('are served under the path of its folder', async () => {
    const found = await report(
      await temporary({
        one: { 'SKILL.md': skill('one'), in: { 'SKILL.md': broken } },
        two: { 'SKILL.md': skill('one'), in: { 'SKILL.md': skill('in') }, deep: { er: { 'SKILL.md': skill('er') } } },
      }),
    );
    expect(uris(found)).toEqual(['skill://one/SKILL.md', 'skill://two/deep/er/SKILL.md', 'skill://two/in/SKILL.md']);
  });

  test('are refused where that path lies among the files of another skill', async () => {
    const one = await temporary({ one: { 'SKILL.md': skill('one'), in: { 'x.md': 'x' }, file: 'x' } });
    const two = await temporary({
      one: { 'SKILL.md': skill('one'), in: { 'SKILL.md': skill('in') }, file: { 'SKILL.md': skill('file') } },
    });
    const found = await report([one, two]);
    expect(uris(found)).toEqual(['skill://one/SKILL.md']);
    expect(found.findings.map(({ rule, file }) => [rule, file])).toEqual([
      ['skill-uri-taken', join(two, 'one/SKILL.md')],
      ['skill-uri-taken', join(two, 'one/file/SKILL.md')],
      ['skill-uri-taken', join(two, 'one/in/SKILL.md')],
    ]);
    expect(found.findings[1]?.message).toBe(
      `the skill is not served: "${join(one, 'one')}" has files below the URI skill://one/file/SKILL.md already`,
    );
  });
});

test('a skill that would lie around skills of other folders is refused where its files clash with theirs', async () => {
  const found = await report(
    await temporary({
      group: { in: { 'SKILL.md': skill('in') } },
      other: { 'SKILL.md': skill('group'), in: { 'SKILL.md': skill('in', 'Another.') } },
      plain: { 'SKILL.md': skill('plain') },
    }),
  );
  expect(uris(found)).toEqual(['skill://group/in/SKILL.md', 'skill://other/in/SKILL.md', 'skill://plain/SKILL.md']);
  expect(found.findings[0]?.message).toContain('is served below the URI skill://group/SKILL.md already');
});

test('a skill that is linked into another one is served where it lies, with all skills inside it', async () => {
  const root = await temporary({
    a: { 'SKILL.md': skill('a') },
    b: { 'SKILL.md': skill('b'), in: { 'SKILL.md': skill('in') } },
  });
  await symlink(join(root, 'b'), join(root, 'a/link'));
  const found = await report(root);
  expect(uris(found)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md', 'skill://b/in/SKILL.md']);
  expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'link/SKILL.md', 'link/in/SKILL.md']);
});

test('a file that is added later does not get into the space of another skill either', async () => {
  const one = await temporary({ one: { 'SKILL.md': skill('one'), data: { 'a.md': 'a' } } });
  const two = await temporary({ one: { in: { 'SKILL.md': skill('in') } } });
  const catalog = createCatalog(directorySource([one, two], { watch: false, cache: false }));
  onTestFinished(() => catalog.close());
  expect((await catalog.snapshot()).skills.map(({ path }) => path)).toEqual(['one', 'one/in']);
  await writeFile(join(one, 'one/in'), 'a file where the other skill lies');
  const { skills, findings } = await catalog.refresh();
  expect(skills.map(({ path }) => path)).toEqual(['one']);
  expect(findings).toMatchObject([{ rule: 'skill-uri-taken', file: join(two, 'one/in/SKILL.md') }]);
});
