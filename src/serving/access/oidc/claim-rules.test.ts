import { describe, expect, test } from 'vitest';
import { type ClaimRule, type Claims, rightsOf, scopesFor, scopesOf } from './claim-rules.ts';

const none = { operator: false, approver: false, byScope: false };

function rule(match: ClaimRule['match']): ClaimRule {
  return { match, profile: 'team' };
}

describe('rightsOf()', () => {
  const cases: readonly (readonly [string, Claims, ClaimRule['match'], boolean])[] = [
    ['a value of a list', { groups: ['a', 'b'] }, { groups: ['b'] }, true],
    ['no value of a list', { groups: ['a'] }, { groups: ['b'] }, false],
    ['one of several values', { role: 'b' }, { role: ['a', 'b'] }, true],
    ['a part of a text', { role: 'admin-not' }, { role: ['admin'] }, false],
    ['a missing claim', {}, { groups: ['a'] }, false],
    ['a boolean', { staff: true }, { staff: [true] }, true],
    ['a text that looks like a boolean', { staff: 'true' }, { staff: [true] }, false],
    ['a nested claim', { realm_access: { roles: ['a'] } }, { 'realm_access.roles': ['a'] }, true],
    [
      'a claim with dots in its name',
      { 'https://acme.example/roles': ['a'] },
      { 'https://acme.example/roles': ['a'] },
      true,
    ],
    [
      'dots inside a nested name',
      { resource_access: { 'my.app': { roles: ['a'] } } },
      { 'resource_access.my.app.roles': ['a'] },
      true,
    ],
    ['all claims of a rule', { repository: 'acme/x', ref: 'main' }, { repository: ['acme/x'], ref: ['main'] }, true],
    [
      'only one claim of a rule',
      { repository: 'acme/x', ref: 'other' },
      { repository: ['acme/x'], ref: ['main'] },
      false,
    ],
    ['a scope', { scope: 'a skills' }, { scope: ['skills'] }, true],
    ['scp as a list', { scp: ['skills'] }, { scp: ['skills'] }, true],
    ['a scope that begins like the wanted one', { scope: 'skills' }, { scope: ['skills:read'] }, false],
    ['a scope that begins with the wanted one', { scope: 'skills:read' }, { scope: ['skills'] }, false],
    ['an e-mail that nobody verified', { email: 'a@x' }, { email: ['a@x'] }, false],
    ['a verified e-mail', { email: 'a@x', email_verified: true }, { email: ['a@x'] }, true],
    ['a member of all objects', {}, { constructor: ['a'] }, false],
  ];
  test.each(cases)('matches by %s', (_, claims, match, expected) => {
    expect(rightsOf(claims, [rule(match)])).toMatchObject(
      expected ? { operator: false, approver: false, profile: 'team' } : none,
    );
  });

  test('returns the first profile and all rights', () => {
    const rules: readonly ClaimRule[] = [
      { match: { groups: ['owners'] }, approver: true },
      { match: { groups: ['readers'] }, profile: 'some' },
      { match: { groups: ['owners'] }, profile: 'all', operator: true },
    ];
    const of = (groups: readonly string[]) => rightsOf({ groups }, rules);
    expect(of(['readers'])).toEqual({ ...none, profile: 'some' });
    expect(of(['owners'])).toEqual({ ...none, profile: 'all', operator: true, approver: true });
    expect(of(['owners', 'readers'])).toEqual({ ...none, profile: 'some', operator: true, approver: true });
    expect(of([])).toEqual(none);
  });

  test.each([{ _claim_names: { groups: 'src1' } }, { hasgroups: true }, { hasgroups: 'true' }])(
    'returns nothing if the issuer omitted groups: %j',
    (claims) => {
      const rules = [rule({ role: ['a'] }), rule({ groups: ['b'] })];
      expect(rightsOf({ ...claims, role: 'a' }, rules)).toEqual({ ...none, omitted: 'groups' });
      expect(rightsOf({ ...claims, role: 'a' }, [rule({ role: ['a'] })])).toEqual({ ...none, profile: 'team' });
    },
  );
});

test('scopesOf() reads both spellings', () => {
  expect(scopesOf({ scope: 'a  b' })).toEqual(['a', 'b']);
  expect(scopesOf({ scp: 'a' })).toEqual(['a']);
  expect(scopesOf({ scope: 7 })).toEqual([]);
});

test('scopesFor() lists the scopes that grant a right', () => {
  const rules: readonly ClaimRule[] = [
    { match: { scope: ['skills'] }, profile: 'team' },
    { match: { scope: ['skills:operate'] }, operator: true },
    { match: { groups: ['x'] }, approver: true },
  ];
  expect(scopesFor(rules, 'profile')).toEqual(['skills']);
  expect(scopesFor(rules, 'operator')).toEqual(['skills:operate']);
  expect(scopesFor(rules, 'approver')).toEqual([]);
});
