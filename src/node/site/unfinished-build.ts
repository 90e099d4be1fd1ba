/**
 * What a build is about to write, on disk before the first file is, and removed when the site says itself what it has. A build that
 * ended in between is then neither taken for somebody else's files nor leaves any that nobody knows of: what it wrote and is not
 * published stays for the grace period, like everything else that is no longer.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveFormats } from '../../archive/archive-file.ts';
import { folderV01, folderV02 } from '../../dialects/well-known/index-places.ts';
import { isJsonObject } from '../../skill/json.ts';
import { isPlace, notOurs, parsedJson } from './site-manifest.ts';

export const unfinishedName = '.skillwire-site-unfinished.json';

export interface UnfinishedBuild {
  /** Whether the page is ours. */
  readonly page: boolean;
  /** Files of skills by the name of the skill, as paths below it. */
  readonly skills: ReadonlyMap<string, readonly string[]>;
}

export function formatUnfinished({ page, skills }: UnfinishedBuild): string {
  return `${JSON.stringify({ version: 1, page, skills: Object.fromEntries(skills) })}\n`;
}

/**
 * Undefined where no build ended too early.
 *
 * @throws SkillwireError USAGE where the file is not such a note
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
  const read = new Map<string, readonly string[]>();
  for (const [name, files] of Object.entries(skills)) {
    if (!isPlace(name) || !Array.isArray(files) || !files.every(isPlace)) return undefined;
    read.set(name, files);
  }
  return { page, skills: read };
}

/** Both together. */
export function joinUnfinished(one: UnfinishedBuild, other: UnfinishedBuild): UnfinishedBuild {
  const skills = new Map(one.skills);
  for (const [name, files] of other.skills) skills.set(name, [...new Set([...(skills.get(name) ?? []), ...files])]);
  return { page: one.page || other.page, skills };
}

/** Where it may have written. Artifacts under their digest are found by looking there. */
export function* placesOfUnfinished({ skills }: UnfinishedBuild): Generator<string> {
  for (const [name, files] of skills) {
    for (const format of archiveFormats) yield `${folderV02}/${name}.${format}`;
    for (const folder of [folderV02, folderV01]) for (const file of files) yield `${folder}/${name}/${file}`;
  }
}
