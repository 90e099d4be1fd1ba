/**
 * Skill names: the Agent Skills specification as every MCP SDK and the conformance suite read it (ASCII only). Some
 * validators accept other scripts, but the last URI segment would never equal the name byte by byte.
 */
import { limits } from '../limits.ts';

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** True for 1 to 64 characters of a-z, 0-9 and single inner hyphens. */
export function isSkillName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= limits.skill.nameLength && namePattern.test(value);
}

/** The rule that a name breaks, as a phrase to follow "the name"; `undefined` for a valid name. */
export function nameFault(value: unknown): string | undefined {
  if (isSkillName(value)) return undefined;
  if (typeof value !== 'string') return 'is not text';
  if (value === '') return 'is empty';
  const length = [...value].length;
  if (length > limits.skill.nameLength)
    return `has ${length} characters; at most ${limits.skill.nameLength} are allowed`;
  if (/[A-Z]/.test(value)) return 'contains upper-case letters';
  if (/[^\p{ASCII}]/u.test(value) && /^[\p{L}\p{M}\p{N}-]+$/u.test(value))
    return 'contains letters or digits other than a-z and 0-9';
  if (/[^a-z0-9-]/.test(value)) return 'contains characters other than a-z, 0-9 and hyphens';
  if (value.startsWith('-')) return 'starts with a hyphen';
  if (value.endsWith('-')) return 'ends with a hyphen';
  return 'contains two hyphens in a row';
}

/** A valid name derived from the text; `undefined` if no character is usable. A long one ends with a whole word. */
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
