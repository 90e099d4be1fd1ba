/**
 * Frontmatter fields other than name and description in `_meta` of a listed `SKILL.md`, under the prefix that SEP-2640
 * reserves. It is a copy for display: the frontmatter of the entry counts, or else that of the file.
 */
import { limits } from '../../limits.ts';
import type { Frontmatter, JsonValue } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { isSmallJson } from '../json-bounds.ts';

export const frontmatterMetaPrefix = 'io.modelcontextprotocol.skills/';

/** The base protocol allows this after the slash of a key. */
const keyName = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** The fields as `_meta` keys; fields whose name is not a valid key are left out. */
export function encodeFrontmatterMeta(frontmatter: Frontmatter): Readonly<Record<string, JsonValue>> {
  const meta: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(frontmatter))
    if (field !== 'name' && field !== 'description' && keyName.test(field)) meta[frontmatterMetaPrefix + field] = value;
  return meta;
}

/**
 * The fields in `_meta`, in their order. Large values are left out.
 *
 * @internal the other half of the codec, for round trips
 */
export function decodeFrontmatterMeta(meta: unknown): ReadonlyMap<string, JsonValue> {
  const fields = new Map<string, JsonValue>();
  if (!isJsonObject(meta)) return fields;
  for (const [key, value] of Object.entries(meta)) {
    const field = key.startsWith(frontmatterMetaPrefix) ? key.slice(frontmatterMetaPrefix.length) : '';
    if (keyName.test(field) && isSmallJson(value, limits.origin.metaDepth, limits.origin.metaNodes))
      fields.set(field, value as JsonValue);
  }
  return fields;
}
