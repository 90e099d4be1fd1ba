/**
 * `resources/list` with a `uri`, as the first draft of SEP-2640 had it: `skill://` lists the `SKILL.md` of every skill
 * and nothing else, the URI of a folder its files. Servers that do not know the parameter list everything, so whoever
 * asks scans the answer all the same; and whoever is asked with anything else answers as if nothing had been said.
 */
import { isJsonObject } from '../../skill/json.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';

/** What to ask with. */
export const scopedListParams = { uri: 'skill://' } as const;

export type ListScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'skills' }
  | { readonly kind: 'files'; readonly skillPath: string };

/** What a request to `resources/list` asks for. */
export function decodeListScope(params: unknown): ListScope {
  const uri = isJsonObject(params) ? params['uri'] : undefined;
  const parsed = typeof uri === 'string' ? tryParseSkillUri(uri) : undefined;
  if (parsed === undefined) return { kind: 'everything' };
  return parsed.path === '' ? { kind: 'skills' } : { kind: 'files', skillPath: parsed.path };
}
