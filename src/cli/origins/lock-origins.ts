/** Converts origins to and from their form in a lock file, which means the same on every machine, and opens those of locked skills. */

import { homedir } from 'node:os';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { type ExitCode, SkillwireError } from '../../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import type { Host } from '../../host/host.ts';
import type { JudgedFile } from '../../origins/file-trust.ts';
import { lockedAt } from '../../origins/judge-file.ts';
import { locationText, type OriginLocation, sameLocation } from '../../origins/kinds.ts';
import { publishedBy, publishing, resolveLocation } from '../../origins/location.ts';
import { type NamedOrigin, originDefaults, usersWord } from '../../origins/named-origin.ts';
import { isUsersFile } from '../../origins/project-folders.ts';
import { everyKnownOrigin, type ReadingContext, withOptions } from '../../origins/resolve-reading.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Store } from '../../store/store.ts';
import { type LockedOrigin, lockedOrigins } from '../../sync/install-lock.ts';
import { type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { readInstalled } from '../../sync/installed.ts';
import type { LockedByName } from '../../sync/restore-skills.ts';
import type { Cli } from '../cli.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';

/** The location that a lock file has. A configuration names its published files itself. */
export function writtenLocation({ location, from }: NamedOrigin): OriginLocation {
  const { publish: _, ...where } = { publish: undefined, ...location };
  return from === 'configuration' ? where : location;
}

/** A path inside the root becomes relative to it. */
export function lockedOrigin(origin: NamedOrigin, root: string, revision?: string): LockedOrigin {
  const { label, location } = origin;
  return {
    origin: resolveLocation(writtenLocation(origin), (path) => (isAbsolute(path) ? fromRoot(path, root) : path)),
    ...(label === locationText(location) ? {} : { label }),
    revision,
  };
}

function fromRoot(path: string, root: string): string {
  const way = relative(root, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return path;
  return way === '' ? '.' : `./${way.split(sep).join('/')}`;
}

/** A path that means something else on other machines; `undefined` if there is none. */
export function absolutePath(location: LockedOrigin['origin']): string | undefined {
  let found: string | undefined;
  if (location.kind !== 'label')
    resolveLocation(location, (path) => {
      if (isAbsolute(path)) found ??= path;
      return path;
    });
  return found;
}

/** The path of a locked folder or archive on this machine; `undefined` for other origins. */
export function originPath({ origin }: LockedOrigin, root: string): string | undefined {
  return origin.kind === 'folder' || origin.kind === 'archive' ? resolve(root, origin.path) : undefined;
}

interface LockedWhere {
  readonly place: ReadingContext;
  /** The base of relative paths in the lock file. */
  readonly root: string;
  /** Absent: the user's own lock file. */
  readonly judged: JudgedFile | undefined;
  /** Read Git repositories at the commits of the lock file. */
  readonly pinned: boolean;
}

/**
 * The origin to read a locked skill from. A known label, with its credentials, is used only if it leads to the same location. A lock file
 * must not choose which of the user's origins is read.
 */
function lockedReading({ name, locked }: LockedByName, { place, root, judged, pinned }: LockedWhere): NamedOrigin {
  const { origin, label, revision } = locked;
  const known = everyKnownOrigin(place);
  if (origin.kind === 'label') return knownBy(origin.label, name, known);
  const where = resolveLocation(origin, (path) => resolve(root, path));
  const same = known.filter((one) => sameLocation(one.location, where));
  const at = lockedAt(name);
  const own = same.filter(({ trust }) => trust.standing === 'own');
  // The user's origin accepts the location, but not what else the lock file publishes of it.
  const publishesMore = publishedBy(where).some(
    (file) => !own.some(({ location }) => publishedBy(location).includes(file)),
  );
  const accepted = judged === undefined || (own.length > 0 && !publishesMore);
  const trust = accepted ? usersWord : { standing: judged.standing(at), file: judged, at };
  const named = label === undefined ? undefined : same.find((one) => one.label === label);
  const location = publishing(where, named === undefined ? [] : publishedBy(named.location));
  if (pinned && revision !== undefined && location.kind === 'git') {
    const commit: OriginLocation = { ...location, ref: revision };
    return { ...originDefaults, label: locationText(commit), location: commit, from: 'lock', trust };
  }
  if (named === undefined)
    return { ...originDefaults, label: labelOf(label, where, known), location, from: 'lock', trust };
  return publishesMore ? { ...named, location: publishing(named.location, publishedBy(where)), trust } : named;
}

/** The label that `add` and `update` give the origin of a locked skill, for rules about origins. */
export function lockedLabel({ origin, label }: LockedOrigin, { place, root }: Pick<LockedWhere, 'place' | 'root'>) {
  if (origin.kind === 'label') return origin.label;
  const where = resolveLocation(origin, (path) => resolve(root, path));
  return labelOf(label, where, everyKnownOrigin(place));
}

/** A label of another known origin is not used. */
function labelOf(label: string | undefined, where: OriginLocation, known: readonly NamedOrigin[]): string {
  const namesake = known.find((one) => one.label === label);
  const isFree = namesake === undefined || sameLocation(namesake.location, where);
  return label !== undefined && isFree ? label : locationText(where);
}

function knownBy(label: string, name: string, known: readonly NamedOrigin[]): NamedOrigin {
  const origin = known.find((one) => one.label === label);
  if (origin !== undefined) return origin;
  throw new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `Unknown origin ${quoteText(label)} of ${quoteText(name)} in the lock file. ` +
      `Add it with "skillwire origins add ${label}=ORIGIN".`,
    { data: { name, label } },
  );
}

/** The commit of a Git repository; `undefined` for other origins. */
export async function revisionOf(
  host: Host,
  { label, location }: NamedOrigin,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (location.kind !== 'git') return undefined;
  const source = host.origins.get(label)?.source;
  return (await source?.status?.({ signal }))?.revision;
}

export interface LockedAddress extends LockedByName {
  readonly address: SkillAddress | DiscoveredSkill;
}

/** Opens the origins of locked skills, each once. @param pinned read Git repositories at the commits of the lock file */
export async function withLockedOrigins(
  skills: readonly LockedByName[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
  pinned: boolean,
  run: (session: CommandSession, skills: readonly LockedAddress[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  let wanted: readonly NamedOrigin[] = [];
  const resolve = async (reading: ReadingContext, store: Store): Promise<readonly NamedOrigin[]> => {
    const judged = await judgedLock(place, store, options);
    const where = { place: reading, root: place.root, judged, pinned };
    wanted = skills.map((skill) => lockedReading(skill, where));
    return withOptions(together(wanted), options);
  };
  return withHost(
    resolve,
    options,
    cli,
    (session) =>
      run(
        session,
        skills.map((skill, index) => ({
          ...skill,
          address: { label: wanted[index]?.label ?? '', uri: skill.locked.uri },
        })),
      ),
    { ownDigests: true },
  );
}

const isSame = (a: NamedOrigin, b: NamedOrigin): boolean => a.label === b.label && sameLocation(a.location, b.location);

/** Each origin once, with the files that any of its skills publishes. */
function together(origins: readonly NamedOrigin[]): readonly NamedOrigin[] {
  const all: NamedOrigin[] = [];
  for (const origin of origins) {
    const index = all.findIndex((other) => isSame(origin, other));
    const known = all[index];
    if (known === undefined) all.push(origin);
    else
      all[index] = {
        ...known,
        location: publishing(known.location, publishedBy(origin.location)),
        trust: origin.trust.standing === 'untrusted' ? origin.trust : known.trust,
      };
  }
  return all;
}

/** `undefined` for the user's own lock file. */
async function judgedLock(
  place: InstallPlace,
  { state }: Pick<Store, 'state'>,
  { trustConfig }: Pick<ConnectionOptions, 'trustConfig'>,
): Promise<JudgedFile | undefined> {
  const file = lockPath(place);
  if (place.scope === 'global' && (place.platform === 'win32' || isUsersFile(file, place.platform))) return undefined;
  const { judgeLock } = await import('../../origins/judge-file.ts');
  const skills = lockedOrigins(await readInstalled(place));
  return judgeLock(skills, { file, home: homedir(), root: place.root }, state, { trustConfig });
}
