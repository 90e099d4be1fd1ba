/**
 * Rules by which live skills are frozen as soon as they are seen, and anew when their time has ended. What cannot be frozen is a
 * finding, and stays live.
 */
import ignore from 'ignore';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { parseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type Freezing, type FrozenSkill, freezeSkill } from './frozen-skill.ts';

export interface FreezeRule {
  /** Pattern on the skill path, in the syntax of .gitignore: "mdp/shop/". */
  readonly match: string;
  /** For how long; absent: until it is unfrozen. */
  readonly forMs?: number;
}

export interface WantedSkills {
  readonly source: SkillSource;
  /** URIs of skills that are live. */
  readonly live: Iterable<string>;
  readonly frozen: readonly FrozenSkill[];
  readonly now: number;
  keep(freezing: Freezing): Promise<void>;
}

/** Freezes what the rules want and is not frozen; of rules that match one skill the last decides. */
export function createFreezer(rules: readonly FreezeRule[]): (wanted: WantedSkills) => Promise<readonly Finding[]> {
  const matchers = rules.map((rule) => ({ rule, matcher: ignore().add(rule.match) }));

  function ruleFor(uri: string): FreezeRule | undefined {
    const path = parseSkillUri(uri).segments.slice(0, -1).join('/');
    return matchers.findLast(({ matcher }) => matcher.ignores(`${path}/`))?.rule;
  }

  return async ({ source, live, frozen, now, keep }) => {
    const known = [...frozen];
    const wanted = [...live]
      .filter((uri) => !known.some(({ entry }) => entry.uri === uri) && ruleFor(uri) !== undefined)
      // What is inside comes before what is around it.
      .sort((a, b) => b.split('/').length - a.split('/').length);
    const findings: Finding[] = [];
    for (const uri of wanted) {
      try {
        if (known.length >= limits.freeze.byRules) throw tooMany(uri);
        const forMs = ruleFor(uri)?.forMs;
        const until = forMs === undefined ? {} : { expiresAt: new Date(now + forMs) };
        const freezing = await freezeSkill(source, uri, {}, { frozen: known, now: new Date(now), ...until });
        await keep(freezing);
        known.push(freezing.skill);
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        findings.push(finding('frozen-refused', `${quoteText(uri)} stays live: ${error.message}`, { skill: uri }));
      }
    }
    return findings;
  };
}

function tooMany(uri: string): SkillwireError {
  return new SkillwireError(
    'LIMIT_EXCEEDED',
    `cannot freeze ${quoteText(uri)}: ${limits.freeze.byRules} skills are frozen already, which is the limit for rules`,
    { data: { uri } },
  );
}
