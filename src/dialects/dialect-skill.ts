/**
 * A skill as any of the dialects tells it, in one shape: where it lies, what it is called, what its wire says about its
 * files, and the ways to get its bytes. Locator and name are kept apart, because some dialects address by folder and
 * some by name.
 *
 * `verified` says how far the bytes of the skill can be checked against what was told when it was listed: `full` where
 * every file (or an archive of all of them) has a digest, `skill-md-only` where that holds for its `SKILL.md`, `none`
 * otherwise. It never says that anything has been checked.
 */
import type { Frontmatter, SkillEntry } from '../skill/entry.ts';
import { type ResourceUri, tryParseResourceUri } from '../skill/resource-uri.ts';
import type { RefusedSkill } from './skills-extension/decode-entry.ts';
import type { Remark } from './skills-extension/remark.ts';

export const dialectIds = [
  'skills-extension',
  'skill-index',
  'sep-2076',
  'fastmcp',
  'skills-over-mcp',
  'skilljack',
  'nimblebrain',
  'resource-list',
  'resource-templates',
  'instructions',
] as const;

export type DialectId = (typeof dialectIds)[number];

export type Verified = 'full' | 'skill-md-only' | 'none';

export type ArchiveFormat = 'tar.gz' | 'zip';

export interface DialectFile {
  /** Below the folder of the skill, decoded. */
  readonly path: string;
  readonly uri: string;
  readonly digest?: string;
  readonly size?: number;
  readonly mimeType?: string;
}

/** A way to the bytes of a skill. */
export type Retrieval =
  | { readonly kind: 'read'; readonly uri: string; readonly digest?: string }
  | { readonly kind: 'archive'; readonly uri: string; readonly format?: ArchiveFormat; readonly digest?: string }
  | { readonly kind: 'get-by-name'; readonly name: string };

export interface DialectSkill {
  /** The URI that the server names it by. Where a dialect has none, that of the `SKILL.md` that it would have. */
  readonly uri: string;
  /** Decoded path of its folder: `acme/billing/refunds`. */
  readonly skillPath: string;
  readonly name: string;
  readonly description?: string;
  /** Absent where the wire does not carry it: it is then in the `SKILL.md` only. */
  readonly frontmatter?: Frontmatter;
  /** `unknown`: there may be more files than `SKILL.md`. */
  readonly files: readonly DialectFile[] | 'dynamic' | 'unknown';
  /** At least one, the preferred first. */
  readonly retrievals: readonly Retrieval[];
  readonly verified: Verified;
}

/** What a listing of a dialect came to. One bad entry never hides the others. */
export interface DialectReading {
  readonly skills: readonly DialectSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
}

const strength: Readonly<Record<Verified, number>> = { none: 0, 'skill-md-only': 1, full: 2 };

/** How far all of them can be verified: as far as the weakest. `none` for no skill at all. */
export function weakest(skills: readonly { readonly verified: Verified }[]): Verified {
  let found: Verified | undefined;
  for (const { verified } of skills) if (found === undefined || strength[verified] < strength[found]) found = verified;
  return found ?? 'none';
}

/** How far the bytes can be checked, from the digests that are known. */
export function verifiedBy(files: DialectSkill['files'], retrievals: readonly Retrieval[]): Verified {
  if (Array.isArray(files) && files.length > 0 && files.every(({ digest }) => digest !== undefined)) return 'full';
  if (retrievals.some((way) => way.kind === 'archive' && way.digest !== undefined)) return 'full';
  return retrievals.some((way) => way.kind === 'read' && way.digest !== undefined) ? 'skill-md-only' : 'none';
}

/** An entry of the final extension in this shape. */
export function dialectSkillOf(entry: SkillEntry): DialectSkill {
  const { uri, frontmatter, resources } = entry;
  const skillPath = skillPathOf(uri) ?? frontmatter.name;
  const digest = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri)?.digest;
  const files =
    resources === 'dynamic' ? resources : resources.map((file) => ({ path: pathBelow(skillPath, file.uri), ...file }));
  const retrievals: readonly Retrieval[] = [{ kind: 'read', uri, ...(digest === undefined ? {} : { digest }) }];
  return {
    uri,
    skillPath,
    name: frontmatter.name,
    description: frontmatter.description,
    frontmatter,
    files,
    retrievals,
    verified: verifiedBy(files, retrievals),
  };
}

const entryFile = '/SKILL.md';

/** The decoded path of the folder, for the URI of a `SKILL.md` in a folder of any scheme. */
export function skillPathOf(uri: string): string | undefined {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? undefined : skillPathOfParsed(parsed);
}

export function skillPathOfParsed({ path }: ResourceUri): string | undefined {
  return path.endsWith(entryFile) ? path.slice(0, -entryFile.length) : undefined;
}

/** The decoded path of a file below the folder of its skill; the whole path where it lies elsewhere. */
export function pathBelow(skillPath: string, uri: string): string {
  const path = tryParseResourceUri(uri)?.path ?? uri;
  return path.startsWith(`${skillPath}/`) ? path.slice(skillPath.length + 1) : path;
}
