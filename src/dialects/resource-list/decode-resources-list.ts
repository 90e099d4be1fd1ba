/**
 * Reads rows of `resources/list` (base protocol) for dialects that have no other listing. Rows without a URI are
 * skipped; rows are not interpreted here.
 */
import { limits } from '../../limits.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { badAnswer, decodeNextCursor, type NextCursor } from '../skills-extension/answer-fields.ts';

export interface ListedResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly meta?: JsonObject;
}

export interface ResourcePage extends NextCursor {
  readonly resources: readonly ListedResource[];
  /** Number of rows without a URI. */
  readonly unusable: number;
}

/**
 * Reads one page of `resources/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of resources
 */
export function decodeResourcePage(result: unknown): ResourcePage {
  const method = 'resources/list';
  if (!isJsonObject(result)) throw badAnswer(method, 'it is not an object');
  const rows = result['resources'];
  if (!Array.isArray(rows)) throw badAnswer(method, 'it has no list "resources"');
  if (rows.length > limits.origin.entries)
    throw badAnswer(method, `it has ${rows.length} rows; at most ${limits.origin.entries} are allowed`);
  const resources = rows.flatMap((row) => decodeResource(row) ?? []);
  return { resources, unusable: rows.length - resources.length, ...decodeNextCursor(result) };
}

function decodeResource(row: unknown): ListedResource | undefined {
  if (!isJsonObject(row)) return undefined;
  const { uri, _meta } = row;
  if (typeof uri !== 'string' || uri.length > limits.uri.characters) return undefined;
  const texts: Record<string, string> = {};
  for (const key of ['name', 'title', 'description', 'mimeType'] as const) {
    const value = row[key];
    if (typeof value === 'string') texts[key] = value;
  }
  return { uri, ...texts, ...(isJsonObject(_meta) ? { meta: _meta } : {}) };
}

/**
 * The parameters of `resources/list` with a `uri`, from the first draft of SEP-2640: `skill://` lists the `SKILL.md` of every
 * skill and nothing else, the URI of a folder lists its files. Servers that do not know the parameter list everything, so
 * readers scan the answer anyway.
 */
export const scopedListParams = { uri: 'skill://' } as const;

export type ListScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'skills' }
  | { readonly kind: 'files'; readonly skillPath: string };

/** The scope of a `resources/list` request. Other values are answered as if there were no `uri`. */
export function decodeListScope(params: unknown): ListScope {
  const uri = isJsonObject(params) ? params['uri'] : undefined;
  const parsed = typeof uri === 'string' ? tryParseSkillUri(uri) : undefined;
  if (parsed === undefined) return { kind: 'everything' };
  return parsed.path === '' ? { kind: 'skills' } : { kind: 'files', skillPath: parsed.path };
}
