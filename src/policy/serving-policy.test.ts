import { describe, expect, test } from 'vitest';
import { createServingPolicy, denialText, type ServingFacts, type ServingPolicy } from './serving-policy.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const facts: ServingFacts = {
  origin: 'docs',
  path: 'docs/pdf-tools',
  digests: new Set([digest]),
  dynamic: false,
  hasScripts: true,
  bytes: 1_000,
  licence: 'Apache-2.0',
  dialect: 'well-known 0.1',
};
const effect = (policy: ServingPolicy, more: Partial<ServingFacts> = {}): string => {
  const verdict = createServingPolicy(policy)({ ...facts, ...more });
  return verdict.effect === 'refuse' ? verdict.rule : verdict.effect;
};

describe('createServingPolicy()', () => {
  test('serves everything by default, and asks for approval of everything where it is approved-only', () => {
    expect(effect({})).toBe('serve');
    expect(effect({ mode: 'open' })).toBe('serve');
    expect(effect({ mode: 'approved-only' })).toBe('approval');
  });

  test.each([
    ['digest', { digest }, { digest: `sha256:${'b'.repeat(64)}` }],
    ['origin', { origin: 'docs' }, { origin: 'doc' }],
    ['pattern', { match: 'docs/pdf-*' }, { match: 'other/pdf-*' }],
    ['pattern in any case', { match: 'PDF-Tools' }, { match: 'pdf' }],
    ['pattern of a folder', { match: 'docs/' }, { match: '/pdf-tools' }],
  ] as const)('refuses by %s, in every mode', (_, denial, other) => {
    for (const mode of ['open', 'approved-only'] as const) {
      expect(effect({ mode, deny: [other, denial] })).toBe('deny');
      expect(effect({ mode, deny: [other] })).not.toBe('deny');
    }
  });

  test('gives the reason of a denial, or says what it is about', () => {
    const verdict = (deny: ServingPolicy['deny'] & object) => createServingPolicy({ deny })(facts);
    expect(verdict([{ origin: 'docs', reason: 'INC-7' }])).toMatchObject({ reason: 'INC-7' });
    expect(verdict([{ origin: 'docs' }])).toMatchObject({ reason: 'the policy denies the origin "docs"' });
    expect([denialText({ digest }), denialText({ match: 'a' })]).toEqual([`the digest ${digest}`, 'what matches "a"']);
  });

  test('refuses by rules on what a skill is', () => {
    expect(effect({ scripts: false })).toBe('scripts');
    expect(effect({ scripts: false }, { hasScripts: false })).toBe('serve');
    expect(effect({ maxBytes: 999 })).toBe('maxBytes');
    expect(effect({ maxBytes: 1_000 })).toBe('serve');
    expect(effect({ dialects: ['skills-extension'] })).toBe('dialects');
    expect(effect({ dialects: ['well-known 0.1'] })).toBe('serve');
    expect(effect({ licences: ['MIT'] })).toBe('licences');
    expect(effect({ licences: ['MIT', 'apache-2.0 '] })).toBe('serve');
  });

  test('has a rule on licences refuse what names none, and one on forms pass what has none', () => {
    const { licence: _, dialect: __, ...bare } = facts;
    expect(createServingPolicy({ licences: ['MIT'] })(bare)).toMatchObject({ effect: 'refuse', rule: 'licences' });
    expect(createServingPolicy({ dialects: ['x'] })(bare)).toEqual({ effect: 'serve' });
  });

  test('puts rules above approval', () => {
    expect(effect({ mode: 'approved-only', scripts: false })).toBe('scripts');
  });

  test.each([
    [{}, 'serve'],
    [{ dynamic: false }, 'dynamic'],
    [{ mode: 'approved-only' }, 'dynamic'],
    [{ mode: 'approved-only', dynamic: true }, 'serve'],
  ] as const)('decides about what cannot be verified: %j is %s', (policy, expected) => {
    expect(effect(policy, { dynamic: true, digests: new Set() })).toBe(expected);
  });
});
