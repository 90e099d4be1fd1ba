/**
 * Findings report problems and remarks about skills. A *problem* prevents a skill or a file from being served. A
 * *warning* does not, but some hosts refuse the skill or read it differently. A *note* is advice. `finding-rules.ts`
 * has the rules.
 */
import { findingRules } from './finding-rules.ts';

export type FindingLevel = 'problem' | 'warning' | 'note';
export type FindingRule = keyof typeof findingRules;

/** A broken rule, or something that clients may read differently, with file, rule and remedy. */
export interface Finding {
  readonly level: FindingLevel;
  readonly rule: FindingRule;
  /** The observation, in one sentence without a final period. */
  readonly message: string;
  /** The advice, in one sentence without a final period. */
  readonly remedy: string;
  /** The file or folder, as a path that the reader can open. */
  readonly file?: string;
  /** Line in that file, from 1. */
  readonly line?: number;
  /** URI of the served skill, if there is one. */
  readonly skill?: string;
  /** Number of findings that this one represents, by level; only with `too-many-findings`. */
  readonly omitted?: FindingCounts;
}

export interface FindingPlace {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly skill?: string | undefined;
  /** A more precise remedy than that of the rule. */
  readonly remedy?: string | undefined;
}

/** Creates a finding with the level of its rule, and its remedy by default. */
export function finding(rule: FindingRule, message: string, place: FindingPlace = {}): Finding {
  const row = findingRules[rule];
  return {
    level: row.level,
    rule,
    message,
    remedy: place.remedy ?? row.remedy,
    file: place.file,
    line: place.line,
    skill: place.skill,
  };
}

/** The same finding with a place added. */
export function at(found: Finding, place: Omit<FindingPlace, 'remedy'>): Finding {
  return {
    ...found,
    ...(place.file === undefined ? {} : { file: place.file }),
    ...(place.line === undefined ? {} : { line: place.line }),
    ...(place.skill === undefined ? {} : { skill: place.skill }),
  };
}

export interface FindingCounts {
  readonly problems: number;
  readonly warnings: number;
  readonly notes: number;
}

/** Counts all findings, including those that were not listed. */
export function countFindings(findings: readonly Finding[]): FindingCounts {
  const counts = { problems: 0, warnings: 0, notes: 0 };
  for (const { level, omitted } of findings) {
    if (omitted !== undefined) {
      counts.problems += omitted.problems;
      counts.warnings += omitted.warnings;
      counts.notes += omitted.notes;
    } else if (level === 'problem') counts.problems++;
    else if (level === 'warning') counts.warnings++;
    else counts.notes++;
  }
  return counts;
}

/** Begins the names of all rules about a whole skill. The other ones are about single files, folders or servers. */
const ofWholeSkill = /^(?:skill|frontmatter|name|description)-/;

/** How many skills are not served because of a problem. Several problems of one `SKILL.md` count once. */
export function countNotServed(findings: readonly Finding[]): number {
  const skills = new Set<string>();
  for (const { level, rule, file, skill, message } of findings)
    if (level === 'problem' && ofWholeSkill.test(rule)) skills.add(file ?? `${skill} ${message}`);
  return skills.size;
}

export function totalFindings(findings: readonly Finding[]): number {
  const { problems, warnings, notes } = countFindings(findings);
  return problems + warnings + notes;
}

/** The listed findings, and one that represents the others. */
export function withRest(
  listed: readonly Finding[],
  all: readonly Finding[],
  message: (count: number) => string,
): readonly Finding[] {
  const [whole, shown] = [countFindings(all), countFindings(listed)];
  const omitted = {
    problems: whole.problems - shown.problems,
    warnings: whole.warnings - shown.warnings,
    notes: whole.notes - shown.notes,
  };
  const count = omitted.problems + omitted.warnings + omitted.notes;
  return [...listed, { ...finding('too-many-findings', message(count)), omitted }];
}
