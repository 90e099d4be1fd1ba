/** Edits TOML. A new table goes to the end of the file; in an existing one only the lines of changed keys are replaced. */
import { parse } from 'smol-toml';
import { tomlLines, tomlTable } from './entry-text.ts';
import { fieldsOf, type TextEditor } from './text-editor.ts';

export const tomlEditor: TextEditor = {
  parse: (text) => parse(text, { integersAsBigInt: 'asNeeded' }),

  edit(text, { root, name, old, entry, gone }) {
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const written = (block: string): string => block.replaceAll('\n', eol);
    if (old === undefined) {
      const start = /(?:^|\n)$/.test(text) ? text : `${text}${eol}`;
      return `${start}${eol}${written(tomlTable([root, name], entry))}`;
    }
    const lines = text.split(/(?<=\n)/);
    const start = lines.findIndex((line) => sameTable(line, [root, name]));
    if (start === -1) return undefined;
    const others = otherLines(lines, start + 1, [root, name], [...gone, ...Object.keys(entry)]);
    if (others === undefined) return undefined;
    const head = lines.slice(0, start + 1).join('');
    return `${head}${written(tomlLines(entry))}${others}`;
  },
};

/** The text after the header of the table, without replaced keys, be they lines or tables. */
function otherLines(
  lines: readonly string[],
  from: number,
  table: readonly string[],
  replaced: readonly string[],
): string | undefined {
  const others: string[] = [];
  let within: 'table' | 'replaced' | 'other' = 'table';
  for (let index = from; index < lines.length; ) {
    const line = lines[index] ?? '';
    if (/^\s*\[/.test(line)) {
      within = replaced.some((key) => sameTable(line, [...table, key])) ? 'replaced' : 'other';
    }
    const statement = within === 'other' || /^\s*(?:#|\[|$)/.test(line) ? 1 : statementLength(lines, index);
    if (statement === undefined) return undefined;
    const text = lines.slice(index, index + statement).join('');
    const key = within === 'table' ? firstKey(text) : undefined;
    const goes = within === 'replaced' ? !/^\s*(?:#|$)/.test(line) : key !== undefined && replaced.includes(key);
    if (!goes) others.push(text);
    index += statement;
  }
  return others.join('');
}

/** The number of lines of a value: as many as it needs to parse. */
function statementLength(lines: readonly string[], from: number): number | undefined {
  for (let count = 1; from + count <= lines.length; count++) {
    if (firstKey(lines.slice(from, from + count).join('')) !== undefined) return count;
  }
  return undefined;
}

/** The key of a statement such as `args = []`; `undefined` if the text is not a whole statement. */
function firstKey(text: string): string | undefined {
  try {
    return Object.keys(parse(text, { integersAsBigInt: 'asNeeded' }))[0];
  } catch {
    // Not a whole statement yet; the caller adds a line.
    return undefined;
  }
}

/** Whether the line is the header of that table, however its keys are quoted. */
function sameTable(line: string, path: readonly string[]): boolean {
  if (!/^\s*\[(?!\[)/.test(line)) return false;
  try {
    let value: unknown = parse(line);
    for (const key of path) value = fieldsOf(value)?.[key];
    return fieldsOf(value) !== undefined && Object.keys(fieldsOf(value) ?? {}).length === 0;
  } catch {
    // A line of a multi-line string that begins with a bracket.
    return false;
  }
}
