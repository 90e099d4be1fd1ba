/** Where NimbleBrain's servers have their one skill, and the sentence with which they point to it. */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isSkillName } from '../../skill/name.ts';
import { buildSkillUri } from '../../skill/skill-uri.ts';

export const usageTopic = 'usage';

/** Where the chosen skill of a server is read. Throws `USAGE` for a label that is no name. */
export function usageUri(label: string): string {
  if (!isSkillName(label))
    throw new SkillwireError(
      'USAGE',
      `cannot make a usage URI for the server ${quoteText(label)}: use a-z, 0-9 and hyphens`,
    );
  return buildSkillUri([label, usageTopic]);
}

/** The sentence for `instructions`. */
export function encodeUsageInstructions(label: string): string {
  return `Read the resource ${usageUri(label)} before you use the tools of this server: it says when to use which.`;
}
