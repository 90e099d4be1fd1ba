/**
 * A record of the files that a build is about to write. It is on disk before the first file, and removed once the manifest is written. So
 * the next build recognizes files of an interrupted build as ours and forgets none of them. Those that are not published stay for the
 * grace period, like all other unpublished files.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveFormats } from '../../archive/archive-file.ts';
import { folderV01, folderV02 } from '../../dialects/well-known/index-places.ts';
import { isJsonObject } from '../../skill/json.ts';
import { isPlace, notOurs, parsedJson } from './site-manifest.ts';

export const unfinishedName = '.skillwire-site-unfinished.json';

export interface UnfinishedBuild {
  /** True if the build writes the page. */
  readonly page: boolean;
  /** Paths of the files of each skill, relative to the skill, by skill name. */
  readonly skills: ReadonlyMap<string, readonly string[]>;
}

export function formatUnfinished({ page, skills }: UnfinishedBuild): string {
  return `${JSON.stringify({ version: 1, page, skills: Object.fromEntries(skills) })}\n`;
}

/**
 * `undefined` if no build was interrupted.
 *
 * @throws SkillwireError USAGE if the file is not such a record
 */
export function readUnfinished(root: string): UnfinishedBuild | undefined {
  const file = join(root, unfinishedName);
  if (!existsSync(file)) return undefined;
  const unfinished = parseUnfinished(parsedJson(readFileSync(file, 'utf8')));
  if (unfinished === undefined) throw notOurs(file);
  return unfinished;
}

function parseUnfinished(value: unknown): UnfinishedBuild | undefined {
  if (!isJsonObject(value) || value['version'] !== 1 || typeof value['page'] !== 'boolean') return undefined;
  const { page, skills } = value;
  if (!isJsonObject(skills)) return undefined;
  const filesByName = new Map<string, readonly string[]>();
  for (const [name, files] of Object.entries(skills)) {
    if (!isPlace(name) || !Array.isArray(files) || !files.every(isPlace)) return undefined;
    filesByName.set(name, files);
  }
  return { page, skills: filesByName };
}

/** Merges two records. */
export function joinUnfinished(one: UnfinishedBuild, other: UnfinishedBuild): UnfinishedBuild {
  const skills = new Map(one.skills);
  for (const [name, files] of other.skills) skills.set(name, [...new Set([...(skills.get(name) ?? []), ...files])]);
  return { page: one.page || other.page, skills };
}

/** All paths that the build may have written, except artifacts by digest: those are found by listing their folder. */
export function* placesOfUnfinished({ skills }: UnfinishedBuild): Generator<string> {
  for (const [name, files] of skills) {
    for (const format of archiveFormats) yield `${folderV02}/${name}.${format}`;
    for (const folder of [folderV02, folderV01]) for (const file of files) yield `${folder}/${name}/${file}`;
  }
}
