/**
 * URIs of skills that a server names in its `instructions`. A mention is a reference, not a skill: with the final
 * extension it is confirmed by `skills/get`, elsewhere by reading it. Links to the web are left alone, as nobody asked
 * to follow them.
 */
import { limits } from '../limits.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';

const schemeEnd = /[a-z][a-z0-9+.-]*$/i;
const endOfUri = /[\s"'`<>()[\]{}|\\^]/;
const webSchemes = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'mailto']);

export interface MentionedUri {
  readonly uri: string;
  /** It ends with `/SKILL.md`; any other one is below `skill://`. */
  readonly skillFile: boolean;
}

/** Each mentioned URI once, in the order of the text. */
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
