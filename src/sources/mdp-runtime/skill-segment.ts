/**
 * Client ids and path segments of the Model Drive Protocol as segments of a skill URI, each of which must be able to be the name
 * of a skill. What is a valid name stays as it is. Everything else, and what begins with the mark `z-` itself, becomes the mark
 * and the text with each character that a name cannot hold written as `z` and a code, so that the way back is exact:
 * `file_rules` is `z-filezurules`, `My App/1` is `z-zcmyzx20zzcappzx2fz1`.
 */
import { isSkillName } from '../../skill/name.ts';

const mark = 'z-';
const codes: Readonly<Record<string, string>> = { z: 'zz', '-': 'zh', _: 'zu', '.': 'zd' };
const signs: Readonly<Record<string, string>> = { z: 'z', h: '-', u: '_', d: '.' };

/** Undefined where the result is longer than a name may be, or there is nothing to encode. */
export function encodeSegment(text: string): string | undefined {
  if (isSkillName(text) && !text.startsWith(mark)) return text;
  let encoded = mark;
  for (const character of text) encoded += encodeCharacter(character);
  return isSkillName(encoded) ? encoded : undefined;
}

/** The text that was encoded; undefined for what no text is encoded as. */
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
  // One text has one spelling.
  return encodeSegment(text) === segment ? text : undefined;
}

function encodeCharacter(character: string): string {
  if (/^[a-y0-9]$/.test(character)) return character;
  const code = codes[character];
  if (code !== undefined) return code;
  if (/^[A-Z]$/.test(character)) return `zc${character.toLowerCase()}`;
  return `zx${(character.codePointAt(0) ?? 0).toString(16)}z`;
}
