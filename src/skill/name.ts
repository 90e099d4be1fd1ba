/**
 * Names of skills: the Agent Skills specification, read as every MCP SDK and the conformance suite read it (ASCII only).
 * Names in other scripts are valid for some validators, but their last URI segment would never equal the name byte by byte.
 */
import { limits } from '../limits.ts';

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** True for 1 to 64 characters of a-z, 0-9 and single inner hyphens. */
export function isSkillName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= limits.skill.nameLength && namePattern.test(value);
}

/** Which rule a name breaks, as a phrase that goes after "the name"; undefined for a valid name. */
export function nameFault(value: unknown): string | undefined {
  if (isSkillName(value)) return undefined;
  if (typeof value !== 'string') return 'is not text';
  if (value === '') return 'is empty';
  const length = [...value].length;
  if (length > limits.skill.nameLength)
    return `has ${length} characters; at most ${limits.skill.nameLength} are allowed`;
  if (/[A-Z]/.test(value)) return 'holds upper-case letters';
  if (/[^\p{ASCII}]/u.test(value) && /^[\p{L}\p{M}\p{N}-]+$/u.test(value))
    return 'holds letters or digits outside a-z and 0-9';
  if (/[^a-z0-9-]/.test(value)) return 'holds characters other than a-z, 0-9 and hyphens';
  if (value.startsWith('-')) return 'begins with a hyphen';
  if (value.endsWith('-')) return 'ends with a hyphen';
  return 'holds two hyphens in a row';
}

/** A valid name made from the text, or undefined if nothing of it can be kept. A long one ends with a whole word. */
export function suggestName(text: string): string | undefined {
  const most = limits.skill.nameLength;
  const slug = text
    .slice(0, 8 * limits.skill.nameLength)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  const cut = slug.slice(0, most + 1);
  const whole = slug.length > most && cut.includes('-') ? cut.slice(0, cut.lastIndexOf('-')) : cut.slice(0, most);
  const name = whole.replace(/-$/, '');
  return name === '' ? undefined : name;
}
