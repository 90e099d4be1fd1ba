/**
 * `.skillignore`: the syntax of .gitignore, in any folder, for everything below it. A deeper file overrides one above;
 * everything below an excluded folder stays excluded.
 *
 * It protects unpublished files, so it fails closed: if any of it is unusable, nothing of its folder is published.
 */
import { isAbsolute, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { isPassing } from './file-stamp.ts';
import { readStable } from './stable-read.ts';

export const ignoreFileName = '.skillignore';

export interface IgnoreLevel {
  readonly folder: string;
  readonly matcher: Ignore;
  /** The file's text, for detecting changes. */
  readonly text: string;
}

export type IgnoreReading =
  | { readonly level: IgnoreLevel }
  /** `passing`: a retry may succeed. */
  | { readonly unusable: Finding; readonly passing: boolean };

/** @param kind the kind of entry in the listing */
export function readIgnoreFile(
  folder: string,
  path: string,
  shown: string,
  { kind, local }: { readonly kind: string; readonly local: boolean },
): MaybePromise<IgnoreReading> {
  if (kind === 'link' || kind === 'folder') return notAFile(kind, shown);
  const read = readStable(path, { maxBytes: limits.scan.ignoreFileBytes, local }, ({ bytes }) => ({ bytes }));
  return andThen(read, (found): MaybePromise<IgnoreReading> => {
    if (!('fault' in found)) return parseIgnoreFile(folder, found.bytes, shown);
    switch (found.fault) {
      case 'too-large':
        return tooLarge(found.size, shown);
      case 'gone':
      case 'unstable':
        return unusable('changes while it is read', shown, { remedy: 'nothing to do; it is read again soon' }, true);
      case 'not-regular':
        return unusable('is not an ordinary file', shown);
      case 'unreadable':
        return unusable(`cannot be read (${found.error})`, shown, {}, isPassing(found));
    }
  });
}

/** For anything at that path that is not a file. */
export function notAFile(kind: 'link' | 'folder', shown: string): IgnoreReading {
  return kind === 'link'
    ? unusable('is a link', shown, { remedy: 'replace the link with a copy of the file' })
    : unusable('is a folder', shown, { remedy: 'replace the folder with a text file' });
}

function tooLarge(size: number, shown: string): IgnoreReading {
  return unusable(`has ${size} bytes; the limit is ${limits.scan.ignoreFileBytes}`, shown, {
    remedy: 'use fewer lines, or split the file over several folders',
  });
}

export async function parseIgnoreFile(folder: string, bytes: Uint8Array, shown: string): Promise<IgnoreReading> {
  if (bytes.length > limits.scan.ignoreFileBytes) return tooLarge(bytes.length, shown);
  const text = decodeText(bytes);
  if (text === undefined) return unusable('is not text in UTF-8 or UTF-16', shown, { remedy: 'save it as UTF-8' });
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > limits.scan.ignoreLines)
    return unusable(`has ${lines.length} lines; the limit is ${limits.scan.ignoreLines}`, shown, {
      remedy: 'use fewer lines, or split the file over several folders',
    });
  for (const [index, line] of lines.entries()) {
    const fault = ignoreLineFault(line);
    if (fault !== undefined)
      return unusable(`cannot be used: the line ${fault.message}`, shown, { line: index + 1, remedy: fault.remedy });
  }
  // Few folders have such a file; the others do not load its parser.
  const { default: ignore } = await import('ignore');
  return { level: { folder, matcher: ignore().add(lines), text } };
}

function unusable(
  fault: string,
  shown: string,
  place: { readonly line?: number; readonly remedy?: string } = {},
  passing = false,
): IgnoreReading {
  const message = `${ignoreFileName} ${fault}, so nothing in its folder is published`;
  return { unusable: finding('ignore-file', message, { file: shown, ...place }), passing };
}

/** UTF-8, or UTF-16 with a byte-order mark, as Windows saves it. NUL is in no file name, so text with it is something else. */
function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const text =
    first === 0xff && second === 0xfe
      ? decodeUtf16(Buffer.from(bytes))
      : first === 0xfe && second === 0xff
        ? decodeUtf16(swapped(bytes))
        : decodeUtf8(bytes);
  return text?.includes('\0') === true ? undefined : text?.replace(/^\uFEFF/, '');
}

function swapped(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  return copy.length % 2 === 0 ? copy.swap16() : copy;
}

function decodeUtf16(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export function isIgnored(levels: readonly IgnoreLevel[], path: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { folder, matcher } of levels) {
    const below = relative(folder, path).split(sep).join('/');
    if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
    const answer = matcher.test(isFolder ? `${below}/` : below);
    if (answer.ignored) ignored = true;
    else if (answer.unignored) ignored = false;
  }
  return ignored;
}

export interface IgnoreLineFault {
  /** Continues "the line". */
  readonly message: string;
  readonly remedy: string;
}

const rows: readonly (IgnoreLineFault & { readonly isFaulty: (pattern: string) => boolean })[] = [
  {
    message: `has more than ${limits.scan.ignoreStars} times "**"`,
    remedy: `use "**" at most ${limits.scan.ignoreStars} times in a line`,
    isFaulty: (pattern) => pattern.split('**').length > limits.scan.ignoreStars + 1,
  },
  {
    message: 'has a backslash between names',
    remedy: 'write "/" between the names of folders',
    isFaulty: (pattern) => /\\(?:[\p{L}\p{N}_.-]|$)/u.test(pattern.replaceAll('\\\\', '')),
  },
  {
    message: 'has ".", ".." or nothing as the name of a folder',
    remedy: 'write the path from the folder of the .skillignore, without "./", "../" and "//"',
    isFaulty: (pattern) => /(?:^|\/)\.\.?(?:\/|$)|\/\//.test(pattern),
  },
  {
    message: 'has a "[" without "]"',
    remedy: 'close the bracket, or write "\\[" for the character',
    isFaulty: (pattern) => /\[(?!.[^\]]*\])/u.test(pattern.replace(/\\./gu, '')),
  },
  {
    message: 'begins or ends with white space',
    remedy: 'remove the white space, or write "\\ " for a space that belongs to the name',
    isFaulty: (pattern) => /^\s|[^\S ]$/u.test(pattern),
  },
];

/**
 * Why a line is unusable; `undefined` for patterns, comments and empty lines. Such lines match nothing or take too
 * long. Git ignores them; here each would publish a file that was meant to stay private, so it is reported.
 */
export function ignoreLineFault(line: string): IgnoreLineFault | undefined {
  if (line.startsWith('#') || line.trim() === '') return undefined;
  const pattern = line.startsWith('!') ? line.slice(1) : line;
  const fault = rows.find(({ isFaulty }) => isFaulty(pattern));
  return fault === undefined ? undefined : { message: fault.message, remedy: fault.remedy };
}
