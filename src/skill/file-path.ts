/**
 * One segment of a file path as it comes from a disk or an archive. What passes can be written as a segment of a skill URI
 * and read back unchanged; names are published in NFC, so that macOS (NFD) and Linux publish the same URI.
 */
import { limits } from '../limits.ts';

export type FileName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly fault: string };

const encoder = new TextEncoder();

/** Names of letters, digits and a few signs: nothing is wrong with them, and every normal form leaves them as they are. */
const ordinary = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** What has no other case than one step gives, and no other form. */
const printableAscii = /^[ -~]*$/;

/** Checks one path segment and normalises it to NFC. `fault` is a phrase that goes after "the name". */
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

/** Why a text cannot be a path segment of a skill URI, as a phrase that goes after what it is about. */
export function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'is empty';
  if (segment === '.' || segment === '..') return `is "${segment}", which stands for another folder`;
  if (segment.includes('/')) return 'holds a slash';
  if (segment.includes('\\')) return 'holds a backslash';
  if (segment.includes('\0')) return 'holds a NUL character';
  if (/\p{Cc}/u.test(segment)) return 'holds a control character';
  if (/\p{Cs}/u.test(segment)) return 'holds half of a surrogate pair, which is not Unicode text';
  return undefined;
}

const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

/** Why Windows cannot create a file of this name, as a phrase that goes after "the name"; undefined if it can. */
export function windowsFault(name: string): string | undefined {
  // The names of devices have three or four letters, or a dollar sign.
  if (ordinary.test(name) && !name.endsWith('.')) {
    const dot = name.indexOf('.');
    const length = dot === -1 ? name.length : dot;
    if (length !== 3 && length !== 4) return undefined;
  }
  const character = /[<>:"|?*]/.exec(name)?.[0];
  if (character !== undefined) return `holds the character ${character}`;
  if (name.endsWith('.')) return 'ends with a dot';
  if (name.endsWith(' ')) return 'ends with a space';
  const stem = (name.split('.', 1)[0] ?? '').replace(/ +$/, '');
  if (windowsDevice.test(stem)) return `is the name of a device (${stem.toUpperCase()})`;
  return undefined;
}

/**
 * The form in which names are compared for collisions on file systems that ignore case or Unicode form. Lower, upper and
 * lower again, because one step alone keeps pairs such as ss and sharp s or the two small sigmas apart.
 */
export function foldName(name: string): string {
  if (printableAscii.test(name)) return name.toLowerCase();
  return name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
