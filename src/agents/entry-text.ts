/** Writes one entry as a TOML table or a nested YAML mapping: strings, numbers, booleans, lists and maps of strings. */
import type { Setting } from './mcp-server.ts';

export function tomlTable(path: readonly string[], entries: Readonly<Record<string, Setting>>): string {
  return `[${path.map(tomlKey).join('.')}]\n${tomlLines(entries)}`;
}

/** The lines of a table. */
export function tomlLines(entries: Readonly<Record<string, Setting>>): string {
  return Object.entries(entries)
    .map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}\n`)
    .join('');
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: Setting): string {
  if (typeof value === 'string') return tomlString(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(tomlString).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, text]) => `${tomlKey(key)} = ${tomlString(text)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function isList(value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] {
  return Array.isArray(value);
}

/** A JSON string is a TOML basic string, except that TOML requires DEL to be escaped. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

export function yamlBlock(path: readonly string[], entries: Readonly<Record<string, Setting>>): string {
  const lines = path.map((key, level) => `${'  '.repeat(level)}${yamlString(key)}:\n`);
  return `${lines.join('')}${yamlLines(entries, '  '.repeat(path.length))}`;
}

/** The lines of a mapping at that indent; nested values are indented by `step` more. */
export function yamlLines(entries: Readonly<Record<string, Setting>>, indent: string, step = '  '): string {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(entries)) {
    const head = `${indent}${yamlString(key)}:`;
    if (typeof value !== 'object') lines.push(`${head} ${typeof value === 'string' ? yamlString(value) : value}`);
    else if (isList(value))
      lines.push(
        ...nested(
          head,
          '[]',
          value.map((item) => `${indent}${step}- ${yamlString(item)}`),
        ),
      );
    else {
      const pairs = Object.entries(value).map(
        ([name, text]) => `${indent}${step}${yamlString(name)}: ${yamlString(text)}`,
      );
      lines.push(...nested(head, '{}', pairs));
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

function nested(head: string, empty: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`${head} ${empty}`] : [head, ...lines];
}

/** Plain if it begins with a letter, has no YAML punctuation and is not a YAML 1.1 word; else in double quotes. */
export function yamlString(text: string): string {
  const plain = /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text).replaceAll('\x7f', '\\x7f');
}
