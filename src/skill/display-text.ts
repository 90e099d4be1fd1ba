/**
 * Makes text from outside safe to show. It cannot move the cursor of a terminal, reorder its neighbors on a page, or hide from a person
 * what a model reads. Suspicious characters are shown as escapes. For display only; bytes and values never change.
 */
import { limits } from '../limits.ts';
import { isVisibleInContext } from './hidden-characters.ts';

export interface DisplayOptions {
  /** Keep line breaks and tabs. */
  readonly multiline?: boolean;
}

const suspicious = /\r\n|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Nearly all text matches, and this test costs a tenth of classifying each character. */
const plain = /^[\x20-\x7e]*$/;
const plainLines = /^[\t\n\x20-\x7e]*$/;

/** Escapes control, bidirectional and invisible characters as `\u{...}`. */
export function displayText(text: string, options: DisplayOptions = {}): string {
  if ((options.multiline === true ? plainLines : plain).test(text)) return text;
  return text.replace(suspicious, (found, index: number) => {
    if (found === '\r\n') return options.multiline ? '\n' : '\\r\\n';
    if (found === '\n' || found === '\t') return options.multiline ? found : found === '\n' ? '\\n' : '\\t';
    if (found === '\r') return '\\r';
    if (isVisibleInContext(text, index)) return found;
    return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The text for a message: escaped, and cut if it is long. */
export function shortText(text: string): string {
  const limit = limits.messages.quotedCharacters;
  if (text.length <= limit) return displayText(text);
  const cut = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${displayText(text.slice(0, cut))}...`;
}

/** The same in quotes. */
export function quoteText(text: string): string {
  return `"${shortText(text)}"`;
}
