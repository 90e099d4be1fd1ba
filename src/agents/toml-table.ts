/** Writes one TOML table of texts, numbers, booleans, lists of texts and texts by name. */
import type { Setting } from './mcp-server.ts';

export function tomlTable(path: readonly string[], entries: Readonly<Record<string, Setting>>): string {
  return `[${path.map(tomlKey).join('.')}]\n${tomlLines(entries)}`;
}

/** The lines of a table, each with its end. */
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

/** A JSON text is a TOML basic string, except that TOML also wants DEL escaped. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}
