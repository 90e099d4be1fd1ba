import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { wantedSkill } from '../testing/sync-workloads.ts';
import { type InstallLock, lockText, parseLock, sameLocked } from './install-lock.ts';

const alpha = wantedSkill('alpha', { 'z.txt': 'z', 'a/b.txt': 'b' }, { executable: ['z.txt'], scripts: true }).locked;
const lock: InstallLock = { scope: 'project', skills: { beta: alpha, alpha } };

describe('lockText()', () => {
  test('sorts the keys at every level and ends with a line break', () => {
    const text = lockText(lock);
    expect(text.endsWith('}\n')).toBe(true);
    const { skills } = JSON.parse(text);
    expect(Object.keys(skills)).toEqual(['alpha', 'beta']);
    expect(Object.keys(skills.alpha)).toEqual([...Object.keys(skills.alpha)].sort());
    expect(Object.keys(skills.alpha.files)).toEqual(['SKILL.md', 'a/b.txt', 'z.txt']);
  });

  test('is read back as it was', () => {
    expect(parseLock(lockText(lock), 'x')).toEqual(JSON.parse(JSON.stringify(lock)));
    expect(lockText(parseLock(lockText(lock), 'x'))).toBe(lockText(lock));
    expect(sameLocked(parseLock(lockText(lock), 'x').skills['alpha'], alpha)).toBe(true);
  });
});

describe('parseLock()', () => {
  const changed = (change: (skill: Record<string, unknown>) => void): string => {
    const value = JSON.parse(lockText({ scope: 'project', skills: { alpha } }));
    change(value.skills.alpha);
    return JSON.stringify(value);
  };

  const faults: readonly (readonly [text: string, said: string])[] = [
    ['', 'not JSON'],
    ['[]', 'not an object'],
    ['{"scope":"project","skills":{}}', 'version none'],
    ['{"lockVersion":9,"scope":"project","skills":{}}', 'version 9'],
    ['{"lockVersion":1,"scope":"team","skills":{}}', '"scope"'],
    ['{"lockVersion":1,"scope":"project","skills":[]}', '"skills"'],
    ['{"lockVersion":1,"scope":"project","skills":{},"more":1}', 'unknown key'],
    ['{"lockVersion":1,"scope":"project","skills":{"..":{}}}', 'begins with a dot'],
    ['{"lockVersion":1,"scope":"project","skills":{".git":{}}}', 'begins with a dot'],
    ['{"lockVersion":1,"scope":"project","skills":{"nul":{}}}', 'device'],
    ['{\n<<<<<<< ours\n}', 'merge conflict'],
    [changed((skill) => delete skill['origin']), '"origin"'],
    [changed((skill) => (skill['setDigest'] = 'sha256:1')), '"setDigest"'],
    [changed((skill) => (skill['mode'] = 'hard')), '"mode"'],
    [changed((skill) => (skill['agents'] = [1])), '"agents"'],
    [changed((skill) => (skill['scripts'] = 'yes')), '"scripts"'],
    [changed((skill) => (skill['approval'] = {})), '"approval"'],
    [changed((skill) => (skill['label'] = 1)), '"label"'],
    [changed((skill) => (skill['surprise'] = 1)), 'unknown key'],
    [changed((skill) => (skill['files'] = {})), 'lack "SKILL.md"'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a.txt': { digest: 'x', size: 1 } })),
      'no digest and size',
    ],
    [changed((skill) => (skill['files'] = { ...alpha.files, '../up.txt': alpha.files['SKILL.md'] })), 'another folder'],
    [changed((skill) => (skill['files'] = { ...alpha.files, '/abs.txt': alpha.files['SKILL.md'] })), 'is empty'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, '.git/config': alpha.files['SKILL.md'] })),
      'version control',
    ],
    [changed((skill) => (skill['files'] = { ...alpha.files, 'skill.md': alpha.files['SKILL.md'] })), 'on some systems'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a/b.txt/c': alpha.files['SKILL.md'] })),
      'both a file and a folder',
    ],
  ];
  test.each(faults.map(([text, said], row) => ({ text, said, row })))('refuses row $row: $said', ({ text, said }) => {
    expect(() => parseLock(text, 'skillwire.lock')).toThrow(
      expect.objectContaining({ code: 'LOCK_INVALID', message: expect.stringContaining(said) }),
    );
  });
});

test('the published schema accepts what is written and refuses what is not read', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schema/skillwire-lock.json', import.meta.url), 'utf8'));
  const valid = new Ajv2020({ strict: false }).compile(schema);
  expect(valid(JSON.parse(lockText(lock))), JSON.stringify(valid.errors)).toBe(true);
  expect(valid({ lockVersion: 2, scope: 'project', skills: {} })).toBe(false);
  expect(valid({ lockVersion: 1, scope: 'project', skills: { a: { ...alpha, more: 1 } } })).toBe(false);
  expect(valid({ lockVersion: 1, scope: 'project', skills: { a: { ...alpha, files: {} } } })).toBe(false);
});
