/**
 * A skill of any dialect in one shape: location, name, facts about its files, and the ways to get its bytes. Location and name are
 * separate, because some dialects address by folder and some by name.
 *
 * `verified` says how far the bytes can be checked against the listing: `full` if every file (or an archive of all) has
 * a digest, `skill-md-only` if `SKILL.md` has one, `none` otherwise. It never says that anything has been checked.
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

export type ArtifactFormat = 'tar.gz' | 'zip';

export interface DialectFile {
  /** Decoded path inside the folder of the skill. */
  readonly path: string;
  readonly uri: string;
  readonly digest?: string;
  readonly size?: number;
  readonly mimeType?: string;
}

/** A way to get the bytes of a skill. */
export type Retrieval =
  | { readonly kind: 'read'; readonly uri: string; readonly digest?: string }
  | { readonly kind: 'archive'; readonly uri: string; readonly format?: ArtifactFormat; readonly digest?: string }
  | { readonly kind: 'get-by-name'; readonly name: string };

export interface DialectSkill {
  /** The URI that the server uses. If the dialect has none, the URI that its `SKILL.md` would have. */
  readonly uri: string;
  /** Decoded path of its folder: `acme/billing/refunds`. */
  readonly skillPath: string;
  readonly name: string;
  readonly description?: string;
  /** Absent if only the `SKILL.md` contains it. */
  readonly frontmatter?: Frontmatter;
  /** `unknown`: there may be more files than `SKILL.md`. */
  readonly files: readonly DialectFile[] | 'dynamic' | 'unknown';
  /** At least one, preferred first. */
  readonly retrievals: readonly Retrieval[];
  readonly verified: Verified;
}

/** The result of reading a listing. One bad entry never hides the others. */
export interface DialectReading {
  readonly skills: readonly DialectSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
}

const strength: Readonly<Record<Verified, number>> = { none: 0, 'skill-md-only': 1, full: 2 };

/** The weakest verification of all skills; `none` if there are none. */
export function weakest(skills: readonly { readonly verified: Verified }[]): Verified {
  let found: Verified | undefined;
  for (const { verified } of skills) if (found === undefined || strength[verified] < strength[found]) found = verified;
  return found ?? 'none';
}

/** How far the bytes can be checked with the known digests. */
export function verifiedBy(files: DialectSkill['files'], retrievals: readonly Retrieval[]): Verified {
  if (Array.isArray(files) && files.length > 0 && files.every(({ digest }) => digest !== undefined)) return 'full';
  if (retrievals.some((way) => way.kind === 'archive' && way.digest !== undefined)) return 'full';
  return retrievals.some((way) => way.kind === 'read' && way.digest !== undefined) ? 'skill-md-only' : 'none';
}

/** Converts an entry of the final extension. */
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

/** The decoded folder path for a `SKILL.md` URI of any scheme. */
export function skillPathOf(uri: string): string | undefined {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? undefined : skillPathOfParsed(parsed);
}

export function skillPathOfParsed({ path }: ResourceUri): string | undefined {
  return path.endsWith(entryFile) ? path.slice(0, -entryFile.length) : undefined;
}

/** The decoded path of a file relative to its skill's folder; the whole path if it is elsewhere. */
export function pathBelow(skillPath: string, uri: string): string {
  const path = tryParseResourceUri(uri)?.path ?? uri;
  return path.startsWith(`${skillPath}/`) ? path.slice(skillPath.length + 1) : path;
}

/**
 * A part of a skill that a dialect cannot carry. Each codec has a table of losses, and its round trip returns the skill
 * minus exactly these.
 *
 * `prefix`: folders before the name. `frontmatter`: fields other than name and description. `description`. `files`: the
 * list of files other than `SKILL.md`. `sizes`, `digests`: of files. `file-digests`: of all files except `SKILL.md`.
 * `dynamic`: that the bytes change. `fences`: the frontmatter lines in `SKILL.md` itself.
 */
export type LostPart =
  | 'prefix'
  | 'frontmatter'
  | 'description'
  | 'files'
  | 'sizes'
  | 'digests'
  | 'file-digests'
  | 'dynamic'
  | 'fences';

export interface Loss {
  readonly part: LostPart;
  /** One sentence without a final period. */
  readonly why: string;
}

/**
 * The rest of a skill after a dialect with these losses. URIs and retrievals belong to the dialect and stay.
 *
 * @internal for round trips
 */
export function withoutLost(skill: DialectSkill, losses: readonly Loss[]): DialectSkill {
  const lost = new Set(losses.map(({ part }) => part));
  const { frontmatter, description, ...rest } = skill;
  const noFiles = lost.has('files') || (skill.files === 'dynamic' && lost.has('dynamic'));
  const files = noFiles || typeof skill.files === 'string' ? skill.files : skill.files.map((file) => strip(file, lost));
  const verified = lost.has('digests')
    ? 'none'
    : lost.has('file-digests') && skill.verified === 'full'
      ? 'skill-md-only'
      : skill.verified;
  return {
    ...rest,
    skillPath: lost.has('prefix') ? skill.name : skill.skillPath,
    ...(lost.has('description') || description === undefined ? {} : { description }),
    ...(lost.has('frontmatter') || frontmatter === undefined ? {} : { frontmatter }),
    files: noFiles ? 'unknown' : files,
    retrievals: lost.has('digests') ? skill.retrievals.map(withoutDigest) : skill.retrievals,
    verified,
  };
}

function strip(file: DialectFile, lost: ReadonlySet<LostPart>): DialectFile {
  const { digest, size, ...rest } = file;
  const noDigest = lost.has('digests') || (lost.has('file-digests') && file.path !== 'SKILL.md');
  return {
    ...rest,
    ...(noDigest || digest === undefined ? {} : { digest }),
    ...(lost.has('sizes') || size === undefined ? {} : { size }),
  };
}

function withoutDigest(way: Retrieval): Retrieval {
  if (way.kind === 'get-by-name') return way;
  const { digest: _digest, ...rest } = way;
  return rest;
}
