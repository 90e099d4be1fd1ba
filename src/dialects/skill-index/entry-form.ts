/**
 * Which form of the drafts an entry of `skill://index.json` has. The document itself says nothing reliable (its
 * `$schema` came, changed and went within weeks), and servers mix forms, so each entry is looked at alone.
 *
 * A: the mirror of the well-known index (2026-03-24 to 06-04). B: verbatim frontmatter, `url` and `digest`, `archives`
 * (06-08 to 07-08). C: the manifest in the index (07-13), which became `skills/list`.
 */
import { isJsonObject, type JsonObject } from '../../skill/json.ts';

export type IndexForm = 'A' | 'B' | 'C';

/** The form of an entry, or undefined where it has none of them. */
export function entryForm(entry: JsonObject): IndexForm | undefined {
  const { resources, uri, type, name, url, urlTemplate } = entry;
  if (isJsonObject(entry['frontmatter'])) {
    const manifest = Array.isArray(resources) || resources === 'dynamic';
    return manifest || typeof uri === 'string' ? 'C' : 'B';
  }
  if (typeof type === 'string' || typeof urlTemplate === 'string') return 'A';
  return typeof name === 'string' && typeof url === 'string' ? 'A' : undefined;
}
