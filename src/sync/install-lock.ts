/**
 * `skillwire.lock`: what is installed, where it came from and which bytes it has. JSON with sorted keys, so that two people who add
 * skills get a merge and not a conflict. A lock file that cannot be read is an error and never an empty one: nothing is installed,
 * updated or removed then. What it says comes from others, so every name and path in it is checked before it is used.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { codeOf, isAbsent } from '../store/embedded/file-system.ts';
import type { InstallPlace, InstallScope } from './install-place.ts';
import { lockPath } from './install-place.ts';
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

export interface LockedSkill {
  /** As on the command line; a folder of the project is relative to it. */
  readonly origin: string;
  /** Under which the origin is known in a configuration, where it has such a name. */
  readonly label?: string;
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** The commit, of a Git repository. */
  readonly revision?: string;
  /** Over all files, as approvals have it. */
  readonly setDigest: string;
  /** By path below the folder of the skill. */
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly agents: readonly string[];
  readonly mode: LinkMode;
  /** Whether files that the origin calls executable are made so. */
  readonly scripts: boolean;
  readonly approval: LockedApproval;
}

export interface InstallLock {
  readonly scope: InstallScope;
  /** By the name of the folder. */
  readonly skills: Readonly<Record<string, LockedSkill>>;
}

const lockVersion = 1;

export function emptyLock(scope: InstallScope): InstallLock {
  return { scope, skills: {} };
}

export function lockText({ scope, skills }: InstallLock): string {
  return `${JSON.stringify(sorted({ lockVersion, scope, skills }), null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  // A name such as `__proto__` must become a key like any other.
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]));
}

/** Whether two rows say the same, whatever the order of their keys. */
export function sameLocked(a: LockedSkill | undefined, b: LockedSkill | undefined): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

export function lockedAs({ skills }: InstallLock, name: string): LockedSkill | undefined {
  return Object.hasOwn(skills, name) ? skills[name] : undefined;
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
  const fault = lockFault(value);
  if (fault !== undefined) throw invalid(path, fault);
  const { scope, skills } = value as InstallLock;
  return { scope, skills };
}

function invalid(path: string, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError(
    'LOCK_INVALID',
    `cannot use ${quoteText(path)}: ${fault}; mend it or take it from version control, nothing was changed`,
    { data: { path, fault }, cause },
  );
}

function lockFault(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it is not an object';
  if (value.lockVersion !== lockVersion)
    return `it has the version ${JSON.stringify(value.lockVersion) ?? 'none'}, this program knows ${lockVersion}`;
  if (value.scope !== 'project' && value.scope !== 'global') return '"scope" is neither "project" nor "global"';
  if (!isRecord(value.skills)) return '"skills" is not an object';
  const keys = Object.keys(value).find((key) => !['lockVersion', 'scope', 'skills'].includes(key));
  if (keys !== undefined) return `it has the unknown key ${quoteText(keys)}`;
  const good = new Set<string>();
  for (const [name, skill] of Object.entries(value.skills)) {
    const fault = folderNameFault(name);
    if (fault !== undefined) return `the skill name ${quoteText(name)} ${fault}`;
    const inside = skillFault(skill, good);
    if (inside !== undefined) return `the skill ${quoteText(name)}: ${inside}`;
  }
  return undefined;
}

const texts = ['origin', 'uri'] as const;
const known: ReadonlySet<string> = new Set([
  ...texts,
  'label',
  'revision',
  'setDigest',
  'files',
  'agents',
  'mode',
  'scripts',
  'approval',
]);

function skillFault(skill: unknown, good: Set<string>): string | undefined {
  if (!isRecord(skill)) return 'it is not an object';
  const unknown = Object.keys(skill).find((key) => !known.has(key));
  if (unknown !== undefined) return `it has the unknown key ${quoteText(unknown)}`;
  for (const key of texts) if (typeof skill[key] !== 'string' || skill[key] === '') return `"${key}" is not a text`;
  for (const key of ['label', 'revision']) if (!isTextOrAbsent(skill[key])) return `"${key}" is not a text`;
  if (!isDigest(skill.setDigest)) return '"setDigest" is not a digest';
  if (!Array.isArray(skill.agents) || !skill.agents.every((id) => typeof id === 'string'))
    return '"agents" is not a list';
  if (skill.mode !== 'link' && skill.mode !== 'copy') return '"mode" is neither "link" nor "copy"';
  if (typeof skill.scripts !== 'boolean') return '"scripts" is neither true nor false';
  const { approval } = skill;
  if (
    !isRecord(approval) ||
    typeof approval.by !== 'string' ||
    typeof approval.at !== 'string' ||
    !isTextOrAbsent(approval.reason)
  )
    return '"approval" does not say by whom and when';
  return filesFault(skill.files, good);
}

function filesFault(files: unknown, good: Set<string>): string | undefined {
  if (!isRecord(files)) return '"files" is not an object';
  const paths = Object.keys(files);
  if (!paths.includes('SKILL.md')) return 'its files lack "SKILL.md"';
  if (paths.length > limits.skill.files) return `it has more than ${limits.skill.files} files`;
  for (const [path, file] of Object.entries(files)) {
    const ok =
      isRecord(file) &&
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
