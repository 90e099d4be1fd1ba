/**
 * Names of entries. What passes is a path that stays below its folder on every system, can be created on every system, and
 * looks like what it is; whoever writes it needs no other check. The same rules hold for archives that are made here and for
 * those that are read, so that what is packed can be unpacked.
 */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import { parseFileName, windowsFault } from '../skill/file-path.ts';

/** Paths of ordinary names need no look at their characters. */
const ordinary =
  /^(?:[A-Za-z0-9_][A-Za-z0-9_-]{4,59}\/){0,6}[A-Za-z0-9_][A-Za-z0-9_-]{4,59}(?:\.[A-Za-z0-9_-]{1,12})?$/;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a name; undefined where the bytes are not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** For messages about names that are no text: each byte as a character. */
export function rawName(bytes: Uint8Array): string {
  return quoteText(Buffer.from(bytes.subarray(0, limits.path.characters)).toString('latin1'));
}

/**
 * The path of a file or folder in its normal form. One leading `./` is allowed, since common packers write it.
 *
 * @throws SkillwireError ARCHIVE_PATH_ESCAPE or ARCHIVE_NAME
 */
export function archivePath(name: string): string {
  const path = name.startsWith('./') ? name.slice(2) : name;
  if (ordinary.test(path)) return path;
  const outside = escapeFault(path);
  if (outside !== undefined) throw refusedName('ARCHIVE_PATH_ESCAPE', name, outside);
  if (path.length > limits.path.characters) {
    const fault = `has ${path.length} characters; at most ${limits.path.characters} are allowed`;
    throw refusedName('ARCHIVE_NAME', name, fault);
  }
  const segments = path.split('/');
  if (segments.length > limits.path.depth) {
    const fault = `has ${segments.length} levels; at most ${limits.path.depth} are allowed`;
    throw refusedName('ARCHIVE_NAME', name, fault);
  }
  return segments
    .map((segment) => {
      const parsed = parseFileName(segment);
      if (!parsed.ok) throw refusedName('ARCHIVE_NAME', name, parsed.fault);
      const windows = windowsFault(parsed.name);
      if (windows !== undefined) throw refusedName('ARCHIVE_NAME', name, `${windows}, so Windows cannot create it`);
      if (displayText(parsed.name) !== parsed.name)
        throw refusedName('ARCHIVE_NAME', name, 'holds an invisible or bidirectional character');
      return parsed.name;
    })
    .join('/');
}

function escapeFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/')) return 'is absolute';
  if (path.includes('\\')) return 'holds a backslash, which separates folders on Windows';
  if (/^[A-Za-z]:/.test(path)) return 'starts with a drive of Windows';
  for (const segment of path.split('/')) {
    if (segment === '..') return 'holds "..", which leads out of its folder';
    if (segment === '.' || segment === '') return 'holds an empty segment or "."';
  }
  return undefined;
}

function refusedName(code: ErrorCode, name: string, fault: string): SkillwireError {
  const message = `cannot use the archive: the name ${quoteText(name)} ${fault}; rename the file and pack it again`;
  return new SkillwireError(code, message, { data: { path: name } });
}

/** Order of the bytes of UTF-8, which is the order in which entries are written and told. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs are below U+E000 as code units, but above U+FFFF as characters. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
