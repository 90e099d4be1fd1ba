/**
 * Writes one nested YAML mapping of texts, numbers, booleans, lists of texts and texts by name. Texts that a reader could take for
 * something else are quoted.
 */
import type { Setting } from './mcp-server.ts';

export function yamlBlock(path: readonly string[], entries: Readonly<Record<string, Setting>>): string {
  const lines = path.map((key, level) => `${'  '.repeat(level)}${yamlString(key)}:\n`);
  return `${lines.join('')}${yamlLines(entries, '  '.repeat(path.length))}`;
}

/** The lines of a mapping, each with its end, at that indent; what is nested goes `step` deeper. */
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

function isList(value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] {
  return Array.isArray(value);
}

/** Plain where it begins with a letter, holds no punctuation of YAML and is no YAML 1.1 word; else in double quotes. */
export function yamlString(text: string): string {
  const plain = /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text).replaceAll('\x7f', '\\x7f');
}
