/**
 * URIs of skilljack-mcp before it took up SEP-2640 (0.5.1): `skill://name` is the text of `SKILL.md`, `skill://name/` a
 * collection of all other files, `skill://name/file` a file that only a tool reads but that can be subscribed to,
 * `skill://` everything at once. The name is one percent-encoded segment.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import { legacyNameFault } from '../legacy-name.ts';
import { encodePath, relativePathFault } from '../relative-path.ts';

export type SkilljackUri =
  | { readonly kind: 'all' }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'collection'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

export const allSkillsUri = 'skill://';

export const skilljackTemplates = {
  skill: 'skill://{skillName}',
  collection: 'skill://{skillName}/',
} as const;

/** Reads a URI of this dialect, or undefined where it is none. */
export function parseSkilljackUri(uri: string): SkilljackUri | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) return undefined;
  const [name, ...rest] = parsed.segments;
  if (name === undefined) return { kind: 'all' };
  if (rest.length === 0) return { kind: parsed.trailingSlash ? 'collection' : 'skill', name };
  return parsed.trailingSlash ? undefined : { kind: 'file', name, path: rest.join('/') };
}

/** Writes a URI of this dialect; throws `INVALID_URI` for a name or path that it cannot carry. */
export function buildSkilljackUri(target: SkilljackUri): string {
  if (target.kind === 'all') return allSkillsUri;
  const fault = legacyNameFault(target.name);
  if (fault !== undefined) throw refusal(target.name, fault);
  const uri = buildSkillUri([target.name]);
  if (target.kind === 'skill') return uri;
  if (target.kind === 'collection') return `${uri}/`;
  const badPath = relativePathFault(target.path);
  if (badPath !== undefined) throw refusal(target.path, badPath);
  return `${uri}/${encodePath(target.path)}`;
}

function refusal(text: string, fault: string): SkillwireError {
  return new SkillwireError('INVALID_URI', `cannot make a skill URI of ${quoteText(text)}: it ${fault}`, {
    data: { text },
  });
}
