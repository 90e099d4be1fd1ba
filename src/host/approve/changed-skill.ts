/** What changed from one version of a skill to another, as data. Made by `skill-change.ts`. */
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import type { KnownTexts } from './skill-asks.ts';
import type { TextDiff } from './text-diff.ts';

export interface SkillVersion {
  readonly entry: SkillEntry;
  readonly texts?: KnownTexts;
}

export interface FileChange {
  readonly uri: string;
  readonly path: string;
  readonly script: boolean;
  /** The origin says so, of the newest version that has the file. */
  readonly executable: boolean;
  readonly executableChanged?: boolean;
  readonly diff?: TextDiff;
  readonly sizeBefore?: number;
  readonly sizeAfter?: number;
  /** The text of every side that exists is known. */
  readonly textKnown: boolean;
}

export interface FieldChange {
  /** Path of the field, for example `metadata.version`. */
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What differs between two versions of a skill. */
export interface SkillChange {
  readonly added: readonly FileChange[];
  readonly removed: readonly FileChange[];
  /** Other bytes, or executable now and not before. */
  readonly changed: readonly FileChange[];
  readonly frontmatter: readonly FieldChange[];
  readonly allowedTools: ListChange;
  readonly executionFields: ListChange;
  readonly newHosts: readonly string[];
  readonly nested: ListChange;
  /** Plain sentences, the riskiest first. */
  readonly summary: readonly string[];
}
