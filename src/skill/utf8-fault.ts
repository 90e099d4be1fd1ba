/** Where bytes stop being UTF-8, for messages: the decoders of the platform say only that they do. */

/** Offset of the first byte of the first sequence that is not UTF-8 (RFC 3629), or undefined for valid bytes. */
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

/** The second byte excludes overlong forms, surrogates and what lies above U+10FFFF. */
function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
