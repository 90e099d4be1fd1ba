/**
 * Names in dialects that never checked them: folder names or frontmatter values. A name that cannot be a URI segment is
 * refused; one that Agent Skills does not allow is accepted with a remark.
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { segmentFault } from '../skill/file-path.ts';
import { nameFault } from '../skill/name.ts';
import { type Remark, remark } from './skills-extension/remark.ts';

/** Why a text cannot name a skill at all, as a phrase to follow "the name". */
export function legacyNameFault(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'is not text';
  if (name.length > limits.path.segmentBytes)
    return `has ${name.length} characters; at most ${limits.path.segmentBytes} are allowed`;
  return segmentFault(name);
}

/** The remark about a name that Agent Skills does not allow. */
export function nameRemark(name: string, uri: string): Remark | undefined {
  const fault = nameFault(name);
  return fault === undefined ? undefined : remark('S-11', `the name ${quoteText(name)} ${fault}`, uri);
}
