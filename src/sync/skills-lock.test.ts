import { describe, expect, test } from 'vitest';
import { isForeignLockName, parseForeignLock } from './skills-lock.ts';

const read = (skills: object) => parseForeignLock(JSON.stringify({ version: 1, skills }), 'skills-lock.json');

describe('parseForeignLock()', () => {
  test('names origins as typed locations', () => {
    const { skills, unreadable } = read({
      a: { source: 'acme/skills', sourceType: 'github', ref: 'v1', computedHash: 'x' },
      b: { source: 'docs.example.com', sourceUrl: 'https://docs.example.com', sourceType: 'well-known' },
      c: { source: 'vendor/skills', sourceType: 'local' },
      d: { sourceUrl: 'ssh://git@example.com/x.git', sourceType: 'git' },
      e: { source: 'left-pad', sourceType: 'node_modules' },
      f: 'nonsense',
      g: { sourceType: 'git' },
    });
    expect(skills).toEqual([
      { name: 'a', origin: { kind: 'git', repository: 'https://github.com/acme/skills.git', ref: 'v1' } },
      { name: 'b', origin: { kind: 'site', url: 'https://docs.example.com' } },
      { name: 'c', origin: { kind: 'folder', path: 'vendor/skills' } },
      { name: 'd', origin: { kind: 'git', repository: 'ssh://git@example.com/x.git' } },
    ]);
    expect(unreadable.map(({ name }) => name)).toEqual(['e', 'f', 'g']);
  });

  test('the type of a source decides how its text is read', () => {
    const { skills, unreadable } = read({
      a: { sourceUrl: 'stdio:sh -c id', sourceType: 'well-known' },
      b: { sourceUrl: 'ext::sh', sourceType: 'git' },
      c: { sourceUrl: 'git:x', sourceType: 'well-known' },
      d: { source: 'x', sourceUrl: '--upload-pack=id', sourceType: 'github' },
      e: { source: 'acme/skills', ref: '--output=x', sourceType: 'github' },
      f: { source: 'stdio:sh -c id', sourceType: 'local' },
    });
    expect(skills).toEqual([{ name: 'f', origin: { kind: 'folder', path: 'stdio:sh -c id' } }]);
    expect(unreadable.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([['{'], ['[]'], ['{"version":3,"skills":{}}'], ['{"version":1}']])('refuses %j', (text) => {
    expect(() => parseForeignLock(text, 'x')).toThrow(expect.objectContaining({ code: 'LOCK_INVALID' }));
  });
});

test('isForeignLockName() recognizes the file by its name alone', () => {
  expect(
    ['skills-lock.json', './a/skills-lock.json', 'my-skills-lock.json', 'skills-lock.json/x'].map(isForeignLockName),
  ).toEqual([true, true, false, false]);
});
