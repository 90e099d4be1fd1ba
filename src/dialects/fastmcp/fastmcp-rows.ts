/**
 * Rows of `resources/list` as FastMCP 3 writes them: two per skill, its `SKILL.md` and its manifest, both marked in
 * `_meta`. The rows of a `SKILL.md` are ours already; only the manifest adds one, for servers that choose to list what
 * is otherwise just readable.
 */
import type { SkillEntry } from '../../skill/entry.ts';
import { skillPathOf } from '../dialect-skill.ts';
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
