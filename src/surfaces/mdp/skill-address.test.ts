import { expect, test } from 'vitest';
import { parseSkillAddress } from './skill-routes.ts';

test.each([
  ['/skills/lab/a/b', 'lab', ['/a/b/skill.md', '/a/b/SKILL.md']],
  ['/skills/lab/a/b/', 'lab', ['/a/b/skill.md', '/a/b/SKILL.md']],
  ['/skills/lab/a/skill.md', 'lab', ['/a/skill.md']],
  ['/skills/lab/a/SKILL.md', 'lab', ['/a/SKILL.md']],
  ['/skills/lab/skill.md', 'lab', ['/skill.md']],
  ['/lab/skills/a', 'lab', ['/a/skill.md', '/a/SKILL.md']],
  ['/my/lab/skills/a', 'my/lab', ['/a/skill.md', '/a/SKILL.md']],
  ['/lab/skills/skills/a', 'lab', ['/skills/a/skill.md', '/skills/a/SKILL.md']],
  ['/skills/my%2Flab/a', 'my/lab', ['/a/skill.md', '/a/SKILL.md']],
  ['/skills/skills/a', 'skills', ['/a/skill.md', '/a/SKILL.md']],
])('parseSkillAddress() reads %s', (pathname, clientId, paths) => {
  expect(parseSkillAddress(pathname)).toEqual({ ok: true, clientId, paths });
});

test.each([
  '/',
  '/skills',
  '/skills/lab',
  '/skills/lab/',
  '/lab/skills',
  '/lab/skills/',
  '/mcp/skills/a',
  '/api/x/skills/a',
  '/mdp/skills/a',
])('parseSkillAddress() does not match %s', (pathname) => {
  expect(parseSkillAddress(pathname)).toBeUndefined();
});

test.each(['/skills/%zz/a', '/skills/a/%', '/%E9/skills/a'])(
  'parseSkillAddress() reports the fault in %s',
  (pathname) => {
    expect(parseSkillAddress(pathname)).toEqual({ ok: false });
  },
);
