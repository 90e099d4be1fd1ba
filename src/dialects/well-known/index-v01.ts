/**
 * The index of v0.1 (`/.well-known/skills/index.json`), as we publish it: no `$schema`, `files` in every entry with `SKILL.md`
 * first. Strict, because popular readers drop the whole document for one entry that breaks a rule.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { namedFaults } from './entry-fields.ts';
import { fileListFaults } from './file-list.ts';

export interface WellKnownEntryV01 {
  readonly name: string;
  readonly description: string;
  /** Every file of the skill, in any order. */
  readonly files: readonly string[];
}

/** One line of the document, without its comma. */
export function encodeEntryV01(entry: WellKnownEntryV01): string {
  const { name, description, files } = entry;
  const faults = [...namedFaults(entry, '0.1'), ...fileListFaults(files)].map(({ message }) => message);
  if (faults.length > 0)
    throw new SkillwireError('INVALID_SKILL', `cannot publish the skill ${quoteText(name)}: ${faults.join('; ')}`, {
      data: { name, faults },
    });
  return JSON.stringify({ name, description, files: skillMdFirst(files) });
}

/** Sorted by code unit, with `SKILL.md` before all others. */
export function skillMdFirst(files: readonly string[]): readonly string[] {
  return [skillFileName, ...files.filter((file) => file !== skillFileName).sort()];
}

const encoder = new TextEncoder();

/** The document of entries that were encoded one by one. */
export function joinIndexV01(lines: readonly string[]): Uint8Array {
  return encoder.encode(`{"skills":[\n${lines.join(',\n')}\n]}\n`);
}

/** @internal for servers in tests */
export function encodeIndexV01(entries: readonly WellKnownEntryV01[]): Uint8Array {
  return joinIndexV01(entries.map(encodeEntryV01));
}
