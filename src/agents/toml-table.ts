/** Writes one TOML table of texts, numbers, booleans and lists of texts. */

type Value = string | number | boolean | readonly string[];

export function tomlTable(path: readonly string[], entries: Readonly<Record<string, Value>>): string {
  const lines = Object.entries(entries).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
  return `${[`[${path.map(tomlKey).join('.')}]`, ...lines].join('\n')}\n`;
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: Value): string {
  if (typeof value === 'string') return tomlString(value);
  return typeof value === 'object' ? `[${value.map(tomlString).join(', ')}]` : String(value);
}

/** A JSON text is a TOML basic string, except that TOML also wants DEL escaped. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}
