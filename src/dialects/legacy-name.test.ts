import { expect, test } from 'vitest';
import { legacyNameFault, nameRemark } from './legacy-name.ts';

test('legacyNameFault() refuses only names that cannot be a segment', () => {
  for (const name of ['a', 'My_Skill', '技能']) expect(legacyNameFault(name)).toBeUndefined();
  for (const name of [5, '', '..', 'a/b', 'x'.repeat(300)]) expect(legacyNameFault(name)).toBeTypeOf('string');
});

test('nameRemark() reports names that Agent Skills does not allow', () => {
  expect(nameRemark('git-workflow', 'x')).toBeUndefined();
  expect(nameRemark('My_Skill', 'x')).toMatchObject({ requirement: 'S-11', uri: 'x' });
});
