/**
 * `skillwire.lock`: what is installed, where it came from and which bytes it has. JSON with sorted keys, so that two people who add
 * skills get a merge and not a conflict. A lock file that cannot be read is an error and never an empty one: nothing is installed,
 * updated or removed then. The file comes with a repository, so it becomes typed values here: every name, path, label and origin in it
 * is checked before anything uses it. Keys that this version does not know are kept and written back.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isArchiveName } from '../origins/archive-path.ts';
import { locationText } from '../origins/kinds.ts';
import { type LockedLocation, sameLocation } from '../origins/location.ts';
import { isLabel, labelRule, parseConfiguredOrigin } from '../origins/parse-origin.ts';
import { locationWith } from '../origins/place-of.ts';
import { readLocation } from '../origins/read-place.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject, sortedJson } from '../skill/json.ts';
import { codeOf, isAbsent } from '../store/embedded/file-system.ts';
import { type InstallPlace, type InstallScope, lockPath } from './install-place.ts';
import { folderNameFault, pathsFault } from './safe-path.ts';
import type { SyncDisk } from './sync-disk.ts';

export type LinkMode = 'link' | 'copy';

export interface LockedFile {
  readonly digest: string;
  readonly size: number;
  /** The origin says that it is executable. */
  readonly executable?: true;
}

export interface LockedApproval {
  /** `person`, `policy` or `program`. */
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
}

/** Keys of a later version, as they were read. */
export type UnknownKeys = Readonly<Record<string, JsonValue>>;

export interface LockedSkill extends LockedOrigin {
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** Over all files, as approvals have it. */
  readonly setDigest: string;
  /** By path below the folder of the skill. */
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly agents: readonly string[];
  readonly mode: LinkMode;
  /** Whether files that the origin calls executable are made so. */
  readonly scripts: boolean;
  readonly approval: LockedApproval;
  readonly unknown?: UnknownKeys;
}

/** The content of a `skillwire.lock`. */
export interface InstallLock {
  readonly scope: InstallScope;
  /** By the name of the folder. */
  readonly skills: Readonly<Record<string, LockedSkill>>;
  readonly unknown?: UnknownKeys;
}

const lockVersion = 2;
/** Version 1 had the origin as a text. */
const readVersions: readonly unknown[] = [1, lockVersion];

export function emptyLock(scope: InstallScope): InstallLock {
  return { scope, skills: {} };
}

export function lockText({ scope, skills, unknown }: InstallLock): string {
  const rows = Object.fromEntries(Object.entries(skills).map(([name, skill]) => [name, writtenSkill(skill)]));
  return `${JSON.stringify(sortedJson({ ...unknown, lockVersion, scope, skills: rows }), null, 2)}\n`;
}

function writtenSkill({ unknown, ...skill }: LockedSkill): object {
  return { ...unknown, ...skill };
}

/** Who signed the content and what it is made of: true of these bytes only. */
const ofTheseBytes: readonly string[] = ['signer', 'content'];

/** The unknown keys of a row that is written anew. */
export function unknownAfter(before: LockedSkill | undefined, setDigest: string): Pick<LockedSkill, 'unknown'> {
  if (before?.unknown === undefined) return {};
  if (before.setDigest === setDigest) return { unknown: before.unknown };
  return { unknown: Object.fromEntries(Object.entries(before.unknown).filter(([key]) => !ofTheseBytes.includes(key))) };
}

export function lockedAs({ skills }: InstallLock, name: string): LockedSkill | undefined {
  return Object.hasOwn(skills, name) ? skills[name] : undefined;
}

/** The names with their origins. */
export function lockedOrigins({
  skills,
}: InstallLock): readonly { readonly name: string; readonly origin: LockedLocation }[] {
  return Object.entries(skills).map(([name, { origin }]) => ({ name, origin }));
}

export interface ReadLock {
  readonly lock: InstallLock;
  /** As it is on the disk; absent where there is no file. */
  readonly text?: string;
}

/** @throws SkillwireError LOCK_INVALID where there is a file that cannot be read or understood */
export async function readLock(disk: SyncDisk, place: InstallPlace): Promise<ReadLock> {
  const path = lockPath(place);
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(path);
  } catch (error) {
    if (isAbsent(error)) return { lock: emptyLock(place.scope) };
    throw invalid(path, `it cannot be read (${codeOf(error) ?? String(error)})`, error);
  }
  if (bytes.byteLength > limits.sync.lockBytes) throw invalid(path, `it has more than ${limits.sync.lockBytes} bytes`);
  const text = new TextDecoder().decode(bytes);
  const lock = parseLock(text, path);
  if (lock.scope !== place.scope)
    throw invalid(path, `it is one of the scope "${lock.scope}", and this is the place of "${place.scope}"`);
  return { lock, text };
}

/** @throws SkillwireError LOCK_INVALID */
export function parseLock(text: string, path: string): InstallLock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const conflict = /^<{7} /m.test(text) ? 'it holds an unresolved merge conflict' : 'it is not JSON';
    throw invalid(path, conflict, error);
  }
  const read = readWhole(value);
  if (typeof read === 'string') throw invalid(path, read);
  return read;
}

function invalid(path: string, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError(
    'LOCK_INVALID',
    `cannot use ${quoteText(path)}: ${fault}; fix it or take it from version control, nothing was changed`,
    { data: { path, fault }, cause },
  );
}

/** The lock file, or what is wrong with it. */
function readWhole(value: unknown): InstallLock | string {
  if (!isJsonObject(value)) return 'it is not an object';
  const { lockVersion: version, scope, skills: rows, ...unknown } = value;
  if (!readVersions.includes(version))
    return `it has the version ${JSON.stringify(version) ?? 'none'}, this program knows ${readVersions.join(' and ')}`;
  if (scope !== 'project' && scope !== 'global') return '"scope" is neither "project" nor "global"';
  if (!isJsonObject(rows)) return '"skills" is not an object';
  const good = new Set<string>();
  const skills: [string, LockedSkill][] = [];
  for (const [name, row] of Object.entries(rows)) {
    const fault = folderNameFault(name);
    if (fault !== undefined) return `the skill name ${quoteText(name)} ${fault}`;
    const read = readSkill(row, good);
    if (typeof read === 'string') return `the skill ${quoteText(name)}: ${read}`;
    skills.push([name, read]);
  }
  return { scope, skills: Object.fromEntries(skills), ...unknownKeys(unknown) };
}

function readSkill(row: unknown, good: Set<string>): LockedSkill | string {
  if (!isJsonObject(row)) return 'it is not an object';
  const { origin: written, label, revision, uri, setDigest, files, agents, mode, scripts, approval, ...unknown } = row;
  const origin = readLockedPlace(written);
  if ('fault' in origin) return `"origin": ${origin.fault}`;
  const from = originOf(origin, label, revision);
  if (typeof from === 'string') return from;
  if (typeof uri !== 'string' || uri === '') return '"uri" is not a text';
  if (!isDigest(setDigest)) return '"setDigest" is not a digest';
  if (!Array.isArray(agents) || !agents.every((id) => typeof id === 'string')) return '"agents" is not a list';
  if (mode !== 'link' && mode !== 'copy') return '"mode" is neither "link" nor "copy"';
  if (typeof scripts !== 'boolean') return '"scripts" is neither true nor false';
  if (
    !isJsonObject(approval) ||
    typeof approval.by !== 'string' ||
    typeof approval.at !== 'string' ||
    !isTextOrAbsent(approval.reason)
  )
    return '"approval" does not say by whom and when';
  const fault = filesFault(files, good);
  if (fault !== undefined) return fault;
  return {
    ...from,
    uri,
    setDigest,
    files: files as LockedSkill['files'],
    agents,
    mode,
    scripts,
    approval: approval as unknown as LockedApproval,
    ...unknownKeys(unknown),
  };
}

function originOf(origin: LockedLocation, label: unknown, revision: unknown): LockedOrigin | string {
  if (label !== undefined && (typeof label !== 'string' || !isLabel(label))) return `"label": ${labelRule}`;
  if (revision !== undefined && (typeof revision !== 'string' || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(revision)))
    return '"revision" is not a commit';
  return { origin, ...(label === undefined ? {} : { label }), ...(revision === undefined ? {} : { revision }) };
}

function unknownKeys(unknown: Readonly<Record<string, unknown>>): { readonly unknown?: UnknownKeys } {
  return Object.keys(unknown).length === 0 ? {} : { unknown: unknown as UnknownKeys };
}

function filesFault(files: unknown, good: Set<string>): string | undefined {
  if (!isJsonObject(files)) return '"files" is not an object';
  const paths = Object.keys(files);
  if (!paths.includes('SKILL.md')) return 'its files lack "SKILL.md"';
  if (paths.length > limits.skill.files) return `it has more than ${limits.skill.files} files`;
  for (const [path, file] of Object.entries(files)) {
    const ok =
      isJsonObject(file) &&
      isDigest(file.digest) &&
      Number.isSafeInteger(file.size) &&
      Number(file.size) >= 0 &&
      (file.executable === undefined || file.executable === true);
    if (!ok) return `the file ${quoteText(path)} has no digest and size`;
  }
  return pathsFault(paths, good);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/**
 * Where the lock file says that a skill comes from: a typed value, checked when the file is read. A lock file comes with a repository,
 * so its texts never become a command line. The first version of the file had a text as on the command line; it is read into the same
 * values, once, here.
 */

export interface LockedOrigin {
  /** A path inside of the project is relative to its root. */
  readonly origin: LockedLocation;
  /** Under which the origin is known in a configuration, if it has such a name. */
  readonly label?: string;
  /** The commit, of a Git repository. */
  readonly revision?: string;
}

/** For people. Never parsed. */
export function lockedPlaceText(place: LockedLocation): string {
  return place.kind === 'label' ? place.label : locationText(place);
}

export function sameLockedPlace(a: LockedLocation, b: LockedLocation): boolean {
  if (a.kind === 'label' || b.kind === 'label') return a.kind === b.kind && lockedPlaceText(a) === lockedPlaceText(b);
  return sameLocation(a, b);
}

/** @returns the place, or what is wrong with it */
export function readLockedPlace(value: unknown): LockedLocation | { readonly fault: string } {
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'label') {
    const label = 'label' in value ? value.label : undefined;
    return typeof label === 'string' && isLabel(label) ? { kind: 'label', label } : { fault: labelRule };
  }
  return readLocation(value);
}

/** The first version of the file. */
function readText(text: string): LockedLocation | { readonly fault: string } {
  if (text === '' || text.includes('\0')) return { fault: 'it names nothing' };
  if (isLabel(text)) return { kind: 'label', label: text };
  try {
    const spec = parseConfiguredOrigin(text, { insecureHttp: true });
    if ('folder' in spec) return readLocation({ kind: isArchiveName(text) ? 'archive' : 'folder', path: text });
    return locationWith(spec, (path) => path);
  } catch (error) {
    if (error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}
