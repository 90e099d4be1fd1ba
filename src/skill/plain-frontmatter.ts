/**
 * The frontmatter that most skills have, read without a YAML parser: lines of `key: value` with the fields of the
 * specification, where the value is text for every reader. Whatever is not plainly so (other keys, blocks, escapes, values
 * that could be a number or a truth value, any fault, anything that a finding could be about) is not read here, and the
 * reader with all rules decides. What is read here is therefore what that reader gives, with no finding.
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
 * One line: a key, then text that begins with a letter, or text in quotes that holds neither quotes nor backslashes. The
 * text is printable ASCII and does not end with a blank.
 */
const line =
  /(name|description|license|compatibility): (?:([A-Za-z](?:[\x20-\x7e]*[\x21-\x39\x3b-\x7e])?)|"([\x20\x21\x23-\x5b\x5d-\x7e]*)"|'([\x20-\x26\x28-\x7e]*)')\n/y;

/** Words that some reader takes for null or a truth value. All other text that begins with a letter is text. */
const meaningful = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Reads the YAML between the fences, which begins in line 2 of the file; undefined where that takes the full reader. */
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

/** True if unquoted text is the same text for every reader: no number, no word with a meaning, no comment, no mapping. */
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
