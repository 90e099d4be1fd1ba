import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, report, rules, skill, temporary, uris } from '../../../test/skill-folders.ts';

describe.skipIf(process.platform === 'win32')('links', () => {
  test('inside the root are followed; hidden targets, outside targets, broken and looping links are not', async () => {
    const outside = await temporary({ 'secret.md': 'x' });
    const root = await temporary({
      shared: { 'guide.md': 'guide', refs: { 'r.md': 'r' } },
      '.env': 'SECRET=1',
      a: { 'SKILL.md': skill('a') },
    });
    const link = (target: string, name: string): Promise<void> => symlink(target, join(root, 'a', name));
    await link('../shared/guide.md', 'guide.md');
    await link('../shared/refs', 'refs');
    await link('../.env', 'settings.txt');
    await link(join(outside, 'secret.md'), 'leak.md');
    await link(outside, 'leaks');
    await link('nowhere', 'broken.md');
    await link('self', 'self');
    await link('..', 'up');
    const found = await report(root);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'guide.md', 'refs/r.md']);
    expect(rules(found)).toEqual(['link-broken', 'link-leaves-root', 'link-leaves-root', 'link-loop', 'link-loop']);
  });

  test('a skill folder may be a link into another root or into .agents/skills; other folders may not', async () => {
    const other = await temporary({ b: { 'SKILL.md': skill('b') } });
    const home = await temporary({
      '.agents': { skills: { c: { 'SKILL.md': skill('c'), 'x.md': 'x' }, plain: { 'x.md': 'x' } } },
      elsewhere: { d: { 'SKILL.md': skill('d') } },
    });
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(other, 'b'), join(root, 'b'));
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await symlink(join(home, '.agents/skills/plain'), join(root, 'plain'));
    await symlink(join(home, 'elsewhere/d'), join(root, 'd'));
    const alone = await report(root);
    expect(uris(alone)).toEqual(['skill://a/SKILL.md', 'skill://c/SKILL.md']);
    expect(rules(alone)).toEqual(['link-leaves-root', 'link-leaves-root', 'link-leaves-root']);
    const both = await report([root, { path: other, label: 'other' }]);
    expect(uris(both)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md', 'skill://c/SKILL.md']);
    expect(rules(both)).toContain('skill-linked-twice');
  });

  test('folders that link to each other are a loop, detected at once', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } });
    await symlink('../b', join(root, 'a/b'));
    await symlink('../a', join(root, 'b/a'));
    const found = await report(root);
    expect(rules(found).filter((rule) => rule === 'link-loop')).toHaveLength(2);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'b/SKILL.md']);
  });

  test('a link to an unreadable skill is a finding and does not stop the scan', async () => {
    const home = await temporary({ '.agents': { skills: { x: {} } } });
    await symlink('SKILL.md', join(home, '.agents/skills/x/SKILL.md'));
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(home, '.agents/skills/x'), join(root, 'x'));
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://a/SKILL.md']);
    expect(rules(found)).toEqual(['link-leaves-root']);
  });

  test('a link to an excluded file is excluded, too', async () => {
    const root = await temporary({
      '.skillignore': 'private/\n',
      private: { 'p.md': 'p' },
      a: { 'SKILL.md': skill('a') },
    });
    await symlink('../private', join(root, 'a/notes'));
    expect(files(await report(root), 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
  });

  test('folders with many links to each other are followed up to a limit', async () => {
    const root = await temporary(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`s${n}`, { 'SKILL.md': skill(`s${n}`) }])),
    );
    for (let n = 0; n < 12; n++)
      for (let m = 0; m < 12; m++) if (n !== m) await symlink(`../s${m}`, join(root, `s${n}/to-${m}`));
    const found = await report(root);
    expect(found.findings.filter(({ rule }) => rule === 'scan-limit')).toHaveLength(1);
  });

  test('a root may be a link', async () => {
    const real = await temporary({ a: { 'SKILL.md': skill('a') } });
    const place = await temporary();
    await symlink(real, join(place, 'skills'));
    expect(uris(await report(join(place, 'skills')))).toEqual(['skill://a/SKILL.md']);
  });
});
