/** Checks of UTF-8 bytes: whether a text is plain, and where it stops being UTF-8. */

export interface ByteSurvey {
  /**
   * Every byte is printable ASCII, a tab, LF, or CR before LF. Such bytes are valid UTF-8 without hidden characters.
   */
  readonly plain: boolean;
  /** Line feeds at or after the given offset. Only meaningful if the text is plain. */
  readonly lineFeeds: number;
}

const table: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x0a ? 1 : byte === 0x0d ? 2 : byte === 0x09 || (byte >= 0x20 && byte < 0x7f) ? 0 : 3,
);

const notPlain: ByteSurvey = { plain: false, lineFeeds: 0 };

/**
 * Decides in one pass whether the expensive checks of a text are needed. Reads four bytes at a time while all of them are
 * printable ASCII. Counts line feeds from `from` on.
 */
export function surveyBytes(bytes: Uint8Array, from: number): ByteSurvey {
  const { length } = bytes;
  const aligned = bytes.byteOffset % 4 === 0;
  const words = aligned ? new Int32Array(bytes.buffer, bytes.byteOffset, length >> 2) : noWords;
  let lineFeeds = 0;
  for (let at = 0; at < length; ) {
    if ((at & 3) === 0) while (at >> 2 < words.length && isPrintable(words[at >> 2] as number)) at += 4;
    // A word with any other byte is checked byte by byte.
    for (const end = Math.min(length, (at | 3) + 1); at < end; at++) {
      const kind = table[bytes[at] as number];
      if (kind === 0) continue;
      if (kind === 1) {
        if (at >= from) lineFeeds++;
      } else if (kind === 3 || bytes[at + 1] !== 0x0a) return notPlain;
    }
  }
  return { plain: true, lineFeeds };
}

const noWords = new Int32Array(0);

/** True if all four bytes are 0x20 to 0x7e. It may be false for others too; those are checked byte by byte. */
function isPrintable(word: number): boolean {
  // The high bit marks a byte that is not printable. `word` has it for 0x80 and above, the sum for 0x7f, the difference below 0x20.
  return ((word | (word + 0x01010101) | (word - 0x20202020)) & 0x80808080) === 0;
}

/**
 * False if UTF-8 bytes certainly have no hidden characters. It looks for the bytes of the code points of `hidden-characters.ts`, which is
 * much faster than decoding the text. True for those, and for rare blocks near them.
 */
export function mayHideCharacters(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x20 && byte < 0x7f) continue;
    if (byte < 0x80) {
      if (byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return true;
    } else if (byte >= 0xc2 && isNearHidden(byte, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0)) return true;
  }
  return false;
}

/** The lead byte and the two after it, which may belong to the next character. */
function isNearHidden(lead: number, second: number, third: number): boolean {
  switch (lead) {
    case 0xc2:
      return second < 0xa0 || second === 0xad;
    case 0xcd:
      return second === 0x8f;
    case 0xe1:
    case 0xf3:
      return true;
    case 0xe2:
      return second === 0x81 || (second === 0x80 && (isBetween(third, 0x8b, 0x8f) || isBetween(third, 0xa8, 0xae)));
    case 0xe3:
      return second === 0x85;
    case 0xef:
      return second !== 0xbc && second !== 0xbd;
    case 0xf0:
      return second !== 0x9f;
    default:
      return false;
  }
}

function isBetween(byte: number, low: number, high: number): boolean {
  return byte >= low && byte <= high;
}

/** Offset of the first invalid sequence (RFC 3629), which platform decoders do not report; `undefined` for valid bytes. */
export function utf8FaultOffset(bytes: Uint8Array): number | undefined {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = sequenceLength(lead);
    if (length === 0 || at + length > bytes.length) return at;
    for (let index = 1; index < length; index++) {
      const [lowest, highest] = index === 1 ? secondByteRange(lead) : [0x80, 0xbf];
      const byte = bytes[at + index] ?? 0;
      if (byte < lowest || byte > highest) return at;
    }
    at += length;
  }
  return undefined;
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

/** The second byte excludes overlong forms, surrogates and code points above U+10FFFF. */
function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
