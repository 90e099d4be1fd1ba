/**
 * `skillwire.lock`: the installed skills, their origins and digests.
 *
 * - It is JSON with sorted keys, so that two people who add skills get a merge, not a conflict.
 * - An unreadable lock file is an error, never an empty one: nothing is installed, updated or removed.
 * - The file comes with a repository. So every name, path, label and origin in it is checked here before anything uses it. An origin is a
 *   typed value that never becomes a command line; version 1 had a text, which is parsed here once.
 * - Unknown keys are preserved.
 */
import { codeOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isArchiveName } from '../origins/kinds/folder.ts';
import { type LockedLocation, locationText, sameLocation } from '../origins/kinds.ts';
import { locationWith, readLocation } from '../origins/location.ts';
import { isLabel, labelRule, parseConfiguredOrigin } from '../origins/parse-origin.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject, sortedJson } from '../skill/json.ts';
import { readSignerIdentity, type SignerIdentity } from '../skill/signer-identity.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { type InstallPlace, type InstallScope, lockPath } from './install-place.ts';
import { folderNameFault, pathsFault } from './safe-path.ts';
import type { SyncDisk } from './sync-disk.ts';

export type LinkMode = 'link' | 'copy';

export interface LockedFile {
  readonly digest: string;
  readonly size: number;
  /** It is executable at its origin. */
  readonly executable?: true;
}

export interface LockedApproval {
  /** `person`, `policy` or `program`. */
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
}

/** Keys of a later version, unchanged. */
export type UnknownKeys = Readonly<Record<string, JsonValue>>;

export interface LockedSkill extends LockedOrigin {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  /** Digest of all files, as in approvals. */
  readonly setDigest: string;
  /** By path below the folder of the skill. */
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly agents: readonly string[];
  readonly mode: LinkMode;
  /** Whether files keep the executable bit of their origin. */
  readonly scripts: boolean;
  readonly approval: LockedApproval;
  /** Digest of paths and files without the signature: the same behind every gateway. */
  readonly content?: string;
  /** The trusted signer of this version, if there is one. An update by another signer is stopped. */
  readonly signer?: SignerIdentity;
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

/** The unknown keys to preserve when a row is rewritten. */
export function unknownAfter(before: LockedSkill | undefined): Pick<LockedSkill, 'unknown'> {
  return before?.unknown === undefined ? {} : { unknown: before.unknown };
}

export function lockedAs({ skills }: InstallLock, name: string): LockedSkill | undefined {
  return Object.hasOwn(skills, name) ? skills[name] : undefined;
}

export function lockedOrigins({
  skills,
}: InstallLock): readonly { readonly name: string; readonly origin: LockedLocation }[] {
  return Object.entries(skills).map(([name, { origin }]) => ({ name, origin }));
}

export interface ReadLock {
  readonly lock: InstallLock;
  /** The text on the disk; absent if there is no file. */
  readonly text?: string;
}

/** @throws SkillwireError LOCK_INVALID if the file is unreadable or invalid */
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
  if (lock.scope !== place.scope) throw invalid(path, `its scope is "${lock.scope}" instead of "${place.scope}"`);
  return { lock, text };
}

/** @throws SkillwireError LOCK_INVALID */
export function parseLock(text: string, path: string): InstallLock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const conflict = /^<{7} /m.test(text) ? 'it has an unresolved merge conflict' : 'it is not JSON';
    throw invalid(path, conflict, error);
  }
  const read = readWhole(value);
  if (typeof read === 'string') throw invalid(path, read);
  return read;
}

function invalid(path: string, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError(
    'LOCK_INVALID',
    `Cannot use ${quoteText(path)}: ${fault}. Nothing was changed. Fix the file, or restore it from version control.`,
    { data: { path, fault }, cause },
  );
}

/** The lock file, or its fault. */
function readWhole(value: unknown): InstallLock | string {
  if (!isJsonObject(value)) return 'it is not an object';
  const { lockVersion: version, scope, skills: rows, ...unknown } = value;
  if (!readVersions.includes(version))
    return `its version ${JSON.stringify(version) ?? 'none'} is not supported (${readVersions.join(', ')})`;
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
  const { origin: written, label, revision, uri, setDigest, files, agents, mode, scripts, approval, ...more } = row;
  const { content, signer: signedBy, ...unknown } = more;
  const origin = readLockedLocation(written);
  if ('fault' in origin) return `"origin": ${origin.fault}`;
  const from = originOf(origin, label, revision);
  if (typeof from === 'string') return from;
  if (typeof uri !== 'string' || uri === '') return '"uri" must be a string';
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
  if (content !== undefined && !isDigest(content)) return '"content" is not a digest';
  const signer = readSignerIdentity(signedBy);
  if (signedBy !== undefined && signer === undefined) return '"signer" is not a signer';
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
    content,
    signer,
    ...unknownKeys(unknown),
  };
}

function originOf(origin: LockedLocation, label: unknown, revision: unknown): LockedOrigin | string {
  if (label !== undefined && (typeof label !== 'string' || !isLabel(label))) return `"label": ${labelRule}`;
  if (revision !== undefined && (typeof revision !== 'string' || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(revision)))
    return '"revision" is not a commit';
  return { origin, label, revision };
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
 * The origin of a skill in the lock file is a typed value, checked when the file is read. A lock file comes with a
 * repository, so its texts never become a command line. The first version of the file had a text as on the command
 * line. Only this code converts that text to the same values.
 */

export interface LockedOrigin {
  /** A path inside the project is relative to its root. */
  readonly origin: LockedLocation;
  /** The label of the origin in the configuration, if it has one. */
  readonly label?: string;
  /** The commit of a Git repository. */
  readonly revision?: string;
}

/** For people; never parsed. */
export function lockedLocationText(place: LockedLocation): string {
  return place.kind === 'label' ? place.label : locationText(place);
}

export function sameLockedLocation(a: LockedLocation, b: LockedLocation): boolean {
  if (a.kind === 'label' || b.kind === 'label')
    return a.kind === b.kind && lockedLocationText(a) === lockedLocationText(b);
  return sameLocation(a, b);
}

/** @returns the location, or its fault */
export function readLockedLocation(value: unknown): LockedLocation | { readonly fault: string } {
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'label') {
    const label = 'label' in value ? value.label : undefined;
    return typeof label === 'string' && isLabel(label) ? { kind: 'label', label } : { fault: labelRule };
  }
  return readLocation(value);
}

/** An origin of version 1. */
function readText(text: string): LockedLocation | { readonly fault: string } {
  if (text === '' || text.includes('\0')) return { fault: 'it is empty or invalid' };
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
