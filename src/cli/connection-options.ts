/**
 * The options by which commands reach an origin. Secrets come from the environment only: an option names the variable, and
 * no message repeats its value.
 */
import { type Command, Option } from 'commander';
import { type DialectId, dialectIds } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';

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

export interface StateOptions {
  readonly state?: string;
}

export interface ConnectionOptions extends StateOptions {
  readonly config?: string;
  readonly trustConfig?: readonly string[];
  readonly timeout?: number;
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

export function addStateOption(command: Command): Command {
  return command.option('--state <dir>', 'keep approvals, origins and the cache in this folder');
}

export function configOption(): Option {
  return new Option('--config <file>', 'use this configuration');
}

/** The word of the user for files that came with a folder, given in advance. */
export function trustOption(): Option {
  return new Option(
    '--trust-config <digest>',
    'Trust skillwire.json or skillwire.lock if its digest is this one (repeatable)',
  ).argParser(collectTrust);
}

function collectTrust(text: string, earlier: readonly string[] | undefined = []): readonly string[] {
  if (isDigest(text)) return [...earlier, text];
  throw new SkillwireError(
    'USAGE',
    '--trust-config takes a digest: sha256: and 64 hexadecimal digits. "skillwire trust" prints it.',
  );
}

/** What names secrets and how they may travel. */
export function addSecretOptions(command: Command): Command {
  return command
    .option('--token-env <name>', 'send the bearer token that is in this environment variable', parseVariable)
    .option(
      '--header <name=envvar>',
      'send this header with the value of an environment variable (repeatable)',
      collectHeader,
    )
    .option('--insecure-http', 'allow http: to other machines, where others can read and change what is sent')
    .option('--pass-env <name>', 'give this environment variable to a stdio: server (repeatable)', collectVariable);
}

export function addCredentialOptions(command: Command): Command {
  return addSecretOptions(command)
    .option('--assume-skills', 'ask for skills although the server does not declare that it has some')
    .addOption(eraOption())
    .addOption(siteFetchOption())
    .addOption(dialectOption())
    .option('--forbid-dialect <id>', 'never read this dialect of an MCP server (repeatable)', collectDialect);
}

export function addConnectionOptions(command: Command): Command {
  addCredentialOptions(
    command
      .addOption(configOption())
      .addOption(trustOption())
      .option('--timeout <ms>', 'wait this long for each answer of an origin', parseTimeout),
  );
  return addStateOption(command);
}

function eraOption(): Option {
  const option = new Option(
    '--era <era>',
    'protocol revision: 2026-07-28 (modern), 2025 (legacy), or what the server has',
  );
  return option.choices(['auto', 'modern', 'legacy']);
}

function siteFetchOption(): Option {
  const option = new Option(
    '--site-fetch <when>',
    'files of a site that has no digests (v0.1): all with their skill (session), or each when it is wanted (lazy)',
  );
  return option.choices(['session', 'lazy']);
}

function dialectOption(): Option {
  const option = new Option('--dialect <id>', 'read an MCP server in this dialect only, instead of what it speaks');
  return option.choices(dialectIds);
}

function collectDialect(text: string, earlier: readonly DialectId[] = []): readonly DialectId[] {
  const found = dialectIds.find((id) => id === text);
  if (found !== undefined) return [...earlier, found];
  throw new SkillwireError('USAGE', `--forbid-dialect "${text}" is no dialect; choose one of ${dialectIds.join(', ')}`);
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

const variableRule = 'the name of an environment variable: letters, digits and "_"';

function isVariable(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

/** The text may be a secret that was written in the wrong place, so it is not repeated. */
export function parseVariable(text: string): string {
  if (isVariable(text)) return text;
  throw new SkillwireError('USAGE', `--token-env takes ${variableRule}; the token itself is never written there`);
}

function collectVariable(text: string, earlier: readonly string[] = []): readonly string[] {
  if (isVariable(text)) return [...earlier, text];
  throw new SkillwireError('USAGE', `--pass-env takes ${variableRule}; its value is never written there`);
}

function collectHeader(text: string, earlier: readonly HeaderFromEnv[] = []): readonly HeaderFromEnv[] {
  const equals = text.indexOf('=');
  const name = text.slice(0, equals);
  const variable = text.slice(equals + 1);
  if (equals === -1 || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !isVariable(variable)) {
    throw new SkillwireError(
      'USAGE',
      `--header takes NAME=ENVVAR, a header and ${variableRule}; for example --header X-Api-Key=MY_KEY`,
    );
  }
  const reserved = ['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'accept'];
  if (reserved.includes(name.toLowerCase()) || /^mcp-/i.test(name)) {
    throw new SkillwireError('USAGE', `--header "${name}" belongs to the protocol and cannot be set; leave it out`);
  }
  if (earlier.some((header) => header.name.toLowerCase() === name.toLowerCase())) {
    throw new SkillwireError('USAGE', `--header "${name}" is given twice; give it once`);
  }
  return [...earlier, { name, variable }];
}

export function parseTimeout(text: string): number {
  const ms = Number(text);
  if (/^\d{1,7}$/.test(text) && ms >= 1 && ms <= limits.cli.timeoutMs) return ms;
  throw new SkillwireError(
    'USAGE',
    `--timeout "${text}" is no time; write milliseconds from 1 to ${limits.cli.timeoutMs}, for example 5000`,
    { data: { text } },
  );
}
