/**
 * Rules that pin live skills as soon as they appear, and again after their pin has expired. A skill that cannot be pinned stays live, with
 * a finding.
 */
import ignore from 'ignore';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { parseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type NewPin, type PinnedSkill, pinSkill } from './pinned-skill.ts';

/** Which live skills are pinned automatically, and for how long. */
export interface PinRule {
  /** Pattern on the skill path, in the syntax of .gitignore: "mdp/shop/". */
  readonly match: string;
  /** Absent: until it is unpinned. */
  readonly forMs?: number;
}

export interface WantedSkills {
  readonly source: SkillSource;
  /** URIs of skills that are live. */
  readonly live: Iterable<string>;
  readonly pinned: readonly PinnedSkill[];
  readonly now: number;
  store(newPin: NewPin): Promise<void>;
}

/** Pins the skills that the rules match and that are not pinned yet. The last matching rule decides. */
export function createPinner(rules: readonly PinRule[]): (wanted: WantedSkills) => Promise<readonly Finding[]> {
  const matchers = rules.map((rule) => ({ rule, matcher: ignore().add(rule.match) }));

  function ruleFor(uri: string): PinRule | undefined {
    const path = parseSkillUri(uri).segments.slice(0, -1).join('/');
    return matchers.findLast(({ matcher }) => matcher.ignores(`${path}/`))?.rule;
  }

  return async ({ source, live, pinned, now, store }) => {
    const known = [...pinned];
    const wanted = [...live]
      .filter((uri) => !known.some(({ entry }) => entry.uri === uri) && ruleFor(uri) !== undefined)
      // Inner skills come first.
      .sort((a, b) => b.split('/').length - a.split('/').length);
    const findings: Finding[] = [];
    for (const uri of wanted) {
      try {
        if (known.length >= limits.pin.byRules) throw tooMany(uri);
        const forMs = ruleFor(uri)?.forMs;
        const expiresAt = forMs === undefined ? undefined : new Date(now + forMs);
        const newPin = await pinSkill(source, uri, {}, { pinned: known, now: new Date(now), expiresAt });
        const [missing] = newPin.missing;
        if (missing !== undefined) throw incomplete(uri, missing.path);
        await store(newPin);
        known.push(newPin.skill);
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        findings.push(finding('pinned-refused', `${quoteText(uri)} stays live: ${error.message}`, { skill: uri }));
      }
    }
    return findings;
  };
}

function incomplete(uri: string, path: string): SkillwireError {
  const message = `Cannot pin ${quoteText(uri)}: its file ${quoteText(path)} cannot be read.`;
  return new SkillwireError('BAD_ANSWER', message, { data: { uri, path } });
}

function tooMany(uri: string): SkillwireError {
  return new SkillwireError(
    'LIMIT_EXCEEDED',
    `Cannot pin ${quoteText(uri)}: the rules have already pinned ${limits.pin.byRules} skills. Match fewer skills.`,
    { data: { uri } },
  );
}
