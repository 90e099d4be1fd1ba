/**
 * Builds a static site from a source: both indexes, every artifact by digest and by name, every file, and a page for people. The same skills
 * give the same bytes at any time on any machine.
 *
 * Files are written first, then the indexes that name them, then the manifest. Files that are no longer published stay for a grace period,
 * for readers with a slightly older index. Skills that did not change since the last build are not read again.
 */
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { createSlices } from '../../async/slices.ts';
import type { WorkProgress } from '../../async/work-progress.ts';
import { folderV01, folderV02 } from '../../dialects/well-known/index-places.ts';
import { reasonOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { Finding } from '../../skill/finding.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import {
  artifactFolder,
  artifactPlace,
  indexPlaceV01,
  indexPlaceV02,
  pagePlace,
  placesOfArchive,
  placesOfFile,
} from '../../surfaces/static-site/site-layout.ts';
import { filesOf } from '../../surfaces/well-known-http/artifacts.ts';
import type { SiteSkill } from '../../surfaces/well-known-http/site-plan.ts';
import { cannotWrite, isDiskError, undoBuild } from './failed-build.ts';
import { openSiteFolder, removeLeftovers, type SiteFolder } from './site-folder.ts';
import { clearAway, roomMaker } from './site-leftovers.ts';
import { formatManifest, type ManifestSkill, manifestName } from './site-manifest.ts';
import { asBuilt, makeDocuments, openSite, type SiteState, type SiteStateOptions } from './site-state.ts';
import { formatUnfinished, joinUnfinished, type UnfinishedBuild, unfinishedName } from './unfinished-build.ts';

export interface BuildSiteOptions extends SiteStateOptions {
  /** Grace period for files that are no longer published, in days. */
  readonly keepDays: number;
  /** Check every file of every skill, and rewrite the wrong ones. */
  readonly full?: boolean;
  /** Bytes that the source has already read, by digest. */
  readonly known?: (digest: string) => Uint8Array | undefined;
  /** Counts the skills that were written. */
  readonly onProgress?: (work: WorkProgress) => void;
}

export interface SiteReport {
  /** Names on the site, sorted. */
  readonly skills: readonly string[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Files that were written. */
  readonly written: number;
  /** Files that are no longer published but still there. */
  readonly leftover: number;
  readonly deleted: number;
  /** True if a page that we did not write is in the place of ours. It is not touched. */
  readonly foreignPage: boolean;
  /** Findings about the skills, and about content that a site cannot publish. */
  readonly findings: readonly Finding[];
}

/** How often the build restarts if the source changes meanwhile. */
const attempts = 5;

/**
 * Builds or updates the site.
 *
 * @throws SkillwireError USAGE if the folder contains files that are not ours, WRITE_FAILED if it cannot be written
 */
export async function buildSite(options: BuildSiteOptions): Promise<SiteReport> {
  let folder: SiteFolder | undefined;
  try {
    const state = openSite(options);
    removeLeftovers(state.root);
    folder = openSiteFolder(state.root);
    return await buildOrUndo(state, folder, options);
  } catch (error) {
    throw cannotWrite(options.out, error);
  } finally {
    folder?.close();
    await options.source.close?.();
  }
}

async function buildOrUndo(state: SiteState, folder: SiteFolder, options: BuildSiteOptions): Promise<SiteReport> {
  const artifacts = new Set(folder.list(artifactFolder));
  try {
    return await build(state, folder, options);
  } catch (error) {
    if (isDiskError(error)) {
      try {
        undoBuild(state, folder, artifacts);
      } catch (again) {
        error.message += `, and its files could not be removed: ${reasonOf(again)}`;
      }
    }
    throw error;
  }
}

async function build(state: SiteState, folder: SiteFolder, options: BuildSiteOptions): Promise<SiteReport> {
  const { before, baseUrl, catalog, documents, format } = state;
  const foreignPage = !state.ownsPage && folder.size(pagePlace) !== undefined;
  const announce = announcer(state, folder, !foreignPage);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const snapshot = await catalog.snapshot(options);
    const plan = await documents.plan();
    const there = namesOn(folder);
    const skills = await writeSkills(state, folder, plan.skills, { ...options, there, announce });
    if (skills === undefined) continue;
    const same = isSame(state, folder, skills);
    const made = same ? undefined : await makeDocuments(state);
    if (made !== undefined && made.snapshot !== snapshot) continue;
    const digests = made === undefined ? before.documents : writeDocuments(folder, made.files, foreignPage);
    const after = { format, baseUrl, skills, documents: digests };
    const now = options.now?.() ?? Date.now();
    const { absent, deleted } = clearAway(folder, before, after, there.byDigest, { now, keepDays: options.keepDays });
    if (!same || state.unfinished !== undefined || deleted > 0 || absent.size !== before.absent.size)
      folder.exchange(manifestName, Buffer.from(formatManifest({ ...after, absent })));
    folder.remove(unfinishedName);
    const names = [...skills.keys()];
    return {
      skills: names,
      added: names.filter((name) => !before.skills.has(name)),
      changed: names.filter((name) => (before.skills.get(name) ?? skills.get(name))?.set !== skills.get(name)?.set),
      removed: [...before.skills.keys()].filter((name) => !skills.has(name)),
      written: folder.written,
      leftover: absent.size,
      deleted,
      foreignPage,
      findings: made?.findings ?? [...snapshot.findings, ...plan.findings],
    };
  }
  throw new SkillwireError('UNSTABLE', 'Cannot build the site: skills changed while they were read. Try again.');
}

/** True if indexes and pages of the last build are present and still correct: they depend on the skills only. */
function isSame(
  { before, baseUrl }: SiteState,
  folder: SiteFolder,
  skills: ReadonlyMap<string, ManifestSkill>,
): boolean {
  if (before.baseUrl !== baseUrl || before.skills.size !== skills.size || before.documents.size === 0) return false;
  for (const [name, skill] of skills)
    if (before.skills.get(name) !== skill || skill.artifact === undefined) return false;
  for (const [place, digest] of before.documents) {
    const bytes = folder.read(place);
    if (bytes === undefined || nodeDigest(bytes) !== digest) return false;
  }
  return true;
}

type Announce = (skills: readonly SiteSkill[]) => void;

/** Records on disk which skills are about to be written, in addition to earlier records. */
function announcer({ before, unfinished }: SiteState, folder: SiteFolder, page: boolean): Announce {
  let announced: UnfinishedBuild = unfinished ?? { page, skills: new Map() };
  return (skills) => {
    if (skills.length === 0 && before.documents.size > 0) return;
    const files = new Map(skills.map(({ name, skill }) => [name, [...skill.files.keys()]]));
    announced = joinUnfinished(announced, { page, skills: files });
    folder.note(unfinishedName, Buffer.from(formatUnfinished(announced)));
  };
}

interface WriteOptions extends Pick<BuildSiteOptions, 'full' | 'known' | 'signal' | 'onProgress'> {
  readonly there: NamesThere;
  readonly announce: Announce;
}

/** Writes all skills, and returns them sorted by name; `undefined` if one changed since the snapshot. */
async function writeSkills(
  state: SiteState,
  folder: SiteFolder,
  published: readonly SiteSkill[],
  { full = false, known, signal, there, announce, onProgress }: WriteOptions,
): Promise<ReadonlyMap<string, ManifestSkill> | undefined> {
  const { artifacts, before, format } = state;
  const skills = new Map<string, ManifestSkill>();
  const fresh: { readonly one: SiteSkill; readonly set: string }[] = [];
  const isThere = presence(there, state);
  for (const one of published) {
    const set = state.setDigest(one.skill);
    const old = full ? undefined : asBuilt(state, one, set);
    if (old === undefined || !isThere(old)) fresh.push({ one, set });
    else {
      skills.set(one.name, old);
      if (old.artifact !== undefined) artifacts.remember(one.skill, old.artifact);
    }
  }
  announce(fresh.map(({ one }) => one));
  const makeRoom = roomMaker(folder, before);
  // Syncing every file of a large site is too slow. After a power failure it is built again.
  const durable = fresh.length <= limits.wellKnown.syncedSkills;
  const slices = createSlices();
  let [done, bytes] = [0, 0];
  for (const { one, set } of fresh) {
    // Without a pause, synchronous work would never let the signal abort.
    await slices.pause();
    signal?.throwIfAborted();
    const files = await filesOf(state.catalog, one.skill, known);
    if (files === undefined) return undefined;
    const { built, archive } = await packed(state, one, set, files);
    makeRoom(built, format);
    for (const file of files) folder.put(placesOfFile(built, file.path, format), file.bytes, durable);
    if (archive !== undefined) folder.put(placesOfArchive(built, format), archive, durable);
    skills.set(one.name, built);
    for (const { bytes: content } of files) bytes += content.byteLength;
    onProgress?.({ done: ++done, of: fresh.length, bytes });
  }
  return new Map([...skills].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The skill with its artifact; without one if no archive can contain it, which the index reports. */
async function packed(
  { artifacts }: SiteState,
  { name, type, inV01, skill }: SiteSkill,
  set: string,
  files: readonly ArchiveFile[],
): Promise<{ readonly built: ManifestSkill; readonly archive?: Uint8Array }> {
  const built = { name, set, files: files.map(({ path }) => path), inV01, type };
  if (type === 'skill-md') {
    const resource = skill.files.get(skillFileName)?.resource;
    if (resource === undefined) throw new TypeError(`${skill.entry.uri} lists no ${skillFileName}`);
    return { built: { ...built, artifact: { digest: resource.digest, size: resource.size } } };
  }
  try {
    const archive = await artifacts.pack(skill, files);
    const facts = await artifacts.facts(skill);
    return facts === undefined ? { built } : { built: { ...built, artifact: facts }, archive };
  } catch (error) {
    if (error instanceof SkillwireError && error.code.startsWith('ARCHIVE_')) return { built };
    throw error;
  }
}

/** The names in the folders of a site before the build. */
interface NamesThere {
  readonly v02: ReadonlySet<string>;
  readonly v01: ReadonlySet<string>;
  readonly byDigest: ReadonlySet<string>;
}

function namesOn(folder: SiteFolder): NamesThere {
  const names = (place: string): ReadonlySet<string> => new Set(folder.list(place));
  return { v02: names(folderV02), v01: names(folderV01), byDigest: names(artifactFolder) };
}

/**
 * Checks whether a skill of the last build is present, by the names in three folders only. Checking every file would cost as much as
 * reading the skills.
 */
function presence({ v02, v01, byDigest }: NamesThere, { format }: SiteState): (skill: ManifestSkill) => boolean {
  return (skill) => {
    const artifact = artifactPlace(skill, format)?.slice(artifactFolder.length + 1);
    const files = (skill.inV01 ? v01 : v02).has(skill.name);
    if (artifact === undefined) return files;
    const named = skill.type === 'archive' ? `${skill.name}.${format}` : skill.name;
    return files && byDigest.has(artifact) && v02.has(named);
  };
}

/** Writes indexes and pages, and returns their digests. */
function writeDocuments(
  folder: SiteFolder,
  files: ReadonlyMap<string, Uint8Array>,
  foreignPage: boolean,
): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  // The page comes last, so that its links to the indexes work.
  const places = [indexPlaceV02, indexPlaceV01, ...files.keys()];
  for (const place of new Set(places)) {
    const bytes = files.get(place);
    if (bytes === undefined || (place === pagePlace && foreignPage)) continue;
    folder.exchange(place, bytes);
    digests.set(place, nodeDigest(bytes));
  }
  return digests;
}
