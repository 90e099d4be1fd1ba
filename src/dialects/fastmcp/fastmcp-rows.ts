/**
 * Rows of `resources/list` as FastMCP 3 writes them: two per skill, its `SKILL.md` and its manifest, both marked in
 * `_meta`. The rows of a `SKILL.md` are ours already; only the manifest adds one, for servers that choose to list what
 * is otherwise just readable.
 */
import type { SkillEntry } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { skillPathOf } from '../dialect-skill.ts';
import type { ListedResource } from '../resource-list/decode-resources-list.ts';
import { manifestName, manifestUri } from './fastmcp-uris.ts';

export interface ManifestRow {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: 'application/json';
  readonly _meta: { readonly fastmcp: { readonly skill: { readonly name: string; readonly is_manifest: true } } };
}

/** The row of the manifest of a skill. */
export function encodeManifestRow({ uri, frontmatter }: SkillEntry): ManifestRow {
  const name = skillPathOf(uri) ?? frontmatter.name;
  return {
    uri: manifestUri(uri),
    name: `${name}/${manifestName}`,
    description: `Files of the skill ${frontmatter.name}, with sizes and hashes`,
    mimeType: 'application/json',
    _meta: { fastmcp: { skill: { name, is_manifest: true } } },
  };
}

/** Whether a row is marked by FastMCP as one of a skill, and of which kind. */
export function fastmcpMark(row: ListedResource): { readonly name: string; readonly manifest: boolean } | undefined {
  const outer = row.meta?.['fastmcp'] ?? row.meta?.['_fastmcp'];
  const mark = isJsonObject(outer) ? outer['skill'] : undefined;
  if (!isJsonObject(mark) || typeof mark['name'] !== 'string') return undefined;
  return { name: mark['name'], manifest: mark['is_manifest'] === true };
}
