/** One pass over the bytes of a text, to know whether the costly questions about it need to be asked at all. */

export interface ByteSurvey {
  /** Every byte is printable ASCII, a tab, LF, or CR before LF. Such bytes are UTF-8 and hold no hidden character. */
  readonly plain: boolean;
  /** Line feeds from the given offset on. Only meaningful where the text is plain. */
  readonly lineFeeds: number;
}

const table: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x0a ? 1 : byte === 0x0d ? 2 : byte === 0x09 || (byte >= 0x20 && byte < 0x7f) ? 0 : 3,
);

const notPlain: ByteSurvey = { plain: false, lineFeeds: 0 };

/** Looks at all bytes, four at a time where nothing is among them but printable ASCII; line feeds are counted from `from` on. */
export function surveyBytes(bytes: Uint8Array, from: number): ByteSurvey {
  const { length } = bytes;
  const aligned = bytes.byteOffset % 4 === 0;
  const words = aligned ? new Int32Array(bytes.buffer, bytes.byteOffset, length >> 2) : noWords;
  let lineFeeds = 0;
  for (let at = 0; at < length; ) {
    if ((at & 3) === 0) while (at >> 2 < words.length && isPrintable(words[at >> 2] as number)) at += 4;
    // After a word with anything else its bytes are looked at one by one.
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

/** True if each of four bytes is from 0x20 to 0x7e; false also for some others, which are then looked at. */
function isPrintable(word: number): boolean {
  // The high bit of a byte is set: in `word` from 0x80 on, after the sum where the byte is 0x7f, after the difference below 0x20.
  return ((word | (word + 0x01010101) | (word - 0x20202020)) & 0x80808080) === 0;
}
