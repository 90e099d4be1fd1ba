/** Edits TOML: a new table goes to the end of the file; of one that is there, only the lines of the keys that change are replaced. */
import { parse } from 'smol-toml';
import type { TextEditor } from './text-editor.ts';
import { fieldsOf } from './text-editor.ts';
import { tomlLines, tomlTable } from './toml-table.ts';

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
    const kept = keptLines(lines, start + 1, [root, name], [...gone, ...Object.keys(entry)]);
    if (kept === undefined) return undefined;
    const head = lines.slice(0, start + 1).join('');
    return `${head}${written(tomlLines(entry))}${kept}`;
  },
};

/** What follows the header of the table, without the keys that are replaced, be they lines or tables of their own. */
function keptLines(
  lines: readonly string[],
  from: number,
  table: readonly string[],
  replaced: readonly string[],
): string | undefined {
  const kept: string[] = [];
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
    if (!goes) kept.push(text);
    index += statement;
  }
  return kept.join('');
}

/** How many lines a value takes: as many as it needs to be read. */
function statementLength(lines: readonly string[], from: number): number | undefined {
  for (let count = 1; from + count <= lines.length; count++) {
    if (firstKey(lines.slice(from, from + count).join('')) !== undefined) return count;
  }
  return undefined;
}

/** The key of one line such as `args = []`; undefined where that is not whole, or no such line. */
function firstKey(text: string): string | undefined {
  try {
    return Object.keys(parse(text, { integersAsBigInt: 'asNeeded' }))[0];
  } catch {
    // Not a whole statement yet; the caller takes one more line.
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
    // A line that begins with a bracket inside a text of several lines.
    return false;
  }
}
