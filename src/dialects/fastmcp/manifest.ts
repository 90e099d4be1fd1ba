/**
 * The manifest of FastMCP 3: `{"skill", "files": [{"path", "size", "hash"}]}` with paths inside the skill's folder,
 * including `SKILL.md`. It promises the bytes at the time of reading, not of listing, but covers every file.
 *
 * Manifests of an early GitHub server (`uri` instead of `hash`) are read too. An untrustworthy row is refused alone;
 * the manifest then no longer covers the skill and says so.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { type SkillEntry, skillFileName } from '../../skill/entry.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import {
  type DialectFile,
  type DialectSkill,
  type Loss,
  pathBelow,
  skillPathOf,
  type Verified,
} from '../dialect-skill.ts';
import { createPathSet, encodePath, type PathSet, relativePathFault } from '../relative-path.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import { readDigest } from '../wire-digest.ts';

export interface ManifestFile {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

export interface Manifest {
  /** The folder path of the skill; for a skill that is not nested, its name. */
  readonly skill: string;
  readonly files: readonly ManifestFile[];
}

export interface ManifestReading {
  readonly skill?: string;
  readonly files: readonly DialectFile[];
  /** Unusable rows. */
  readonly refused: readonly EntryFault[];
  readonly remarks: readonly Remark[];
  /** How far the manifest verifies the files of the skill. */
  readonly verified: Verified;
}

/** @internal for round trips and the dialects page */
export const fastmcpLosses: readonly Loss[] = [
  { part: 'frontmatter', why: 'a row has a description; the frontmatter is only in SKILL.md' },
  { part: 'dynamic', why: 'a skill with changing bytes has no manifest, and nothing says why' },
];

/**
 * The manifest of a skill, with files sorted by path.
 *
 * @throws SkillwireError `INVALID_SKILL` for a dynamic skill, which has no hashes
 */
export function encodeManifest(entry: SkillEntry): Manifest {
  const { uri, resources, frontmatter } = entry;
  if (resources === 'dynamic')
    throw new SkillwireError('INVALID_SKILL', `Cannot write a manifest of ${quoteText(uri)}: the skill is dynamic.`, {
      data: { uri },
    });
  const skill = skillPathOf(uri) ?? frontmatter.name;
  const files = resources.map(({ uri: file, size, digest }) => ({ path: pathBelow(skill, file), size, hash: digest }));
  return { skill, files: files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)) };
}

/**
 * Reads the manifest of the skill at `skillUri`.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of files
 */
export function decodeManifest(document: unknown, skillUri: string): ManifestReading {
  const what = `resources/read of ${manifestUri(skillUri)}`;
  if (!isJsonObject(document) || !Array.isArray(document['files']))
    throw badAnswer(what, 'the document has no list "files"');
  const rows: readonly unknown[] = document['files'];
  if (rows.length > limits.skill.files)
    throw badAnswer(what, `the document lists ${rows.length} files; at most ${limits.skill.files} are allowed`);
  const files: DialectFile[] = [];
  const refused: EntryFault[] = [];
  const paths = createPathSet();
  for (const [index, row] of rows.entries()) {
    const file = decodeFile(`files[${index}]`, row, skillUri, paths);
    if (typeof file === 'string') refused.push({ requirement: 'fastmcp:manifest-rows', message: file });
    else files.push(file);
  }
  const remarks: Remark[] = [];
  const main = files.find(({ path }) => path === skillFileName);
  if (main === undefined)
    remarks.push(remark('fastmcp:manifest-rows', `the manifest does not list ${skillFileName}`, skillUri));
  const whole = main !== undefined && refused.length === 0 && files.every(({ digest }) => digest !== undefined);
  const { skill } = document;
  return {
    ...(typeof skill === 'string' ? { skill } : {}),
    files,
    refused: refused.slice(0, limits.origin.faults),
    remarks,
    verified: whole ? 'full' : main?.digest === undefined ? 'none' : 'skill-md-only',
  };
}

/** Adds the manifest to a skill that was found in a list of resources. */
export function withManifest(skill: DialectSkill, { files, verified }: ManifestReading): DialectSkill {
  const digest = files.find(({ path }) => path === skillFileName)?.digest;
  const retrievals = skill.retrievals.map((way) =>
    way.kind === 'read' && way.uri === skill.uri && digest !== undefined ? { ...way, digest } : way,
  );
  return { ...skill, files, retrievals, verified };
}

/** One file, or the fault of its row. */
function decodeFile(field: string, row: unknown, skillUri: string, paths: PathSet): DialectFile | string {
  if (!isJsonObject(row)) return `${field} is not an object`;
  const { path } = row;
  const fault = relativePathFault(path);
  if (typeof path !== 'string' || fault !== undefined)
    return `${field}.path${typeof path === 'string' ? ` ${quoteText(path)}` : ''} ${fault}`;
  const size = sizeOf(row);
  if (size === 'fault') return `${field}.size ${shortText(JSON.stringify(row['size']))} is not a whole number of bytes`;
  const digest = readDigest(`${field}.hash`, row['hash']);
  if (digest.kind === 'fault') return digest.message;
  const own = row['uri'];
  if (own !== undefined && (typeof own !== 'string' || tryParseResourceUri(own) === undefined))
    return `${field}.uri cannot be the URI of a skill file`;
  const twin = paths.add(path);
  if (twin !== undefined) return `${field}.path ${quoteText(path)} ${twin}`;
  return {
    path,
    uri: own ?? fileUri(skillUri, path),
    ...(digest.kind === 'absent' ? {} : { digest: digest.digest }),
    ...(size === undefined ? {} : { size }),
  };
}

function sizeOf({ size }: JsonObject): number | undefined | 'fault' {
  if (size === undefined) return undefined;
  return Number.isSafeInteger(size) && Number(size) >= 0 ? Number(size) : 'fault';
}

export const manifestName = '_manifest';

/** The manifest beside a `SKILL.md`. */
export function manifestUri(skillUri: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + manifestName;
}

/** The URI of a file, from the `SKILL.md` URI and a decoded path. */
export function fileUri(skillUri: string, path: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + encodePath(path);
}

export interface ManifestRow {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: 'application/json';
  readonly _meta: { readonly fastmcp: { readonly skill: { readonly name: string; readonly is_manifest: true } } };
}

/**
 * The row of a manifest in `resources/list`. FastMCP 3 lists two rows per skill, its `SKILL.md` and its manifest; our listing
 * already has the first.
 */
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
