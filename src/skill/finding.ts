/**
 * Findings: what is wrong, or merely notable, about skills. A *problem* keeps a skill (or one file) from being served, a
 * *warning* is served but some hosts refuse it or read it differently, a *note* is advice. Rules live in
 * `finding-rules.ts`; a finding names its rule, the place, what is there and what to do.
 */
import { findingRules } from './finding-rules.ts';

export type FindingLevel = 'problem' | 'warning' | 'note';
export type FindingRule = keyof typeof findingRules;

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
    ...(place.file === undefined ? {} : { file: place.file }),
    ...(place.line === undefined ? {} : { line: place.line }),
    ...(place.skill === undefined ? {} : { skill: place.skill }),
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

export function countFindings(findings: readonly Finding[]): FindingCounts {
  const counts = { problems: 0, warnings: 0, notes: 0 };
  for (const { level } of findings) {
    if (level === 'problem') counts.problems++;
    else if (level === 'warning') counts.warnings++;
    else counts.notes++;
  }
  return counts;
}
