/**
 * Encodes client ids and path segments of the Model Drive Protocol as segments of a skill URI. Each must be a valid skill name. Valid names
 * stay unchanged. Any other text, and text that starts with the mark `z-`, becomes the mark followed by the text. Each disallowed character
 * is written as `z` and a code, so that decoding is exact: `file_rules` is `z-filezurules`, `My App/1` is `z-zcmyzx20zzcappzx2fz1`.
 */
import { isSkillName } from '../../skill/name.ts';

const mark = 'z-';
const codes: Readonly<Record<string, string>> = { z: 'zz', '-': 'zh', _: 'zu', '.': 'zd' };
const signs: Readonly<Record<string, string>> = { z: 'z', h: '-', u: '_', d: '.' };

/** `undefined` if the result is too long for a name, or the text is empty. */
export function encodeSegment(text: string): string | undefined {
  if (isSkillName(text) && !text.startsWith(mark)) return text;
  let encoded = mark;
  for (const character of text) encoded += encodeCharacter(character);
  return isSkillName(encoded) ? encoded : undefined;
}

/** The decoded text; `undefined` if no text encodes to this segment. */
export function decodeSegment(segment: string): string | undefined {
  if (!isSkillName(segment)) return undefined;
  if (!segment.startsWith(mark)) return segment;
  let text = '';
  for (const [written, plain, sign, capital, hex] of segment
    .slice(mark.length)
    .matchAll(/([a-y0-9])|z(?:([zhud])|c([a-z])|x([0-9a-f]{1,6})z)|./gy)) {
    const point = hex === undefined ? 0 : Number.parseInt(hex, 16);
    if (written === undefined || point > 0x10ffff) return undefined;
    const decoded =
      plain ??
      (sign === undefined ? undefined : signs[sign]) ??
      capital?.toUpperCase() ??
      (hex && String.fromCodePoint(point));
    if (decoded === undefined) return undefined;
    text += decoded;
  }
  // Each text has exactly one encoding.
  return encodeSegment(text) === segment ? text : undefined;
}

function encodeCharacter(character: string): string {
  if (/^[a-y0-9]$/.test(character)) return character;
  const code = codes[character];
  if (code !== undefined) return code;
  if (/^[A-Z]$/.test(character)) return `zc${character.toLowerCase()}`;
  return `zx${(character.codePointAt(0) ?? 0).toString(16)}z`;
}
