/** Writes a `SKILL.md` from frontmatter and body. Values are written as JSON, which every YAML reader reads alike. */
import type { JsonValue } from '../skill/entry.ts';

export function composeSkillFile(frontmatter: Readonly<Record<string, JsonValue>>, body: string): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${keyText(key)}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${body}${body === '' || body.endsWith('\n') ? '' : '\n'}`;
}

function keyText(key: string): string {
  return /^[A-Za-z][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : JSON.stringify(key);
}
