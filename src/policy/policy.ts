/**
 * Rules that decide about skills before a person is asked. The first rule whose conditions all hold decides; without one the
 * verdict is `ask`. Two things hold against every general rule: a skill that gives digests without sizes is refused unless a
 * rule speaks of that, and hidden text (tag and bidirectional characters) is never allowed unless a rule speaks of that, it is
 * asked about (sec:U-1, sec:U-2). Pure; what a verdict means for loading is the host's business.
 */
import { given } from '../given.ts';
import { globMatches } from './glob.ts';

export type PolicyEffect = 'allow' | 'deny' | 'ask';

export interface PolicyGrants {
  readonly execution: boolean;
  readonly allowedTools: boolean;
}

/**
 * A rule that allows, denies or asks, for the skills that match all of its conditions.
 *
 * Every condition that is named must hold; a rule without conditions holds for every skill.
 */
export interface PolicyRule {
  readonly effect: PolicyEffect;
  /** Label of the origin. `*` stands for any characters but `/`, `**` for any at all; `*` alone is every origin. */
  readonly origin?: string;
  /** URI of the `SKILL.md`, with the same stars. */
  readonly uri?: string;
  /** Digest of the set of files, as approvals have it. */
  readonly digest?: string;
  readonly hasScripts?: boolean;
  readonly asksTools?: boolean;
  readonly dynamic?: boolean;
  readonly noSize?: boolean;
  readonly hiddenText?: boolean;
  readonly local?: boolean;
  /** What `allow` gives besides loading. */
  readonly grants?: Partial<PolicyGrants>;
  readonly reason?: string;
}

/** What is known of a skill when a policy is asked. */
export interface PolicyFacts {
  readonly origin: string;
  readonly uri: string;
  /** Digest of the set of files; absent where the skill cannot be verified. */
  readonly digest?: string;
  readonly hasScripts: boolean;
  readonly asksTools: boolean;
  readonly dynamic: boolean;
  readonly noSize: boolean;
  readonly hiddenText: boolean;
  readonly local: boolean;
}

export interface PolicyVerdict {
  readonly effect: PolicyEffect;
  /** All false unless the effect is `allow`. */
  readonly grants: PolicyGrants;
  readonly reason: string;
  /** Index of the rule that held. */
  readonly rule?: number;
}

const none: PolicyGrants = { execution: false, allowedTools: false };
const flags = ['hasScripts', 'asksTools', 'dynamic', 'noSize', 'hiddenText', 'local'] as const;

export function decideByPolicy(rules: readonly PolicyRule[], facts: PolicyFacts): PolicyVerdict {
  const index = rules.findIndex((rule) => holds(rule, facts));
  const rule = rules[index];
  const where = rule === undefined ? {} : { rule: index };
  if (rule?.effect === 'deny') return { effect: 'deny', grants: none, reason: reasonOf(rule, index), ...where };
  if (facts.noSize && rule?.noSize !== true) {
    const reason = 'its origin gives digests without sizes, and no rule with "noSize": true allows that';
    return { effect: 'deny', grants: none, reason, ...where };
  }
  if (rule === undefined) return { effect: 'ask', grants: none, reason: 'no rule of the policy holds' };
  if (rule.effect === 'ask') return { effect: 'ask', grants: none, reason: reasonOf(rule, index), ...where };
  if (facts.hiddenText && rule.hiddenText !== true) {
    const reason = 'it holds hidden text, and no rule with "hiddenText": true allows that';
    return { effect: 'ask', grants: none, reason, ...where };
  }
  return { effect: 'allow', grants: { ...none, ...given(rule.grants ?? {}) }, reason: reasonOf(rule, index), ...where };
}

function holds(rule: PolicyRule, facts: PolicyFacts): boolean {
  return (
    (rule.origin === undefined || rule.origin === '*' || globMatches(rule.origin, facts.origin)) &&
    (rule.uri === undefined || globMatches(rule.uri, facts.uri)) &&
    (rule.digest === undefined || rule.digest === facts.digest) &&
    flags.every((flag) => rule[flag] === undefined || rule[flag] === facts[flag])
  );
}

function reasonOf({ effect, reason }: PolicyRule, index: number): string {
  return reason ?? `rule ${index + 1} of the policy says "${effect}"`;
}
