/**
 * Folders of the store have mode 0700 and belong to the user of this process. They are outside every folder that agents
 * search for skills: a cached remote skill there would look like a local one. A link to a folder is followed only if
 * the user made it.
 */

import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf } from '../../errors.ts';
import { type FileStatus, type FileSystem, isAbsent, lstatIfThere } from './file-system.ts';
import { quotePath, unusable } from './store-failure.ts';

const ownOnly = 0o700;

function isOwn(facts: FileStatus): boolean {
  return facts.uid === undefined || facts.uid === process.geteuid?.();
}

/** Refuses a folder of another user, and closes one that others can access. @returns `false` if there is none */
export async function checkFolder(files: FileSystem, path: string): Promise<boolean> {
  const link = await lstatIfThere(files, path);
  if (link === undefined) return false;
  const facts = link.kind === 'link' ? await files.stat(path) : link;
  const whose = `cannot use ${quotePath(path)} as a folder of the state`;
  if (facts.kind !== 'folder') throw unusable(`${whose}: it is not a folder; move it away`, path);
  if (!isOwn(link) || !isOwn(facts)) {
    throw unusable(`${whose}: it belongs to another user; choose a folder of your own with SKILLWIRE_HOME`, path);
  }
  if (facts.uid !== undefined && (facts.mode & 0o077) !== 0) await files.chmod(path, ownOnly);
  return true;
}

/** Creates the folder and its missing parents. */
export async function makeFolder(files: FileSystem, path: string): Promise<void> {
  if (await checkFolder(files, path)) return;
  const parent = dirname(path);
  if (parent !== path && (await lstatIfThere(files, parent)) === undefined) await makeFolder(files, parent);
  try {
    await files.mkdir(path, ownOnly);
  } catch (error) {
    // Another process created it first.
    if (codeOf(error) !== 'EEXIST' || !(await checkFolder(files, path))) throw error;
  }
  await files.syncFolder(parent);
}

/** A path without links, as far as it exists. */
interface RealPath {
  readonly path: string;
  readonly isThere: boolean;
}

/** Checked paths and their parents. Nothing below a missing folder needs a check. */
export type KnownPaths = Map<string, RealPath>;

async function realPath(files: FileSystem, path: string, known: KnownPaths): Promise<RealPath> {
  const found = known.get(path) ?? (await findPath(files, path, known));
  known.set(path, found);
  return found;
}

async function findPath(files: FileSystem, path: string, known: KnownPaths): Promise<RealPath> {
  const parent = dirname(path);
  if (parent === path) return { path: await files.realpath(path), isThere: true };
  const above = await realPath(files, parent, known);
  const below = { path: join(above.path, basename(path)), isThere: false };
  if (!above.isThere || !(await files.isThere(path))) return below;
  try {
    return { path: await files.realpath(path), isThere: true };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return below;
  }
}

/** Normalizes paths that most disks of macOS and Windows treat as the same. */
function foldedPath(path: string): string {
  return process.platform === 'darwin' || process.platform === 'win32' ? path.normalize('NFC').toLowerCase() : path;
}

/** Expects normalized paths without links, so that a comparison of text is enough: there are many hundreds of them. */
function contains(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

/** @throws STATE_UNUSABLE if the folder is a forbidden one, is inside one or contains one */
export async function refuseForbidden(
  files: FileSystem,
  path: string,
  forbidden: readonly string[],
  known: KnownPaths = new Map(),
): Promise<void> {
  const place = foldedPath((await realPath(files, resolve(path), known)).path);
  for (const folder of forbidden) {
    const absolute = resolve(folder);
    const other = foldedPath((known.get(absolute) ?? (await realPath(files, absolute, known))).path);
    if (!contains(other, place) && !contains(place, other)) continue;
    throw unusable(
      `cannot store state in ${quotePath(path)}: agents look for skills in ${quotePath(folder)} and would find the stored files; choose another folder with SKILLWIRE_HOME`,
      path,
    );
  }
}
