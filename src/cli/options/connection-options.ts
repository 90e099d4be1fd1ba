/**
 * The options by which commands reach an origin. Secrets come from the environment only: an option names the variable, and
 * no message repeats its value.
 */
import { type Command, Option } from 'commander';
import { type DialectId, dialectIds } from '../../dialects/dialect-skill.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { JudgedConfiguration } from '../../node/judged-configuration.ts';
import type { StateOptions } from '../../node/open-state.ts';
import type { HeaderFromEnv, OriginAccess } from '../../origins/credentials.ts';
import { isDigest } from '../../skill/digest.ts';

export type { StateOptions } from '../../node/open-state.ts';

export interface ConnectionOptions extends StateOptions, OriginAccess {
  readonly config?: string;
  readonly trustConfig?: readonly string[];
  readonly timeout?: number;
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

/** How the command line of another start names the configuration that is in force here. */

/** A file that came with a folder stays data: what a later edit lets act in it needs trust again. */
export function configFlags(
  found: JudgedConfiguration | undefined,
  shown: (path: string) => string = (path) => path,
): readonly string[] {
  if (found === undefined) return [];
  return [found.from === 'user' ? '--config' : '--project-config', shown(found.file)];
}

/** Parts that the help of several commands has in common. */

export const originHelp = `ORIGIN is a folder (./skills), an archive (./skills.zip, ./skill.tar.gz), a site (https://HOST), an MCP server
(mcp:URL, or stdio:COMMAND, which is started without a shell), the live runtimes of a hub (mdp:ws://HOST:PORT), a Git
repository (git:URL#REF), the folders of an agent (agent:claude-code), or a label of skillwire.json or of "skillwire
origins list". LABEL=ORIGIN gives it a name; approvals are kept under it.
Secrets come from the environment only: --token-env and --header name variables.`;

export const skillHelp = 'SKILL is a URI, the path of a skill, a name that no other skill has, or LABEL:NAME.';

/** What is stored is shown again, so a key in the address is refused here already. */
export function refuseSecretInUrl(url: string): void {
  const secret = [...new URL(url).searchParams.keys()].find((name) =>
    /(?:^|[-_.])(?:(?:api|access|auth)?[-_.]?(?:key|token)|secret|password|passwd|signature|sig)$/i.test(name),
  );
  if (secret === undefined) return;
  throw new SkillwireError(
    'USAGE',
    `the address has the parameter "${secret}", which looks like a secret, and would be stored; ` +
      'send it as a header with --token-env or --header',
    { data: { parameter: secret } },
  );
}
