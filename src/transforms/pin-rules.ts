/**
 * Rules by which live skills are pinned as soon as they are seen, and anew when their time has ended. What cannot be pinned is a
 * finding, and stays live.
 */
import ignore from 'ignore';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { parseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type NewPin, type PinnedSkill, pinSkill } from './pinned-skill.ts';

/** Live skills that are pinned by themselves, and for how long. */
export interface PinRule {
  /** Pattern on the skill path, in the syntax of .gitignore: "mdp/shop/". */
  readonly match: string;
  /** For how long; absent: until it is unpinned. */
  readonly forMs?: number;
}

export interface WantedSkills {
  readonly source: SkillSource;
  /** URIs of skills that are live. */
  readonly live: Iterable<string>;
  readonly pinned: readonly PinnedSkill[];
  readonly now: number;
  keep(newPin: NewPin): Promise<void>;
}

/** Pins what the rules want and is not pinned; of rules that match one skill the last decides. */
export function createPinner(rules: readonly PinRule[]): (wanted: WantedSkills) => Promise<readonly Finding[]> {
  const matchers = rules.map((rule) => ({ rule, matcher: ignore().add(rule.match) }));

  function ruleFor(uri: string): PinRule | undefined {
    const path = parseSkillUri(uri).segments.slice(0, -1).join('/');
    return matchers.findLast(({ matcher }) => matcher.ignores(`${path}/`))?.rule;
  }

  return async ({ source, live, pinned, now, keep }) => {
    const known = [...pinned];
    const wanted = [...live]
      .filter((uri) => !known.some(({ entry }) => entry.uri === uri) && ruleFor(uri) !== undefined)
      // What is inside comes before what is around it.
      .sort((a, b) => b.split('/').length - a.split('/').length);
    const findings: Finding[] = [];
    for (const uri of wanted) {
      try {
        if (known.length >= limits.pin.byRules) throw tooMany(uri);
        const forMs = ruleFor(uri)?.forMs;
        const until = forMs === undefined ? {} : { expiresAt: new Date(now + forMs) };
        const newPin = await pinSkill(source, uri, {}, { pinned: known, now: new Date(now), ...until });
        const [lost] = newPin.missing;
        if (lost !== undefined) throw incomplete(uri, lost.path);
        await keep(newPin);
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
  const message = `cannot pin ${quoteText(uri)}: ${quoteText(path)} cannot be read, and a rule pins no part of a skill`;
  return new SkillwireError('BAD_ANSWER', message, { data: { uri, path } });
}

function tooMany(uri: string): SkillwireError {
  return new SkillwireError(
    'LIMIT_EXCEEDED',
    `cannot pin ${quoteText(uri)}: ${limits.pin.byRules} skills are pinned already, which is the limit for rules`,
    { data: { uri } },
  );
}
