/**
 * Checks entry names. An accepted path stays below its folder, can be created on every system, and shows what it is, so
 * writers need no further check. The same rules apply to packing and unpacking, so every packed archive can be
 * unpacked.
 */
import type { ErrorCode, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import { parseFileName, windowsFault } from '../skill/file-path.ts';
import { refusedArchive } from './archive-error.ts';

/** Paths that match need no check of single characters. */
const ordinary =
  /^(?:[A-Za-z0-9_][A-Za-z0-9_-]{4,59}\/){0,6}[A-Za-z0-9_][A-Za-z0-9_-]{4,59}(?:\.[A-Za-z0-9_-]{1,12})?$/;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The name as text; `undefined` if the bytes are not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** For messages about names that are not text: each byte as a character. */
export function rawName(bytes: Uint8Array): string {
  return quoteText(Buffer.from(bytes.subarray(0, limits.path.characters)).toString('latin1'));
}

/**
 * Normalizes the path of a file or folder. One leading `./` is allowed, since common packers write it.
 *
 * @throws SkillwireError ARCHIVE_PATH_ESCAPE or ARCHIVE_NAME
 */
export function archivePath(name: string): string {
  const path = name.startsWith('./') ? name.slice(2) : name;
  if (ordinary.test(path)) return path;
  const outside = escapeFault(path);
  if (outside !== undefined) throw refusedName('ARCHIVE_PATH_ESCAPE', name, outside);
  if (path.length > limits.path.characters) {
    const fault = `has ${path.length} characters, more than ${limits.path.characters}`;
    throw refusedName('ARCHIVE_NAME', name, fault);
  }
  const segments = path.split('/');
  if (segments.length > limits.path.depth) {
    const fault = `has ${segments.length} levels, more than ${limits.path.depth}`;
    throw refusedName('ARCHIVE_NAME', name, fault);
  }
  return segments
    .map((segment) => {
      const parsed = parseFileName(segment);
      if (!parsed.ok) throw refusedName('ARCHIVE_NAME', name, parsed.fault);
      const windows = windowsFault(parsed.name);
      if (windows !== undefined) throw refusedName('ARCHIVE_NAME', name, `${windows}, so Windows cannot create it`);
      if (displayText(parsed.name) !== parsed.name)
        throw refusedName('ARCHIVE_NAME', name, 'contains an invisible or bidirectional character');
      return parsed.name;
    })
    .join('/');
}

function escapeFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/')) return 'is absolute';
  if (path.includes('\\')) return 'contains a backslash, which separates folders on Windows';
  if (/^[A-Za-z]:/.test(path)) return 'starts with a Windows drive';
  for (const segment of path.split('/')) {
    if (segment === '..') return 'contains "..", which leaves its folder';
    if (segment === '.' || segment === '') return 'contains an empty segment or "."';
  }
  return undefined;
}

function refusedName(code: ErrorCode, name: string, fault: string): SkillwireError {
  const remedy = 'Rename the file and pack it again';
  return refusedArchive(code, `the name ${quoteText(name)} ${fault}`, { remedy, data: { path: name } });
}

/** The order of UTF-8 bytes, in which entries are written and listed. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogate halves are below U+E000 as code units, but above U+FFFF as characters. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
