/**
 * Finds the start and end of the frontmatter. The first line is `---`, and the frontmatter ends at the next line `---`.
 * Both may have trailing blanks and end with LF, CRLF, CR or the end of the file. Nothing else counts: `---js` opens
 * nothing, and `a --- b` inside a value closes nothing. A leading byte-order mark is skipped. One pass over bytes, so
 * that the size is known before anything is decoded or parsed.
 */

export type FrontmatterFences =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unclosed' }
  | {
      readonly kind: 'found';
      /** Byte range of the YAML between the two lines. */
      readonly yamlStart: number;
      readonly yamlEnd: number;
      readonly bodyStart: number;
      /** Line (from 1) of the closing `---`. */
      readonly closingLine: number;
      /** A fence has trailing blanks. */
      readonly padded: boolean;
    };

const LF = 0x0a;
const CR = 0x0d;
const hyphen = 0x2d;

export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

export function findFences(bytes: Uint8Array): FrontmatterFences {
  const start = hasByteOrderMark(bytes) ? 3 : 0;
  const opening = endOfLine(bytes, start);
  if (!isFence(bytes, start, opening)) return { kind: 'missing' };
  const yamlStart = afterLineBreak(bytes, opening);
  let line = 2;
  for (let at = yamlStart; at < bytes.length; line++) {
    const end = endOfLine(bytes, at);
    if (isFence(bytes, at, end)) {
      const padded = opening - start > 3 || end - at > 3;
      return {
        kind: 'found',
        yamlStart,
        yamlEnd: at,
        bodyStart: afterLineBreak(bytes, end),
        closingLine: line,
        padded,
      };
    }
    at = afterLineBreak(bytes, end);
  }
  return { kind: 'unclosed' };
}

function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
  return at;
}

function afterLineBreak(bytes: Uint8Array, end: number): number {
  if (bytes[end] === CR && bytes[end + 1] === LF) return end + 2;
  return Math.min(end + 1, bytes.length);
}

function isFence(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (at < start + 3 ? byte !== hyphen : byte !== 0x20 && byte !== 0x09) return false;
  }
  return true;
}
