/**
 * Texts of the configuration that name environment variables: `${NAME}`. Secrets stand in the environment and never in the file;
 * no message repeats the value of a variable. `$${` is a literal `${`.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';

/** How a variable is named in the configuration. */
export const referenceTo = (variable: string): string => `\${${variable}}`;

const reference = /\$(\$\{|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/** The variables that a text names, each once. */
export function namedVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(reference)].flatMap(([, , name]) => (name === undefined ? [] : [name])))];
}

/** True for a text that is one reference and nothing else. */
export function isReference(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text);
}

/** A `${` that is no reference, as it is written. */
export function brokenReference(text: string): string | undefined {
  const rest = text.replace(reference, '');
  const start = rest.indexOf('${');
  return start === -1 ? undefined : rest.slice(start, start + 20);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The text with the values of its variables.
 *
 * @param purpose what it is for, in messages
 * @throws SkillwireError USAGE where a variable is not set
 */
export function expandText(text: string, purpose: string, env: Environment): string {
  return text.replace(reference, (_, whole: string, name: string | undefined) => {
    if (name === undefined) return whole;
    const value = env[name] ?? '';
    if (value !== '') return value;
    throw new SkillwireError(
      'USAGE',
      `the environment variable "${name}" for ${purpose} is not set; set it before the start, or take it out of the configuration`,
      { data: { variable: name } },
    );
  });
}

/** The same for a header. @throws SkillwireError USAGE also where the value cannot be sent */
export function expandHeader(text: string, purpose: string, env: Environment): string {
  const value = expandText(text, purpose, env);
  if (value.length <= limits.cli.headerCharacters && /^[\x20-\x7e]+$/.test(value)) return value;
  const variables = namedVariables(text);
  throw new SkillwireError(
    'USAGE',
    `the value for ${purpose} cannot be sent: it is too long, or holds characters that a header cannot have, such as a line break; ` +
      `correct ${variables.length === 0 ? 'the text' : variables.map((name) => `"${name}"`).join(' and ')}`,
    { data: { variables } },
  );
}
