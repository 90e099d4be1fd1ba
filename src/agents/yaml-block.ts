/** Writes one nested YAML mapping of texts, numbers, booleans and lists of texts. Texts that a reader could take for something else are quoted. */

type Value = string | number | boolean | readonly string[];

export function yamlBlock(path: readonly string[], entries: Readonly<Record<string, Value>>): string {
  const lines = path.map((key, level) => `${'  '.repeat(level)}${yamlString(key)}:`);
  const indent = '  '.repeat(path.length);
  for (const [key, value] of Object.entries(entries)) {
    if (typeof value !== 'object') lines.push(`${indent}${yamlString(key)}: ${yamlScalar(value)}`);
    else if (value.length === 0) lines.push(`${indent}${yamlString(key)}: []`);
    else lines.push(`${indent}${yamlString(key)}:`, ...value.map((item) => `${indent}  - ${yamlString(item)}`));
  }
  return `${lines.join('\n')}\n`;
}

function yamlScalar(value: string | number | boolean): string {
  return typeof value === 'string' ? yamlString(value) : String(value);
}

/** Plain where it begins with a letter, holds no punctuation of YAML and is no YAML 1.1 word; else in double quotes. */
function yamlString(text: string): string {
  const plain = /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text).replaceAll('\x7f', '\\x7f');
}
