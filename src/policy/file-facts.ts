/**
 * Facts from the bytes of one file, for rules about content: whether a client would run something, and the license that a `SKILL.md`
 * names. Rules judge these facts because an entry contains only the claims of its origin. Pure.
 */
import { skillFileName } from '../skill/entry.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import { executionFieldsOf, isMarkdown, shellLines } from '../skill/runs-code.ts';

export interface TextFacts {
  /** Why it counts as a script, whatever its name. */
  readonly runs?: string;
  /** Of a `SKILL.md` with frontmatter that can be used: its field `license`. */
  readonly head?: { readonly license?: string };
}

/** `unreadable`: a text that is not UTF-8. */
export type ReadText = TextFacts | 'unreadable';

/** One file of a skill. A field is absent if it is not known yet. */
export interface FileFacts {
  /** Decoded, relative to the skill. */
  readonly path: string;
  readonly size?: number | undefined;
  readonly digest?: string | undefined;
  /** Whether its origin calls it executable. */
  readonly executable?: boolean;
  /** From its bytes. */
  readonly text?: ReadText | undefined;
}

const nothing: TextFacts = {};

export function readText(path: string, bytes: Uint8Array): ReadText {
  if (bytes[0] === 0x23 && bytes[1] === 0x21) return { runs: 'it begins with "#!"' };
  if (!isMarkdown(path)) return nothing;
  const text = decodeUtf8(bytes);
  if (text === undefined) return 'unreadable';
  const [line] = shellLines(path, text);
  const runs = line === undefined ? undefined : `it has a command that clients run: ${line}`;
  const reading = isSkillFile(path) ? readFrontmatter(bytes) : undefined;
  if (reading?.ok !== true) return runs === undefined ? nothing : { runs };
  const [field] = executionFieldsOf(reading);
  const why = runs ?? (field === undefined ? undefined : `its field "${field}" runs something`);
  const { license } = reading.frontmatter;
  return {
    runs: why,
    head: typeof license === 'string' ? { license } : {},
  };
}

/** The text of a skill, be it this one or one inside it. */
export function isSkillFile(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase() === skillFileName.toLowerCase();
}
