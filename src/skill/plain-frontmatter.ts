/**
 * Reads the frontmatter of most skills without a YAML parser: `key: value` lines with fields of the specification and
 * values that every reader takes as text. Everything else (other keys, blocks, escapes, possible numbers or booleans,
 * any fault or finding) is left to the full reader. So the result is always what the full reader returns, without
 * findings.
 */
import { limits } from '../limits.ts';
import type { Frontmatter } from './entry.ts';
import { isSkillName } from './name.ts';

export interface PlainFrontmatter {
  readonly frontmatter: Frontmatter;
  /** Line of the field `name` in the file. */
  readonly nameLine: number;
}

/**
 * A key, then text that starts with a letter, or quoted text without quotes and backslashes. The text is printable
 * ASCII without a trailing blank.
 */
const line =
  /(name|description|license|compatibility): (?:([A-Za-z](?:[\x20-\x7e]*[\x21-\x39\x3b-\x7e])?)|"([\x20\x21\x23-\x5b\x5d-\x7e]*)"|'([\x20-\x26\x28-\x7e]*)')\n/y;

/** Words that some readers take as null or a boolean. Any other text that starts with a letter is text. */
const meaningful = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Reads the YAML between the fences, which starts in line 2; `undefined` if the full reader is needed. */
export function readPlainFrontmatter(yaml: string): PlainFrontmatter | undefined {
  const fields: Record<string, string> = {};
  let nameLine = 0;
  let at = 0;
  for (let number = 2; at < yaml.length; number++) {
    line.lastIndex = at;
    const match = line.exec(yaml);
    if (match === null) return undefined;
    const [whole, key = '', plain, double, single] = match;
    if (plain !== undefined && !isText(plain)) return undefined;
    if (fields[key] !== undefined) return undefined;
    fields[key] = plain ?? double ?? single ?? '';
    if (key === 'name') nameLine = number;
    at += whole.length;
  }
  return isSound(fields) ? { frontmatter: fields, nameLine } : undefined;
}

/** True if every reader takes the unquoted value as the same text: no keyword, comment or mapping. */
function isText(plain: string): boolean {
  return !meaningful.test(plain) && !plain.includes(': ') && !plain.includes(' #');
}

function isSound(fields: Record<string, string>): fields is Frontmatter & Record<string, string> {
  const { name, description, compatibility } = fields;
  return (
    isSkillName(name) &&
    description !== undefined &&
    description.trim() !== '' &&
    description.length <= limits.skill.descriptionLength &&
    (compatibility === undefined || (compatibility !== '' && compatibility.length <= limits.skill.compatibilityLength))
  );
}
