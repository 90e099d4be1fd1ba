/**
 * How mcpc (`skills-get`) makes a URI of what a person typed, so that the same words work here: a bare name or path is
 * the folder of a skill, a URI whose last segment has no dot is one too, and every other URI is taken as it is.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The URI that a name, a path or a URI stands for.
 *
 * @throws SkillwireError `USAGE` for a blank text.
 */
export function skillUriOfName(typed: string): string {
  const text = typed.trim();
  const found = scheme.exec(text)?.[0] ?? '';
  const path = text.slice(found.length).replace(/^\/+|\/+$/g, '');
  if (path === '')
    throw new SkillwireError(
      'USAGE',
      `cannot look for the skill ${quoteText(typed)}: name a skill, its path or its URI`,
    );
  if (found === '') return `skill://${path}/${skillFileName}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last.includes('.') ? text : `${found}${path}/${skillFileName}`;
}
