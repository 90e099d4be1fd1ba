/**
 * JSON for a stream that may be a terminal: control, bidirectional and invisible characters are written as escapes, so that
 * they cannot act on the terminal, while a program that parses the text gets exactly the same values.
 */

const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unseen, (found) => (found === '\n' ? found : escaped(found)));
}

function escaped(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}
