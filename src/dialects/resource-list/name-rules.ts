/**
 * Resolves typed text like mcpc (`skills-get`), so that the same input works here. A bare name or path is a skill
 * folder, and so is a URI whose last segment has no dot. Any other URI stays unchanged.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The URI for a name, a path or a URI.
 *
 * @throws SkillwireError `USAGE` for blank text
 */
export function skillUriOfName(typed: string): string {
  const text = typed.trim();
  const found = scheme.exec(text)?.[0] ?? '';
  const path = text.slice(found.length).replace(/^\/+|\/+$/g, '');
  if (path === '')
    throw new SkillwireError('USAGE', `Cannot look for the skill ${quoteText(typed)}. Give a name, a path or a URI.`);
  if (found === '') return `skill://${path}/${skillFileName}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last.includes('.') ? text : `${found}${path}/${skillFileName}`;
}
