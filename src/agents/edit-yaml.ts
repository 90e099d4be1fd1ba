/** Edits YAML in block style. A new entry comes first in its mapping; in an existing one only the lines of changed keys are replaced. */
import { load } from 'js-yaml';
import { yamlLines, yamlString } from './entry-text.ts';
import type { TextEditor } from './text-editor.ts';

export const yamlEditor: TextEditor = {
  parse: (text) => load(text) ?? {},

  edit(text, { root, name, old, entry, gone }) {
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const lines = text.split(/\r?\n/);
    const joined = (parts: readonly string[]): string => parts.join(eol);
    const rootLine = lines.findIndex((line) => isKey(line, '', root));
    if (rootLine === -1) {
      const whole = [`${yamlString(root)}:`, `  ${yamlString(name)}:`, ...entryLines(entry, '    ', '  ')];
      const end = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
      return joined([...end, ...whole, '']);
    }
    const rest = restOf(lines[rootLine] ?? '', '', root);
    if (rest !== '' && rest !== '{}' && rest !== 'null' && rest !== '~' && !rest.startsWith('#')) return undefined;
    const head = rest === '' || rest.startsWith('#') ? (lines[rootLine] ?? '') : `${yamlString(root)}:`;
    const indent = childIndent(lines, rootLine + 1, '') ?? '  ';
    const before = [...lines.slice(0, rootLine), head];
    if (old === undefined) {
      const fresh = [`${indent}${yamlString(name)}:`, ...entryLines(entry, indent + indent, indent)];
      return joined([...before, ...fresh, ...lines.slice(rootLine + 1)]);
    }
    const nameLine = lines.findIndex((line, index) => index > rootLine && isKey(line, indent, name));
    if (nameLine === -1 || restOf(lines[nameLine] ?? '', indent, name) !== '') return undefined;
    const inner = childIndent(lines, nameLine + 1, indent) ?? indent + indent;
    const end = blockEnd(lines, nameLine + 1, indent);
    const others = withoutKeys(lines.slice(nameLine + 1, end), inner, [...gone, ...Object.keys(entry)]);
    const step = inner.slice(indent.length);
    return joined([...lines.slice(0, nameLine + 1), ...entryLines(entry, inner, step), ...others, ...lines.slice(end)]);
  },
};

function entryLines(entry: Parameters<typeof yamlLines>[0], indent: string, step: string): readonly string[] {
  return yamlLines(entry, indent, step).trimEnd().split('\n');
}

/** Whether the line begins the value of that key at exactly that indent, however the key is quoted. */
function isKey(line: string, indent: string, key: string): boolean {
  return keyText(line, indent, key) !== undefined;
}

function keyText(line: string, indent: string, key: string): string | undefined {
  const spellings = [key, JSON.stringify(key), `'${key.replaceAll("'", "''")}'`];
  return spellings
    .map((spelling) => `${indent}${spelling}:`)
    .find((start) => line === start || line.startsWith(`${start} `));
}

function restOf(line: string, indent: string, key: string): string {
  return line.slice((keyText(line, indent, key) ?? '').length).trim();
}

function isContent(line: string): boolean {
  return !/^\s*(?:#|$)/.test(line);
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? '';
}

/** The indent of the first line of a block below that indent; `undefined` if the block is empty. */
function childIndent(lines: readonly string[], from: number, parent: string): string | undefined {
  const first = lines.slice(from).find(isContent);
  if (first === undefined) return undefined;
  const indent = indentOf(first);
  return indent.length > parent.length ? indent : undefined;
}

/** The line after the block; comments and empty lines before the next key belong to that key. */
function blockEnd(lines: readonly string[], from: number, parent: string): number {
  let end = from;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (isContent(line) && indentOf(line).length <= parent.length) break;
    if (isContent(line) || (line.trim() !== '' && indentOf(line).length > parent.length)) end = index + 1;
  }
  return end;
}

function withoutKeys(lines: readonly string[], indent: string, keys: readonly string[]): readonly string[] {
  let dropping = false;
  return lines.filter((line) => {
    if (isContent(line) && indentOf(line).length <= indent.length)
      dropping = keys.some((key) => isKey(line, indent, key));
    return !(dropping && isContent(line));
  });
}
