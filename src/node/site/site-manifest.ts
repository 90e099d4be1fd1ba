/**
 * The manifest of a build, stored in the site. It lets the next build detect changes without reading the site, and records since when files
 * are no longer published. It contains nothing that the site does not publish itself, and times only for unpublished files.
 */
import { SkillwireError } from '../../errors.ts';
import { isDigest } from '../../skill/digest.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { LaidOutSkill } from '../../surfaces/static-site/site-layout.ts';

export const manifestName = '.skillwire-site.json';

export interface ManifestSkill extends LaidOutSkill {
  /** Digest over URIs, digests and modes of all files. */
  readonly set: string;
}

export interface SiteManifest {
  readonly format: 'tar.gz' | 'zip';
  readonly baseUrl?: string;
  readonly skills: ReadonlyMap<string, ManifestSkill>;
  /** Digests of indexes and pages, by path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Paths that are no longer published, each with the time since when, ISO 8601. */
  readonly absent: ReadonlyMap<string, string>;
}

/** @throws SkillwireError USAGE if the text is not a manifest */
export function parseManifest(text: string, file: string): SiteManifest {
  const manifest = readManifest(parsedJson(text));
  if (manifest === undefined) throw notOurs(file);
  return manifest;
}

/** The error for a file that a build did not write. */
export function notOurs(file: string): SkillwireError {
  return new SkillwireError(
    'USAGE',
    `"skillwire build" did not write "${file}". Remove the folder, or choose another one with --out.`,
    { data: { file } },
  );
}

/** Checked by hand, because loading a schema library takes longer. */
function readManifest(value: unknown): SiteManifest | undefined {
  if (!isJsonObject(value) || value['version'] !== 2) return undefined;
  const { format, baseUrl, skills, documents, absent } = value;
  if (format !== 'tar.gz' && format !== 'zip') return undefined;
  if (baseUrl !== undefined && typeof baseUrl !== 'string') return undefined;
  if (!Array.isArray(skills) || !skills.every(isManifestSkill)) return undefined;
  if (!isPlaceMap(documents, isDigest) || !isPlaceMap(absent, isTime)) return undefined;
  return {
    format,
    baseUrl,
    skills: new Map(skills.map((skill) => [skill.name, skill])),
    documents: new Map(Object.entries(documents)),
    absent: new Map(Object.entries(absent)),
  };
}

function isManifestSkill(value: unknown): value is ManifestSkill {
  if (!isJsonObject(value)) return false;
  const { name, set, files, inV01, type, artifact } = value;
  if (!isPlace(name) || !isDigest(set) || typeof inV01 !== 'boolean') return false;
  if (!Array.isArray(files) || !files.every(isPlace) || (type !== 'skill-md' && type !== 'archive')) return false;
  if (artifact === undefined) return true;
  return isJsonObject(artifact) && isDigest(artifact['digest']) && Number.isSafeInteger(artifact['size']);
}

/** The build writes to these paths below the site folder, so none may lead outside. */
export function isPlace(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/(?:^|\/)(?:\.{0,2})(?:\/|$)|\\/.test(value);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isPlaceMap(
  value: unknown,
  isValue: (value: unknown) => value is string,
): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.entries(value).every(([place, inner]) => isPlace(place) && isValue(inner));
}

/** `undefined` if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One line per skill, sorted, so that equal sites have equal manifests. */
export function formatManifest({ format, baseUrl, skills, documents, absent }: SiteManifest): string {
  const head = JSON.stringify({ version: 2, format, baseUrl }).slice(0, -1);
  const rows = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map((skill) => JSON.stringify(skill));
  const sorted = (map: ReadonlyMap<string, string>): string => JSON.stringify(Object.fromEntries([...map].sort()));
  return `${head},"skills":[\n${rows.join(',\n')}\n],\n"documents":${sorted(documents)},\n"absent":${sorted(absent)}}\n`;
}
