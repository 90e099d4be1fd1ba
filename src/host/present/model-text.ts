/**
 * Escapes text from outside for use inside our tags before a model. Two changes are made, both visible:
 *
 * 1. Control, bidirectional and invisible characters are shown as escapes (`displayText`); line breaks and tabs stay.
 * 2. Anything that starts one of our tags, or looks like it, loses its bracket. `<` becomes `&lt;`, a look-alike
 *   becomes its number (`&#xff1c;`), and a bracket written as an entity gets `&amp;` for its `&`. Our tags are those
 *   whose name starts with `skill`, `available_skill` or `resource_content`, opening or closing, in any case. Blanks,
 *   line breaks, marks, invisible characters or look-alike letters anywhere in them do not matter.
 *
 * So no text can close its wrapper, open a second one, or pretend to come from another origin with one of our tags
 * (SEP-2640: H-46, H-47). Everything else stays; undoing step 2 restores the text of step 1.
 */
import { displayText } from '../../skill/display-text.ts';

declare const modelTextBrand: unique symbol;

/** Text for a model: wrapped, with its origin, and escaped. Only created in this folder. */
export type ModelText = string & { readonly [modelTextBrand]: true };

/** For the files of this folder: text whose foreign parts are all escaped. */
export function modelText(text: string): ModelText {
  return text as ModelText;
}

/** Characters that look like `<`, or become it when text is normalized. */
const lookAlikes = [
  0x2c2, 0x1438, 0x2039, 0x2329, 0x226e, 0x227a, 0x276c, 0x276e, 0x2770, 0x27e8, 0x2991, 0x29fc, 0x3008, 0xfe3f, 0xfe64,
  0xff1c,
];
const lookAlikeSet = lookAlikes.map((code) => `\\u{${code.toString(16)}}`).join('');
const lookAlikeNumbers = [0x3c, ...lookAlikes].flatMap((code) => [`#0*${code}`, `#x0*${code.toString(16)}`]).join('|');
const openers = new RegExp(`[<${lookAlikeSet}]|&(?:amp;)*(?:lt|${lookAlikeNumbers})(?![0-9a-f]);?`, 'giu');
/** Nothing else starts an opener, and this test is cheap. */
const mayOpen = /[<&\u0080-\uffff]/;
const mayBeXml = /[&<>\u0080-\uffff]/;
const xmlCharacters = new RegExp(`[&<>${lookAlikeSet}]`, 'gu');

/**
 * Characters before and between the letters of a name that a careless reader overlooks. They are blanks, slashes, hyphens, other word
 * joiners, and invisible characters with their escapes. Never an opener, so that a text full of openers is not read again for each of them.
 */
const between =
  /[\s\p{Pc}\p{Pd}\p{Default_Ignorable_Code_Point}\p{Cc}./\u00b7\u2044\u2215\u2571\u29f8\uff0e\uff0f]|\\(?:u\{[0-9a-f]{1,6}\}|r)?/uy;

/** Escapes text from outside; see the top of this file. */
export function escapeForModel(text: string): string {
  const shown = displayText(text, { multiline: true });
  if (!mayOpen.test(shown)) return shown;
  return shown.replace(openers, (found, index: number) => {
    if (!namesOurTag(shown, index + found.length)) return found;
    if (found === '<') return '&lt;';
    return found.startsWith('&') ? `&amp;${found.slice(1)}` : numberOf(found);
  });
}

/** Escapes text for XML inside our tags. Line breaks become blanks. */
export function escapeXml(text: string): string {
  const shown = displayText(text.replace(/[ \t\r\n]+/g, ' '));
  if (!mayBeXml.test(shown)) return shown;
  return shown.replace(xmlCharacters, (found, index: number) => {
    if (found === '&') return '&amp;';
    if (found === '<') return '&lt;';
    if (found === '>') return '&gt;';
    return namesOurTag(shown, index + found.length) ? numberOf(found) : found;
  });
}

/** The value of an attribute of our tags. */
export function attribute(value: string): string {
  return escapeXml(value).replaceAll('"', '&quot;').replaceAll("'", '&apos;');
}

function numberOf(character: string): string {
  return `&#x${(character.codePointAt(0) ?? 0).toString(16)};`;
}

/**
 * Letters of other alphabets, and signs, that look like those of our names. `i` and `l` count as one letter, as in many
 * fonts.
 */
const lookAlikeLetters: ReadonlyMap<string, string> = new Map(
  (
    'i:l 1:l |:l \u0131:l \u0142:l \u0456:l \u0457:l \u04cf:l \u03b9:l \u0269:l \u2223:l \u01c0:l \u05c0:l ' +
    '\u0455:s \ua731:s 5:s $:s \u03ba:k \u043a:k \u0138:k \u0430:a \u03b1:a @:a \u0251:a \u0475:v \u03bd:v \u0435:e \u03b5:e 3:e ' +
    '\u044c:b \u0432:b 8:b \u0441:c \u043e:o \u03bf:o 0:o'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, -2), pair.slice(-1)]),
);

const names = ['skill', 'availableskill', 'resourcecontent'].map(fold);

/** True if one of our names starts at the offset, ignoring everything between its letters. */
function namesOurTag(text: string, from: number): boolean {
  let name = '';
  let at = from;
  while (at < text.length) {
    between.lastIndex = at;
    const passed = between.exec(text);
    if (passed !== null) {
      at += passed[0].length;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    // Some signs become a blank or a slash when text is normalized.
    name += fold(character).replace(/[\s\p{Pc}\p{Pd}./]/gu, '');
    if (names.some((own) => name.startsWith(own))) return true;
    if (!names.some((own) => own.startsWith(name))) return false;
    at += character.length;
  }
  return false;
}

function fold(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...plain].map((letter) => lookAlikeLetters.get(letter) ?? letter).join('');
}
