/**
 * JSON for a stream that may be a terminal. Control, bidirectional and invisible characters are escaped, so they cannot act on the
 * terminal; a program that parses the text gets exactly the same values.
 */
import type { Cli } from '../cli.ts';

const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unseen, (found) => (found === '\n' ? found : escaped(found)));
}

/** Prints a result to stdout. */
export function writeJson({ stdout }: Pick<Cli, 'stdout'>, value: unknown): void {
  stdout.write(`${jsonText(value, 2)}\n`);
}

function escaped(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}
