/**
 * Findings: what is wrong, or merely notable, about skills. A *problem* keeps a skill (or one file) from being served, a
 * *warning* is served but some hosts refuse it or read it differently, a *note* is advice. Rules live in
 * `finding-rules.ts`; a finding names its rule, the place, what is there and what to do.
 */
import { findingRules } from './finding-rules.ts';

export type FindingLevel = 'problem' | 'warning' | 'note';
export type FindingRule = keyof typeof findingRules;

/** Something that a skill breaks or that clients may read differently, with file, rule and remedy. */
export interface Finding {
  readonly level: FindingLevel;
  readonly rule: FindingRule;
  /** What is there, in one sentence without a final period. */
  readonly message: string;
  /** What to do about it, in one sentence without a final period. */
  readonly remedy: string;
  /** The file or folder, as a path that the reader can open. */
  readonly file?: string;
  /** Line in that file, counted from 1. */
  readonly line?: number;
  /** URI of the skill that is concerned, where one is served. */
  readonly skill?: string;
  /** How many findings this one stands for, by level; only with `too-many-findings`. */
  readonly omitted?: FindingCounts;
}

export interface FindingPlace {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly skill?: string | undefined;
  /** Replaces the remedy of the rule's row where a more precise one is known. */
  readonly remedy?: string | undefined;
}

/** Makes a finding; level and default remedy come from the rule's row. */
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

/** The same finding at a place that its maker did not know. */
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

/** All findings, also those that are not listed one by one. */
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

export function totalFindings(findings: readonly Finding[]): number {
  const { problems, warnings, notes } = countFindings(findings);
  return problems + warnings + notes;
}

/** The findings that are listed, and one that stands for the rest of all. */
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
