/**
 * Caches what entry names mean. Few names occur in most folders ("SKILL.md", "references"), so each is analyzed once
 * and stored once.
 */
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type FileName, foldName, parseFileName } from '../../skill/file-path.ts';
import { unpublishedName } from './publish-rules.ts';

type Never = ReturnType<typeof unpublishedName>;

export interface EntryName {
  readonly name: string;
  readonly parsed: FileName;
  /** The form for comparing names that a disk may not distinguish. */
  readonly fold: string;
  readonly neverAsFile: Never;
  readonly neverAsFolder: Never;
  /** `SKILL.md` in any spelling. */
  readonly isSkillFile: boolean;
}

export type EntryNames = (name: string) => EntryName;

export function createEntryNames(): EntryNames {
  const known = new Map<string, EntryName>();
  return (name) => {
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const made = analyze(name);
    if (known.size < limits.scan.knownNames) known.set(name, made);
    return made;
  };
}

const skillFileFold = skillFileName.toLowerCase();

function analyze(name: string): EntryName {
  const parsed = parseFileName(name);
  return {
    name,
    parsed,
    fold: foldName(parsed.ok ? parsed.name : name),
    neverAsFile: unpublishedName(name, false),
    neverAsFolder: unpublishedName(name, true),
    isSkillFile: name.toLowerCase() === skillFileFold,
  };
}
