/**
 * Options that tell a command how to reach an origin. Secrets come from the environment only: an option names the variable, and no message
 * repeats its value.
 */
import type { Command, Option } from 'commander';
import { type DialectId, dialectIds } from '../../dialects/dialect-skill.ts';
import { limits } from '../../limits.ts';
import type { JudgedConfiguration } from '../../node/find-configuration.ts';
import type { StateOptions } from '../../node/state-options.ts';
import type { HeaderFromEnv, OriginAccess } from '../../origins/credentials.ts';
import { isDigest } from '../../skill/digest.ts';
import { usageError } from '../cli.ts';
import { optionIn, rare, rareOption } from '../help/option-groups.ts';

export type { StateOptions } from '../../node/state-options.ts';

export interface ConnectionOptions extends StateOptions, OriginAccess {
  readonly config?: string;
  readonly trustConfig?: readonly string[];
  readonly timeout?: number;
}

export const originHelp = `ORIGIN is one of:
  ./skills                        a folder
  ./skills.zip, ./skill.tar.gz    an archive
  https://HOST                    a site
  mcp:URL, stdio:COMMAND          an MCP server (COMMAND starts without a shell)
  mdp:ws://HOST:PORT              the live programs of a hub
  owner/repo, git:URL#REF         a Git repository; also owner/repo/PATH, owner/repo#REF and pages of GitHub and GitLab
  agent:claude-code               the folders of an agent
  LABEL                           an origin of skillwire.json or of "skillwire origins list"
LABEL=ORIGIN names an origin; approvals are stored under that name. Secrets come from the environment: --token-env and
--header name variables.`;

export const skillHelp =
  'SKILL is a URI, a path, a unique name, or LABEL:NAME. ORIGIN@SKILL is one word for both: LABEL@pdf, owner/repo@pdf.';

export function addStateOption(command: Command): Command {
  return command.addOption(rareOption('common', '--state <dir>', 'Folder for approvals, origins and the cache'));
}

export function addConfigOptions(command: Command): Command {
  return addTrustOption(command.addOption(optionIn('common', '--config <file>', 'Configuration file')));
}

/** The user's trust in files that came with a folder, given in advance. */
export function addTrustOption(command: Command): Command {
  const about = 'Trust skillwire.json or skillwire.lock if it has this digest (repeatable)';
  return command.addOption(rareOption('common', '--trust-config <digest>', about).argParser(collectTrust));
}

function collectTrust(text: string, earlier: readonly string[] | undefined = []): readonly string[] {
  if (isDigest(text)) return [...earlier, text];
  throw usageError('--trust-config takes a digest: sha256: and 64 hexadecimal digits. "skillwire trust" prints it.');
}

export function addSecretOptions(command: Command): Command {
  return command
    .addOption(tokenOption())
    .addOption(
      rareOption(
        'connection',
        '--header <name=envvar>',
        'Send a header with the value of a variable (repeatable)',
      ).argParser(collectHeader),
    )
    .addOption(rare(insecureOption()))
    .addOption(
      rareOption('connection', '--pass-env <name>', 'Pass a variable to a stdio: server (repeatable)').argParser(
        collectVariables('--pass-env'),
      ),
    );
}

export function tokenOption(): Option {
  return optionIn('connection', '--token-env <name>', 'Variable with the bearer token to send').argParser(
    parseVariable('--token-env'),
  );
}

export function insecureOption(): Option {
  return optionIn(
    'connection',
    '--insecure-http',
    'Allow http: to other machines; anyone on the way can read and change the traffic',
  );
}

export function timeoutOption(about: string): Option {
  return optionIn('connection', '--timeout <ms>', about).argParser(parseTimeout);
}

export function addCredentialOptions(command: Command): Command {
  return addSecretOptions(command)
    .addOption(rareOption('compatibility', '--assume-skills', 'Try skills even if the server does not advertise them'))
    .addOption(
      rareOption(
        'compatibility',
        '--era <era>',
        'Protocol revision: 2026-07-28 (modern), 2025 (legacy) or auto',
      ).choices(['auto', 'modern', 'legacy']),
    )
    .addOption(
      rareOption(
        'compatibility',
        '--site-fetch <when>',
        'When to fetch files of a site without digests (v0.1): with their skill (session) or on demand (lazy)',
      ).choices(['session', 'lazy']),
    )
    .addOption(
      rareOption('compatibility', '--dialect <id>', 'Read an MCP server in this dialect only').choices(dialectIds),
    )
    .addOption(
      rareOption(
        'compatibility',
        '--forbid-dialect <id>',
        'Never read an MCP server in this dialect (repeatable)',
      ).argParser(collectDialect),
    );
}

export function addConnectionOptions(command: Command): Command {
  addConfigOptions(command).addOption(rare(timeoutOption('Timeout for each answer of an origin')));
  return addStateOption(addCredentialOptions(command));
}

/**
 * The options with which another start uses the same configuration. A file that came with a folder is passed as such, so later edits
 * that act need trust again.
 */
export function configFlags(
  found: JudgedConfiguration | undefined,
  shown: (path: string) => string = (path) => path,
): readonly string[] {
  if (found === undefined) return [];
  return [found.from === 'user' ? '--config' : '--project-config', shown(found.file)];
}

/** An origin is stored and shown again, so an address with a key in it is refused. */
export function refuseSecretInUrl(url: string): void {
  const secret = [...new URL(url).searchParams.keys()].find((name) =>
    /(?:^|[-_.])(?:(?:api|access|auth)?[-_.]?(?:key|token)|secret|password|passwd|signature|sig)$/i.test(name),
  );
  if (secret === undefined) return;
  throw usageError(
    `The parameter "${secret}" looks like a secret and would be stored. Send it as a header with --token-env or --header.`,
    { parameter: secret },
  );
}

function collectDialect(text: string, earlier: readonly DialectId[] = []): readonly DialectId[] {
  const found = dialectIds.find((id) => id === text);
  if (found !== undefined) return [...earlier, found];
  throw usageError(`--forbid-dialect: unknown dialect "${text}". Use one of ${dialectIds.join(', ')}.`);
}

function isVariable(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

/** The parser of an option that names a variable. Its text may be a secret in the wrong place, so no message repeats it. */
export function parseVariable(option: string): (text: string) => string {
  return (text) => {
    if (isVariable(text)) return text;
    throw usageError(`${option} takes the name of an environment variable, not its value.`);
  };
}

export function collectVariables(option: string): (text: string, earlier?: readonly string[]) => readonly string[] {
  const parse = parseVariable(option);
  return (text, earlier = []) => [...earlier, parse(text)];
}

export function isHeaderName(text: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(text);
}

const reservedHeaders = ['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'accept'];

function collectHeader(text: string, earlier: readonly HeaderFromEnv[] = []): readonly HeaderFromEnv[] {
  const equals = text.indexOf('=');
  const name = text.slice(0, equals);
  const variable = text.slice(equals + 1);
  if (equals === -1 || !isHeaderName(name) || !isVariable(variable))
    throw usageError(
      '--header takes NAME=ENVVAR: a header and the name of a variable. For example: --header X-Api-Key=MY_KEY',
    );
  if (reservedHeaders.includes(name.toLowerCase()) || /^mcp-/i.test(name))
    throw usageError(`--header "${name}" is reserved by the protocol. Remove it.`);
  if (earlier.some((header) => header.name.toLowerCase() === name.toLowerCase()))
    throw usageError(`--header "${name}" is given twice. Remove one.`);
  return [...earlier, { name, variable }];
}

function parseTimeout(text: string): number {
  const ms = Number(text);
  if (/^\d{1,7}$/.test(text) && ms >= 1 && ms <= limits.cli.timeoutMs) return ms;
  throw usageError(
    `--timeout "${text}" is not a time. Use milliseconds from 1 to ${limits.cli.timeoutMs}, for example 5000.`,
    { text },
  );
}
