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

/** Looks at all bytes; line feeds are counted from `from` on. */
export function surveyBytes(bytes: Uint8Array, from: number): ByteSurvey {
  let lineFeeds = 0;
  for (let at = 0; at < bytes.length; at++) {
    const kind = table[bytes[at] as number];
    if (kind === 0) continue;
    if (kind === 1) {
      if (at >= from) lineFeeds++;
    } else if (kind === 3 || bytes[at + 1] !== 0x0a) return { plain: false, lineFeeds: 0 };
  }
  return { plain: true, lineFeeds };
}
