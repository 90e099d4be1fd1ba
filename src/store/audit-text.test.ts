/** The object of each kind of audit record, as people read it. */
import { expect, test } from 'vitest';
import type { JsonValue } from '../skill/entry.ts';
import { auditObject } from './audit-text.ts';

const skills = (...uris: readonly string[]): JsonValue => ({
  root: '/work/shop',
  scope: 'project',
  skills: uris.map((uri) => ({ uri })),
});

test.each<readonly [string, JsonValue | undefined, string | undefined]>([
  ['deny', { match: 'tools/*' }, 'match tools/*'],
  ['allow', { origin: 'docs' }, 'origin docs'],
  ['trust', { file: '/work/shop/skillwire.json', digest: 'sha256:0' }, '/work/shop/skillwire.json'],
  ['untrust', { file: '/work/shop/skillwire.json' }, '/work/shop/skillwire.json'],
  ['install', skills('skill://a/SKILL.md'), 'skill://a/SKILL.md in /work/shop'],
  ['install', skills('skill://a/SKILL.md', 'skill://b/SKILL.md'), 'skill://a/SKILL.md and 1 more in /work/shop'],
  ['add-token', { token: 't1', name: 'ci', profile: 'p' }, 'token ci'],
  ['revoke-token', { token: 't1' }, 'token t1'],
  ['revoke-access', { kind: 'subject', id: 'ana' }, 'subject ana'],
  ['restore-access', { kind: 'jti', id: '7' }, 'jti 7'],
  ['approve', { set: 'sha256:0' }, undefined],
  ['install', skills(), undefined],
  ['install', { skills: 'many', root: 1 }, undefined],
  ['deny', null, undefined],
  ['trust', undefined, undefined],
])('%s of %j is about %s', (action, data, expected) => {
  expect(auditObject({ action, ...(data === undefined ? {} : { data }) })).toBe(expected);
});

test('a skill comes before everything else', () => {
  expect(auditObject({ action: 'deny', uri: 'skill://a/SKILL.md', data: { set: 'sha256:0' } })).toBe(
    'skill://a/SKILL.md',
  );
});
