import { describe, expect, test } from 'vitest';
import { decideByPolicy, type PolicyFacts, type PolicyRule } from './policy.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const facts: PolicyFacts = {
  origin: 'acme',
  uri: 'skill://acme/refunds/SKILL.md',
  digest,
  hasScripts: false,
  requestsTools: false,
  dynamic: false,
  noSize: false,
  hiddenText: false,
  local: false,
};
const none = { execution: false, allowedTools: false };

describe('decideByPolicy()', () => {
  test('asks if no rule matches', () => {
    const verdict = { effect: 'ask', grants: none, reason: 'no rule of the policy matches' };
    expect(decideByPolicy([], facts)).toEqual(verdict);
    expect(decideByPolicy([{ effect: 'allow', origin: 'other' }], facts)).toEqual(verdict);
  });

  test('a denial matches by content, a permission only by the set', () => {
    const contentDigest = `sha256:${'b'.repeat(64)}`;
    const effects = (['deny', 'allow', 'ask'] as const).map(
      (effect) => decideByPolicy([{ effect, digest: contentDigest }], { ...facts, contentDigest }).rule,
    );
    expect(effects).toEqual([0, undefined, undefined]);
  });

  test('uses the first matching rule, and names it', () => {
    const rules: PolicyRule[] = [
      { effect: 'deny', origin: 'other' },
      { effect: 'allow', origin: 'acme', reason: 'ours' },
      { effect: 'deny' },
    ];
    expect(decideByPolicy(rules, facts)).toEqual({ effect: 'allow', grants: none, reason: 'ours', rule: 1 });
    expect(decideByPolicy(rules, { ...facts, origin: 'third' })).toEqual({
      effect: 'deny',
      grants: none,
      reason: 'rule 3 of the policy says "deny"',
      rule: 2,
    });
  });

  test.each<[condition: Partial<PolicyRule>, other: Partial<PolicyFacts>]>([
    [{ origin: 'ac*' }, { origin: 'bacme' }],
    [{ origin: 'acme' }, { origin: 'acme2' }],
    [{ uri: 'skill://acme/**' }, { uri: 'skill://acme2/x/SKILL.md' }],
    [{ uri: 'skill://acme/*/SKILL.md' }, { uri: 'skill://acme/a/b/SKILL.md' }],
    [{ digest }, { digest: `sha256:${'b'.repeat(64)}` }],
    [{ hasScripts: false }, { hasScripts: true }],
    [{ requestsTools: false }, { requestsTools: true }],
    [{ dynamic: false }, { dynamic: true }],
    [{ hiddenText: false }, { hiddenText: true }],
    [{ local: false }, { local: true }],
  ])('applies a rule with %j, but not to a skill with %j', (condition, other) => {
    const rules: PolicyRule[] = [{ effect: 'allow', ...condition }];
    expect(decideByPolicy(rules, facts).effect).toBe('allow');
    expect(decideByPolicy(rules, { ...facts, ...other })).toMatchObject({ effect: 'ask' });
    expect(decideByPolicy(rules, { ...facts, ...other }).rule).toBeUndefined();
  });

  test('requires all conditions of a rule', () => {
    const rules: PolicyRule[] = [{ effect: 'allow', origin: 'acme', local: true }];
    expect(decideByPolicy(rules, facts).effect).toBe('ask');
    expect(decideByPolicy(rules, { ...facts, local: true }).effect).toBe('allow');
  });

  test('does not apply a rule with a digest to a skill that has none', () => {
    const { digest: _, ...unverifiable } = facts;
    expect(decideByPolicy([{ effect: 'allow', digest }], { ...unverifiable, dynamic: true }).effect).toBe('ask');
  });

  test('matches every origin with a single "*", and stars in addresses up to a slash', () => {
    const remote = { ...facts, origin: 'mcp:https://evil.test/a.example.com/mcp' };
    expect(decideByPolicy([{ effect: 'allow', origin: '*' }], remote).effect).toBe('allow');
    expect(decideByPolicy([{ effect: 'allow', origin: 'mcp:**' }], remote).effect).toBe('allow');
    expect(decideByPolicy([{ effect: 'allow', origin: 'mcp:https://*.example.com/mcp' }], remote).effect).toBe('ask');
  });

  test('grants what the allowing rule grants, and nothing otherwise', () => {
    const grants = { execution: true };
    expect(decideByPolicy([{ effect: 'allow', grants }], facts).grants).toEqual({
      execution: true,
      allowedTools: false,
    });
    expect(decideByPolicy([{ effect: 'ask', grants }], facts).grants).toEqual(none);
    expect(decideByPolicy([{ effect: 'deny', grants }], facts).grants).toEqual(none);
    expect(decideByPolicy([{ effect: 'allow', grants }], { ...facts, hiddenText: true }).grants).toEqual(none);
    expect(decideByPolicy([{ effect: 'allow', grants }], { ...facts, noSize: true }).grants).toEqual(none);
  });

  test('refuses digests without sizes unless a rule mentions them', () => {
    const noSize = { ...facts, noSize: true };
    for (const rules of [[], [{ effect: 'allow' }], [{ effect: 'ask' }], [{ effect: 'allow', noSize: false }]] as const)
      expect(decideByPolicy(rules, noSize)).toMatchObject({ effect: 'deny', reason: expect.stringContaining('sizes') });
    expect(decideByPolicy([{ effect: 'allow', noSize: true }], noSize).effect).toBe('allow');
    expect(decideByPolicy([{ effect: 'ask', noSize: true }], noSize).effect).toBe('ask');
  });

  test('asks about hidden text unless a rule allows it by name', () => {
    const hidden = { ...facts, hiddenText: true };
    expect(decideByPolicy([{ effect: 'allow', origin: 'acme' }], hidden)).toMatchObject({ effect: 'ask', rule: 0 });
    expect(decideByPolicy([{ effect: 'allow', hiddenText: true }], hidden).effect).toBe('allow');
    expect(decideByPolicy([{ effect: 'deny' }], hidden).effect).toBe('deny');
    expect(decideByPolicy([{ effect: 'allow', hiddenText: true }], { ...hidden, noSize: true }).effect).toBe('deny');
  });
});
