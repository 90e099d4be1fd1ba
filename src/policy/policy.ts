/**
 * Rules that decide about skills before a person is asked. The first rule whose conditions all match decides; without one the verdict is
 * `ask`. Two exceptions override general rules, unless a rule names them. A skill with digests but no sizes is refused. Hidden text (tag
 * and bidirectional characters) is asked about and never allowed (sec:U-1, sec:U-2). Pure; the host library applies the verdict.
 */
import { definedFields } from '../defined-fields.ts';

export type PolicyEffect = 'allow' | 'deny' | 'ask';

export interface PolicyGrants {
  readonly execution: boolean;
  readonly allowedTools: boolean;
}

/**
 * A rule that allows, denies or asks, for the skills that match all of its conditions.
 *
 * Every named condition must match. A rule without conditions matches every skill.
 */
export interface PolicyRule {
  readonly effect: PolicyEffect;
  /** Label of the origin. `*` stands for any characters but `/`, `**` for any at all; `*` alone is every origin. */
  readonly origin?: string;
  /** URI of the `SKILL.md`, with the same stars. */
  readonly uri?: string;
  /** Digest of the set of files, as approvals have it. A rule that denies also matches the content digest. */
  readonly digest?: string;
  readonly hasScripts?: boolean;
  readonly requestsTools?: boolean;
  readonly dynamic?: boolean;
  readonly noSize?: boolean;
  readonly hiddenText?: boolean;
  readonly local?: boolean;
  /** Permissions of `allow` besides loading. */
  readonly grants?: Partial<PolicyGrants>;
  readonly reason?: string;
}

/** The facts about a skill that a policy judges. */
export interface PolicyFacts {
  readonly origin: string;
  readonly uri: string;
  /** Digest of the set of files; absent if the skill cannot be verified. */
  readonly digest?: string;
  /** Digest of paths and files without the signature. */
  readonly contentDigest?: string;
  readonly hasScripts: boolean;
  readonly requestsTools: boolean;
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
  /** Index of the rule that matched. */
  readonly rule?: number;
}

const none: PolicyGrants = { execution: false, allowedTools: false };
const flags = ['hasScripts', 'requestsTools', 'dynamic', 'noSize', 'hiddenText', 'local'] as const;

export function decideByPolicy(rules: readonly PolicyRule[], facts: PolicyFacts): PolicyVerdict {
  const index = rules.findIndex((rule) => matches(rule, facts));
  const rule = rules[index];
  const where = rule === undefined ? {} : { rule: index };
  if (rule?.effect === 'deny') return { effect: 'deny', grants: none, reason: reasonOf(rule, index), ...where };
  if (facts.noSize && rule?.noSize !== true) {
    const reason = 'its origin gives digests without sizes, and no rule with "noSize": true allows that';
    return { effect: 'deny', grants: none, reason, ...where };
  }
  if (rule === undefined) return { effect: 'ask', grants: none, reason: 'no rule of the policy matches' };
  if (rule.effect === 'ask') return { effect: 'ask', grants: none, reason: reasonOf(rule, index), ...where };
  if (facts.hiddenText && rule.hiddenText !== true) {
    const reason = 'it contains hidden text, and no rule with "hiddenText": true allows that';
    return { effect: 'ask', grants: none, reason, ...where };
  }
  return {
    effect: 'allow',
    grants: { ...none, ...definedFields(rule.grants ?? {}) },
    reason: reasonOf(rule, index),
    ...where,
  };
}

function matches(rule: PolicyRule, facts: PolicyFacts): boolean {
  return (
    (rule.origin === undefined || rule.origin === '*' || globMatches(rule.origin, facts.origin)) &&
    (rule.uri === undefined || globMatches(rule.uri, facts.uri)) &&
    (rule.digest === undefined || digestMatches(rule.effect, rule.digest, facts)) &&
    flags.every((flag) => rule[flag] === undefined || rule[flag] === facts[flag])
  );
}

/** An approval is bound to the set; a denial must not end because somebody signed the same content again. */
function digestMatches(effect: PolicyEffect, digest: string, facts: PolicyFacts): boolean {
  return digest === facts.digest || (effect === 'deny' && digest === facts.contentDigest);
}

function reasonOf({ effect, reason }: PolicyRule, index: number): string {
  return reason ?? `rule ${index + 1} of the policy says "${effect}"`;
}

/**
 * Matches a pattern of a policy: `*` matches any characters except `/`, `**` any characters. Takes time in proportion to both lengths,
 * whatever the pattern: it follows all possible positions at once and never backtracks.
 */
export function globMatches(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*+|[^*]|\*/gu) ?? [];
  let places = new Set([0]);
  for (const character of text) {
    const next = new Set<number>();
    for (const place of afterStars(tokens, places)) {
      const token = tokens[place] ?? '';
      if (token.startsWith('**') || (token === '*' && character !== '/')) next.add(place);
      else if (token === character && token !== '*') next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return afterStars(tokens, places).has(tokens.length);
}

/** A star may match nothing, so the positions behind it are reached too. */
function afterStars(tokens: readonly string[], places: ReadonlySet<number>): Set<number> {
  const reached = new Set(places);
  for (const place of reached) if (tokens[place]?.startsWith('*') === true) reached.add(place + 1);
  return reached;
}
