/**
 * Checks policy rules from JSON. Keys are strict: a misspelled condition would make a rule apply to more skills than its author meant.
 */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { fieldPath } from '../skill/json.ts';

const flag = z.boolean({ error: 'is not true or false' }).optional();
const pattern = z
  .string({ error: 'is not text' })
  .min(1, { error: 'is empty' })
  .max(limits.policy.patternCharacters, { error: `has more than ${limits.policy.patternCharacters} characters` });

const rule = z
  .strictObject(
    {
      effect: z.enum(['allow', 'deny', 'ask'], { error: 'is not "allow", "deny" or "ask"' }),
      origin: pattern.optional(),
      uri: pattern.optional(),
      digest: z.custom<string>(isDigest, { error: 'is not "sha256:" and 64 lower-case hexadecimal digits' }).optional(),
      hasScripts: flag,
      requestsTools: flag,
      dynamic: flag,
      noSize: flag,
      hiddenText: flag,
      local: flag,
      grants: z.strictObject({ execution: flag, allowedTools: flag }, { error: 'is not an object' }).optional(),
      reason: z.string({ error: 'is not text' }).optional(),
    },
    { error: 'is not an object' },
  )
  .refine(({ effect, grants }) => grants === undefined || effect === 'allow', {
    error: 'has no meaning without "effect": "allow"',
    path: ['grants'],
  });

const policy = z
  .array(rule, { error: 'is not a list of rules' })
  .max(limits.policy.rules, { error: `has more than ${limits.policy.rules} rules` });

/** The faults of a list of rules, one phrase each; empty exactly for `readonly PolicyRule[]`. */
export function policyRuleFaults(rules: unknown): readonly string[] {
  const result = policy.safeParse(rules);
  if (result.success) return [];
  const faults = result.error.issues.flatMap((issue) => {
    const steps = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code !== 'unrecognized_keys') return [`${named(steps)} ${issue.message}`];
    return issue.keys.map((key) => `${named(steps)} has the unknown key ${quoteText(key)}`);
  });
  const most = limits.configuration.faults;
  return faults.length <= most ? faults : [...faults.slice(0, most), `${faults.length - most} more faults`];
}

function named(steps: readonly (string | number)[]): string {
  const path = fieldPath(steps);
  return path === '' ? 'the policy' : `rule ${path}`;
}
