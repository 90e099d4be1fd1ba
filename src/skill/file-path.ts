/**
 * File names and path segments, from a disk, an archive or a URI. An accepted name can be a segment of a skill URI and be read back unchanged.
 * Names are published in NFC, so that macOS (NFD) and Linux publish the same URI.
 */
import { limits } from '../limits.ts';

export type FileName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly fault: string };

const encoder = new TextEncoder();

/** Names of letters, digits and a few signs are always valid, and the same in every normal form. */
const ordinary = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Such names have one lower-case form and one Unicode form. */
const printableAscii = /^[ -~]*$/;

/** Checks one path segment and normalizes it to NFC. `fault` is a phrase to follow "the name". */
export function parseFileName(name: string): FileName {
  if (name.length <= limits.path.segmentBytes && ordinary.test(name)) return { ok: true, name };
  const fault = segmentFault(name);
  if (fault !== undefined) return { ok: false, fault };
  const normal = name.normalize('NFC');
  const bytes = encoder.encode(normal).length;
  if (bytes > limits.path.segmentBytes) {
    return { ok: false, fault: `has ${bytes} bytes; at most ${limits.path.segmentBytes} are allowed` };
  }
  return { ok: true, name: normal };
}

/** Why a text cannot be a path segment of a skill URI, as a phrase to follow the segment. */
export function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'is empty';
  if (segment === '.' || segment === '..') return `is "${segment}", which means another folder`;
  if (segment.includes('/')) return 'contains a slash';
  if (segment.includes('\\')) return 'contains a backslash';
  if (segment.includes('\0')) return 'contains a NUL character';
  if (/\p{Cc}/u.test(segment)) return 'contains a control character';
  if (/\p{Cs}/u.test(segment)) return 'contains half of a surrogate pair, which is not valid Unicode';
  return undefined;
}

const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

/** Why Windows cannot create a file with this name, as a phrase to follow "the name"; `undefined` if it can. */
export function windowsFault(name: string): string | undefined {
  // Device names have three or four letters, or a dollar sign.
  if (ordinary.test(name) && !name.endsWith('.')) {
    const dot = name.indexOf('.');
    const length = dot === -1 ? name.length : dot;
    if (length !== 3 && length !== 4) return undefined;
  }
  const character = /[<>:"|?*]/.exec(name)?.[0];
  if (character !== undefined) return `contains the character ${character}`;
  if (name.endsWith('.')) return 'ends with a dot';
  if (name.endsWith(' ')) return 'ends with a space';
  const stem = (name.split('.', 1)[0] ?? '').replace(/ +$/, '');
  if (windowsDevice.test(stem)) return `is a device name (${stem.toUpperCase()})`;
  return undefined;
}

/**
 * Folds a name for collision checks on file systems that ignore case or Unicode form. It lowers, raises and lowers
 * again, because a single step does not unify pairs such as ss and sharp s, or the two small sigmas.
 */
export function foldName(name: string): string {
  if (printableAscii.test(name)) return name.toLowerCase();
  return name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Paths with only one spelling, which is nearly all. Their segments are ASCII letters, digits and the signs that `encodeURIComponent`
 * keeps, none of them empty, `.` or `..`. In a URI they need no encoding.
 */

const segment = "(?!\\.{1,2}(?:/|$))[\\w!~*'().-]+";
const plain = new RegExp(`${segment}(?:/${segment}){0,${limits.uri.segments - 1}}$`, 'y');

/** True if the text from `from` on is such a path, with no more segments than a URI may have. */
export function isPlainPath(text: string, from = 0): boolean {
  plain.lastIndex = from;
  return plain.test(text);
}

/** Decodes one segment of a URI. Unencoded characters are taken literally; a percent sign must start a code. */
export function decodeSegment(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Counts the segments from `from` on before anything is split: lookups try each prefix of a path. */
export function hasTooManySegments(text: string, from = 0): boolean {
  let count = 0;
  for (let at = text.indexOf('/', from); at !== -1; at = text.indexOf('/', at + 1))
    if (++count >= limits.uri.segments) return true;
  return false;
}
