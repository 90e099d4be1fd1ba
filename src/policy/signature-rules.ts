/**
 * Rules about who must have signed a skill. The first rule that matches a path of a skill applies to it. A skill with several paths must satisfy
 * the rule of each, so another name never leads to a weaker rule. Without a rule, no signature is needed. Pure; `signing/` makes the verdicts.
 */
import { pathPattern } from './path-pattern.ts';

export interface SignatureRule {
  /** Label of an origin. Absent: every origin. */
  readonly origin?: string;
  /** Pattern on the path of a skill, as in `.gitignore`. Absent: every path. */
  readonly match?: string;
  /** Names of signers, one of whom must have signed every file. Empty: no signature is needed. */
  readonly require: readonly string[];
  /** `exact`: also refuse signatures over files that are not served. Default `served`. */
  readonly covers?: 'served' | 'exact';
  /** `first-seen`: keep content that was seen before its certificate expired. Default `refuse`. */
  readonly expired?: 'refuse' | 'first-seen';
  /** `accept`: an approval stays valid if the same signer signs the same content again. Default `ask`. */
  readonly resigned?: 'ask' | 'accept';
}

/** A verdict, in the terms of the rules. */
export interface SignatureFacts {
  readonly state: 'unsigned' | 'unsupported' | 'invalid' | 'untrusted' | 'mismatch' | 'partial' | 'signed';
  /** Names of the trusted signers that match. */
  readonly signers: readonly string[];
  /** Some signed files are not served. */
  readonly unserved: boolean;
  /** It counts only because it was seen before it expired. */
  readonly expired: boolean;
  /** The state, the step and the reason, for people. */
  readonly text: string;
}

export interface SignedSkillPaths {
  readonly origin: string;
  readonly paths: readonly string[];
}

export function createSignatureRules(rules: readonly SignatureRule[]) {
  const rows = rules.map((rule) => ({
    rule,
    matches: rule.match === undefined ? (): boolean | undefined => true : pathPattern(rule.match),
  }));

  function ruleFor(origin: string, path: string): SignatureRule | undefined {
    for (const { rule, matches } of rows) {
      if (rule.origin !== undefined && rule.origin !== origin) continue;
      // A path that no pattern can be tried on is not exempted by one.
      if (matches(path) ?? rule.require.length > 0) return rule;
    }
    return undefined;
  }

  /** The rules of all paths that need a signature. */
  function rulesFor({ origin, paths }: SignedSkillPaths): readonly SignatureRule[] {
    if (rows.length === 0) return [];
    const found = new Set<SignatureRule>();
    for (const path of paths) {
      const rule = ruleFor(origin, path);
      if (rule !== undefined && rule.require.length > 0) found.add(rule);
    }
    return [...found];
  }

  return {
    needsSignature: (place: SignedSkillPaths): boolean => rulesFor(place).length > 0,
    /** Why a skill is refused; `undefined` if every rule accepts it. */
    fault(place: SignedSkillPaths, facts: SignatureFacts): string | undefined {
      for (const rule of rulesFor(place)) {
        const fault = faultOf(rule, facts);
        if (fault !== undefined) return `it must be signed by ${rule.require.join(' or ')}: ${fault}`;
      }
      return undefined;
    },
    /** Whether an approval covers the same content with a new signature of the same signer. */
    acceptsResigned(place: SignedSkillPaths): boolean {
      const all = rulesFor(place);
      return all.length > 0 && all.every(({ resigned }) => resigned === 'accept');
    },
  };
}

export type SignatureRules = ReturnType<typeof createSignatureRules>;

function faultOf({ require, covers, expired }: SignatureRule, facts: SignatureFacts): string | undefined {
  if (facts.state !== 'signed') return facts.text;
  if (!require.some((name) => facts.signers.includes(name))) return `it is ${facts.text}`;
  if (facts.expired && expired !== 'first-seen') return 'its certificate, or the trust in its signer, has expired';
  if (facts.unserved && covers === 'exact') return 'some of its signed files are not served';
  return undefined;
}
