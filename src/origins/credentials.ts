/**
 * Secrets of an origin. They come from the environment only: an option or a record names the variable, and no message repeats its value.
 */
import type { DialectId } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';

export type Era = 'auto' | 'modern' | 'legacy';

/** When the files of a site without digests are fetched. */
export type SiteFetch = 'session' | 'lazy';

/** A header of requests and the environment variable that has its value. */
export interface HeaderFromEnv {
  readonly name: string;
  readonly variable: string;
}

/** What is needed to be let in, by names of environment variables. */
export interface Credentials {
  /** Of the bearer token. */
  readonly tokenEnv?: string;
  readonly headers: readonly HeaderFromEnv[];
  /** Handed to a server that is started here. */
  readonly passEnv: readonly string[];
}

/** The options of a command that concern the way to an origin. */
export interface OriginAccess {
  readonly tokenEnv?: string;
  readonly header?: readonly HeaderFromEnv[];
  readonly insecureHttp?: boolean;
  readonly era?: Era;
  readonly passEnv?: readonly string[];
  readonly assumeSkills?: boolean;
  readonly siteFetch?: SiteFetch;
  readonly dialect?: DialectId;
  readonly forbidDialect?: readonly DialectId[];
}

/** The variables for a server that is started here. @throws SkillwireError USAGE where one is not set */
export function passedEnv(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value === undefined) {
      throw new SkillwireError(
        'USAGE',
        `the environment variable "${name}" of --pass-env is not set; set it, or leave it out`,
      );
    }
    values[name] = value;
  }
  return values;
}

export interface Secrets {
  readonly token?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The values that are sent. @throws SkillwireError USAGE where a variable has none that can be sent */
export function secretsFromEnv(
  { tokenEnv, headers }: Pick<Credentials, 'tokenEnv' | 'headers'>,
  env: Readonly<Record<string, string | undefined>>,
): Secrets {
  const values: Record<string, string> = {};
  for (const { name, variable } of headers) values[name] = secretIn(variable, `the header "${name}"`, env);
  if (tokenEnv === undefined) return { headers: values };
  return { token: secretIn(tokenEnv, 'the bearer token', env), headers: values };
}

/** The value of a variable that is a secret. @throws SkillwireError USAGE where it has none that can be sent */
export function secretIn(variable: string, purpose: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[variable] ?? '';
  if (value !== '' && value.length <= limits.cli.headerCharacters && /^[\x20-\x7e]+$/.test(value)) return value;
  const fault =
    value === ''
      ? 'is not set'
      : value.length > limits.cli.headerCharacters
        ? `has more than ${limits.cli.headerCharacters} characters`
        : 'holds characters that a header cannot have, such as a line break';
  const message = `the environment variable "${variable}" for ${purpose} ${fault}; set it to the value that is sent`;
  throw new SkillwireError('USAGE', message, { data: { variable } });
}
