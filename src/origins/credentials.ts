/**
 * Secrets of an origin. They come from the environment only. Options and records name a variable, and texts of the configuration refer to
 * one as `${NAME}` (`$${` is a literal `${`). No message repeats the value of a variable.
 */
import type { DialectId } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type EraSetting = 'auto' | 'modern' | 'legacy';

/** When the files of a site without digests are fetched. */
export type SiteFetch = 'session' | 'lazy';

/** A request header and the environment variable with its value. */
export interface HeaderFromEnv {
  readonly name: string;
  readonly variable: string;
}

/** The credentials of an origin, by names of environment variables. */
export interface Credentials {
  /** The bearer token. */
  readonly tokenEnv?: string;
  readonly headers: readonly HeaderFromEnv[];
  /** Passed to a server that is started here. */
  readonly passEnv: readonly string[];
}

/** The options of a command that say how to reach an origin. */
export interface OriginAccess {
  readonly tokenEnv?: string;
  readonly header?: readonly HeaderFromEnv[];
  readonly insecureHttp?: boolean;
  readonly era?: EraSetting;
  readonly passEnv?: readonly string[];
  readonly assumeSkills?: boolean;
  readonly siteFetch?: SiteFetch;
  readonly dialect?: DialectId;
  readonly forbidDialect?: readonly DialectId[];
}

/** The variables for a server that is started here. @throws SkillwireError USAGE if one is not set */
export function passedEnv(names: readonly string[], env: Environment): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value === undefined) {
      const message = `The environment variable "${name}" of --pass-env is not set. Set it, or leave it out.`;
      throw new SkillwireError('USAGE', message);
    }
    values[name] = value;
  }
  return values;
}

export interface Secrets {
  readonly token?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The values that are sent. @throws SkillwireError USAGE if a variable has no value that can be sent */
export function secretsFromEnv(
  { tokenEnv, headers }: Pick<Credentials, 'tokenEnv' | 'headers'>,
  env: Environment,
): Secrets {
  const values: Record<string, string> = {};
  for (const { name, variable } of headers) values[name] = secretIn(variable, `the header "${name}"`, env);
  if (tokenEnv === undefined) return { headers: values };
  return { token: secretIn(tokenEnv, 'the bearer token', env), headers: values };
}

/** The secret in a variable. @throws SkillwireError USAGE if it has no value that can be sent */
export function secretIn(variable: string, purpose: string, env: Environment): string {
  const value = env[variable] ?? '';
  if (canBeSent(value)) return value;
  const fault =
    value === ''
      ? 'is not set'
      : value.length > limits.cli.headerCharacters
        ? `has more than ${limits.cli.headerCharacters} characters`
        : 'contains characters that a header cannot have, such as a line break';
  const message = `The environment variable "${variable}" for ${purpose} ${fault}. Set it to the value to send.`;
  throw new SkillwireError('USAGE', message, { data: { variable } });
}

function canBeSent(value: string): boolean {
  return value.length <= limits.cli.headerCharacters && /^[\x20-\x7e]+$/.test(value);
}

/** How the configuration refers to a variable. */
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

/** The first `${` that is not a reference, as written. */
export function brokenReference(text: string): string | undefined {
  const others = text.replace(reference, '');
  const start = others.indexOf('${');
  return start === -1 ? undefined : others.slice(start, start + 20);
}

/**
 * The text with the values of its variables.
 *
 * @param purpose what it is for, in messages
 * @throws SkillwireError USAGE if a variable is not set
 */
export function expandText(text: string, purpose: string, env: Environment): string {
  return text.replace(reference, (_, whole: string, name: string | undefined) => {
    if (name === undefined) return whole;
    const value = env[name] ?? '';
    if (value !== '') return value;
    throw new SkillwireError(
      'USAGE',
      `The environment variable "${name}" for ${purpose} is not set. Set it, or remove it from the configuration.`,
      { data: { variable: name } },
    );
  });
}

/** The same for a header. @throws SkillwireError USAGE also if the value cannot be sent */
export function expandHeader(text: string, purpose: string, env: Environment): string {
  const value = expandText(text, purpose, env);
  if (canBeSent(value)) return value;
  const variables = namedVariables(text);
  throw new SkillwireError(
    'USAGE',
    `The value for ${purpose} cannot be sent: it is too long, or contains characters that a header cannot have, such as a line break. ` +
      `Correct ${variables.length === 0 ? 'the text' : variables.map((name) => `"${name}"`).join(' and ')}.`,
    { data: { variables } },
  );
}
