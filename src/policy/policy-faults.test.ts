import { expect, test } from 'vitest';
import type { PolicyRule } from './policy.ts';
import { policyRuleFaults } from './policy-faults.ts';

test('policyRuleFaults() finds nothing in a policy that uses every key', () => {
  const rules: readonly PolicyRule[] = [
    {
      effect: 'allow',
      origin: 'acme',
      uri: 'skill://**',
      digest: `sha256:${'0'.repeat(64)}`,
      hasScripts: false,
      requestsTools: false,
      dynamic: false,
      noSize: false,
      hiddenText: false,
      local: false,
      grants: { execution: true, allowedTools: false },
      reason: 'ours',
    },
    { effect: 'ask' },
  ];
  expect(policyRuleFaults(rules)).toEqual([]);
  expect(policyRuleFaults([])).toEqual([]);
});

test.each<[rules: unknown, fault: string]>([
  [{}, 'the policy is not a list of rules'],
  [null, 'the policy is not a list of rules'],
  [['allow'], 'rule [0] is not an object'],
  [[{}], 'rule [0].effect is not "allow", "deny" or "ask"'],
  [[{ effect: 'permit' }], 'rule [0].effect is not "allow", "deny" or "ask"'],
  [[{ effect: 'ask' }, { effect: 'deny', orgin: 'x' }], 'rule [1] has the unknown key "orgin"'],
  [[{ effect: 'deny', origin: 1 }], 'rule [0].origin is not text'],
  [[{ effect: 'deny', origin: '' }], 'rule [0].origin is empty'],
  [[{ effect: 'deny', uri: 'x'.repeat(2000) }], 'rule [0].uri has more than 1024 characters'],
  [[{ effect: 'deny', digest: 'sha256:00' }], 'rule [0].digest is not "sha256:" and 64 lower-case hexadecimal digits'],
  [[{ effect: 'deny', local: 'yes' }], 'rule [0].local is not true or false'],
  [[{ effect: 'allow', grants: true }], 'rule [0].grants is not an object'],
  [[{ effect: 'allow', grants: { exec: true } }], 'rule [0].grants has the unknown key "exec"'],
  [[{ effect: 'allow', grants: { execution: 1 } }], 'rule [0].grants.execution is not true or false'],
  [[{ effect: 'ask', grants: {} }], 'rule [0].grants has no meaning without "effect": "allow"'],
  [[{ effect: 'deny', reason: 1 }], 'rule [0].reason is not text'],
  [Array(1001).fill({ effect: 'ask' }), 'the policy has more than 1000 rules'],
])('policyRuleFaults() refuses %j', (rules, fault) => {
  expect(policyRuleFaults(rules)).toEqual([fault]);
});

test('policyRuleFaults() reports a limited number of faults', () => {
  const faults = policyRuleFaults(Array(50).fill({}));
  expect(faults.length).toBe(21);
  expect(faults.at(-1)).toBe('30 more faults');
});
