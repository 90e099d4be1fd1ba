/**
 * Skill URIs in the `instructions` of a server. A mention is not yet a skill: `skills/get` confirms it in the final
 * extension, reading it in other dialects. Web links are ignored.
 */
import { limits } from '../limits.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';

const schemeEnd = /[a-z][a-z0-9+.-]*$/i;
const endOfUri = /[\s"'`<>()[\]{}|\\^]/;
const webSchemes = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'mailto']);

export interface MentionedUri {
  readonly uri: string;
  /** True if it ends with `/SKILL.md`; others are below `skill://`. */
  readonly skillFile: boolean;
}

/** Each URI once, in the order of the text. */
export function mentionedUris(text: string): readonly MentionedUri[] {
  const shown = text.slice(0, limits.origin.instructionsCharacters);
  const found = new Map<string, MentionedUri>();
  for (let at = shown.indexOf('://'); at !== -1; at = shown.indexOf('://', at + 3)) {
    const scheme = schemeEnd.exec(shown.slice(Math.max(0, at - 64), at))?.[0].toLowerCase();
    if (scheme === undefined || webSchemes.has(scheme)) continue;
    const rest = shown.slice(at + 3, at + 3 + limits.uri.characters);
    const length = endOfUri.exec(rest)?.index ?? rest.length;
    const uri = `${scheme}://${rest.slice(0, length).replace(/[.,;:!?*_]+$/, '')}`;
    const skillFile = uri.endsWith('/SKILL.md');
    if ((!skillFile && scheme !== 'skill') || tryParseResourceUri(uri) === undefined) continue;
    if (!found.has(uri) && found.size < limits.dialects.mentions) found.set(uri, { uri, skillFile });
  }
  return [...found.values()];
}
