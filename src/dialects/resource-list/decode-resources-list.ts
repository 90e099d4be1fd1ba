/**
 * Rows of `resources/list` (base protocol), from unknown JSON, for the dialects that have no other listing. A row
 * without a URI is passed over; nothing is concluded from a row here.
 */
import { limits } from '../../limits.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
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
  /** Rows that have no URI. */
  readonly unusable: number;
}

/**
 * Reads one page of `resources/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` where there is no list of resources.
 */
export function decodeResourcePage(result: unknown): ResourcePage {
  const method = 'resources/list';
  if (!isJsonObject(result)) throw badAnswer(method, 'it is not an object');
  const rows = result['resources'];
  if (!Array.isArray(rows)) throw badAnswer(method, 'it has no list "resources"');
  if (rows.length > limits.origin.entries)
    throw badAnswer(method, `it has ${rows.length} rows; at most ${limits.origin.entries} are read`);
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
