/** Files of a static site that are no longer published. They stay for a grace period, unless a new file needs their place. */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import {
  artifactFolder,
  artifactPlace,
  type LaidOutSkill,
  placesOfSkill,
} from '../../surfaces/static-site/site-layout.ts';
import type { SiteFolder } from './site-folder.ts';
import type { SiteManifest } from './site-manifest.ts';

const day = 24 * 60 * 60_000;

export interface Leftovers {
  /** The time since when each path is unpublished. */
  readonly absent: ReadonlyMap<string, string>;
  readonly deleted: number;
}

/**
 * Deletes files after their grace period, and records since when the others are unpublished.
 *
 * @param found names of artifacts before the build
 */
export function clearAway(
  folder: SiteFolder,
  before: SiteManifest,
  after: Omit<SiteManifest, 'absent'>,
  found: Iterable<string>,
  { now, keepDays }: { readonly now: number; readonly keepDays: number },
): Leftovers {
  const today = new Date(now).toISOString();
  const candidates = new Map(before.absent);
  // Includes files of a build that was interrupted before it wrote its manifest.
  const artifacts = new Set(artifactsOf(after));
  for (const name of found) {
    const place = `${artifactFolder}/${name}`;
    if (!artifacts.has(place) && !candidates.has(place)) candidates.set(place, today);
  }
  for (const [name, old] of before.skills) {
    const same = after.skills.get(name) === old && before.format === after.format;
    for (const place of same ? [] : placesOfSkill(old, before.format)) candidates.set(place, today);
  }
  if (candidates.size === 0) return { absent: candidates, deleted: 0 };
  const live = new Set([...after.skills.values()].flatMap((skill) => placesOfSkill(skill, after.format)));
  const absent = new Map<string, string>();
  let deleted = 0;
  for (const [place, since] of candidates) {
    if (live.has(place)) continue;
    if (now - Date.parse(since) < keepDays * day) {
      if (folder.size(place) !== undefined) absent.set(place, since);
    } else if (folder.remove(place)) deleted++;
  }
  return { absent, deleted };
}

function artifactsOf({ skills, format }: Omit<SiteManifest, 'absent'>): readonly string[] {
  return [...skills.values()].flatMap((skill) => artifactPlace(skill, format) ?? []);
}

/** Removes files where a new skill needs a folder, and folders where it needs a file. */
export function roomMaker(
  folder: SiteFolder,
  before: SiteManifest,
): (skill: LaidOutSkill, format: ArchiveFormat) => void {
  // Indexed once, because there may be as many as the site has files.
  const below = new Map<string, string[]>();
  for (const place of before.absent.keys())
    for (const parent of foldersOf(place)) {
      const places = below.get(parent);
      if (places === undefined) below.set(parent, [place]);
      else places.push(place);
    }
  return (skill, format) => {
    const old = before.skills.get(skill.name);
    const oldPlaces = old === undefined ? [] : placesOfSkill(old, before.format);
    if (oldPlaces.length + below.size === 0) return;
    const wanted = placesOfSkill(skill, format);
    const folders = new Set(wanted.flatMap(foldersOf));
    const files = new Set(wanted);
    for (const place of oldPlaces)
      if (folders.has(place) || foldersOf(place).some((parent) => files.has(parent))) folder.remove(place);
    for (const place of folders) if (before.absent.has(place)) folder.remove(place);
    for (const place of wanted) for (const inside of below.get(place) ?? []) folder.remove(inside);
  };
}

function foldersOf(place: string): string[] {
  const folders: string[] = [];
  for (let end = place.lastIndexOf('/'); end > 0; end = place.lastIndexOf('/', end - 1))
    folders.push(place.slice(0, end));
  return folders;
}
