/**
 * What the names of entries mean, remembered: few names occur in most folders ("SKILL.md", "references"), so they are looked
 * into once, and each is kept in memory once.
 */
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type FileName, foldName, parseFileName } from '../../skill/file-path.ts';
import { withheldName } from './publish-rules.ts';

type Never = ReturnType<typeof withheldName>;

export interface EntryName {
  readonly name: string;
  readonly parsed: FileName;
  /** Form in which names are compared that a disk may not keep apart. */
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
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const made = lookInto(name);
    if (known.size < limits.scan.knownNames) known.set(name, made);
    return made;
  };
}

const skillFileFold = skillFileName.toLowerCase();

function lookInto(name: string): EntryName {
  const parsed = parseFileName(name);
  return {
    name,
    parsed,
    fold: foldName(parsed.ok ? parsed.name : name),
    neverAsFile: withheldName(name, false),
    neverAsFolder: withheldName(name, true),
    isSkillFile: name.toLowerCase() === skillFileFold,
  };
}
