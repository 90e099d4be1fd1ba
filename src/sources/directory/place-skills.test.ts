import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, report, skill, type Tree, temporary, uris, write } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { directorySource } from './directory-source.ts';

describe('nested skills', () => {
  test('share its URIs if their folders have their names, also below a folder with another name than the skill', async () => {
    const found = await report(
      await temporary({
        one: { 'SKILL.md': skill('one'), in: { 'SKILL.md': skill('in') } },
        two: { 'SKILL.md': skill('one'), in: { 'SKILL.md': skill('in') }, deep: { er: { 'SKILL.md': skill('er') } } },
      }),
    );
    expect(uris(found)).toEqual([
      'skill://one/SKILL.md',
      'skill://one/in/SKILL.md',
      'skill://two/one/SKILL.md',
      'skill://two/one/deep/er/SKILL.md',
      'skill://two/one/in/SKILL.md',
    ]);
  });

  test('keep their paths if the outer skill is broken', async () => {
    const inside = { in: { 'SKILL.md': skill('in') }, b: { 'SKILL.md': skill('x'), y: { 'SKILL.md': skill('z') } } };
    const broken = await report(await temporary({ outer: { 'SKILL.md': 'broken', ...inside } }));
    const whole = await report(await temporary({ outer: { 'SKILL.md': skill('outer'), ...inside } }));
    expect(uris(broken)).toEqual([
      'skill://outer/in/SKILL.md',
      'skill://outer~b/x/SKILL.md',
      'skill://outer~b~y/z/SKILL.md',
    ]);
    expect(uris(whole)).toEqual(['skill://outer/SKILL.md', ...uris(broken)]);
  });

  test('are published beside it if it cannot list their longest paths', async () => {
    const name = 'long'.repeat(16);
    let deep: Tree = { 'x.md': 'x' };
    for (let level = 0; level < limits.path.depth - 1; level++) deep = { d: deep };
    const found = await report(
      await temporary({ outer: { 'SKILL.md': skill('outer'), [name]: { 'SKILL.md': skill(name), ...deep } } }),
    );
    expect(uris(found)).toEqual(['skill://outer/SKILL.md', `skill://outer~${name}/${name}/SKILL.md`]);
  });

  test('are refused with it if another root has their URIs', async () => {
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
      `the skill is not served: "${join(one, 'one')}" is served around the URI skill://one/file/SKILL.md already`,
    );
  });
});

test('a skill around the skills of another root is refused, because its entry could not list their files', async () => {
  const one = await temporary({ group: { in: { 'SKILL.md': skill('in') } } });
  const two = await temporary({ group: { 'SKILL.md': skill('group') }, plain: { 'SKILL.md': skill('plain') } });
  const found = await report([one, two]);
  expect(uris(found)).toEqual(['skill://group/in/SKILL.md', 'skill://plain/SKILL.md']);
  expect(found.findings[0]?.message).toContain('is served below the URI skill://group/SKILL.md already');
  expect(uris(await report([one, { path: two, label: 'two' }]))).toHaveLength(3);
});

test('a skill linked into another one is served at its own path, with all nested skills', async () => {
  const root = await temporary({
    a: { 'SKILL.md': skill('a') },
    b: { 'SKILL.md': skill('b'), in: { 'SKILL.md': skill('in') } },
  });
  await symlink(join(root, 'b'), join(root, 'a/link'));
  const found = await report(root);
  expect(uris(found)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md', 'skill://b/in/SKILL.md']);
  expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'link/SKILL.md', 'link/in/SKILL.md']);
});

test('a skill that is added later cannot take URIs of another root either', async () => {
  const one = await temporary({ one: { 'SKILL.md': skill('one'), data: { 'a.md': 'a' } } });
  const two = await temporary({ plain: { 'SKILL.md': skill('plain') } });
  const catalog = createCatalog(directorySource([one, two], { watch: false, cache: false }));
  onTestFinished(() => catalog.close());
  expect((await catalog.snapshot()).skills.map(({ path }) => path)).toEqual(['one', 'plain']);
  await write(two, { one: { in: { 'SKILL.md': skill('in') } } });
  const { skills, findings } = await catalog.refresh();
  expect(skills.map(({ path }) => path)).toEqual(['one', 'plain']);
  expect(findings).toMatchObject([{ rule: 'skill-uri-taken', file: join(two, 'one/in/SKILL.md') }]);
});
