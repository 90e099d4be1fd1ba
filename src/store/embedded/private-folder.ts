/**
 * Folders of the store: 0700, owned by who runs this process, and outside every folder in which agents look for skills
 * (a cached remote skill there would be found as a local one). A link that the user made to a folder is followed; a link that
 * somebody else made is not.
 */
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf, type FileFacts, type FileSystem, isAbsent, lstatIfThere } from './file-system.ts';
import { quotePath, unusable } from './store-failure.ts';

const ownOnly = 0o700;

function isOwn(facts: FileFacts): boolean {
  return facts.uid === undefined || facts.uid === process.geteuid?.();
}

/** Refuses a folder that is not ours and closes one that others may look into. @returns false where there is none */
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

/** Makes the folder, and those above it, where they are missing. */
export async function makeFolder(files: FileSystem, path: string): Promise<void> {
  if (await checkFolder(files, path)) return;
  const parent = dirname(path);
  if (parent !== path && (await lstatIfThere(files, parent)) === undefined) await makeFolder(files, parent);
  try {
    await files.mkdir(path, ownOnly);
  } catch (error) {
    // Another process made it meanwhile.
    if (codeOf(error) !== 'EEXIST' || !(await checkFolder(files, path))) throw error;
  }
  await files.syncFolder(parent);
}

/** A path without links, as far as it exists. */
interface RealPath {
  readonly path: string;
  readonly isThere: boolean;
}

/** Paths that were looked at, with those above them: below what is not there nothing has to be looked for. */
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

/** The names under which most disks of these systems know the same file. */
function folded(path: string): string {
  return process.platform === 'darwin' || process.platform === 'win32' ? path.normalize('NFC').toLowerCase() : path;
}

/** Of folded paths without links, which need no more than to be compared: there are many hundreds of them. */
function contains(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

/** @throws STATE_UNUSABLE where the folder lies in, is, or contains a forbidden one */
export async function refuseForbidden(
  files: FileSystem,
  path: string,
  forbidden: readonly string[],
  known: KnownPaths = new Map(),
): Promise<void> {
  const place = folded((await realPath(files, resolve(path), known)).path);
  for (const folder of forbidden) {
    const absolute = resolve(folder);
    const other = folded((known.get(absolute) ?? (await realPath(files, absolute, known))).path);
    if (!contains(other, place) && !contains(place, other)) continue;
    throw unusable(
      `cannot keep state in ${quotePath(path)}: agents look for skills in ${quotePath(folder)} and would find what is stored; choose another folder with SKILLWIRE_HOME`,
      path,
    );
  }
}
