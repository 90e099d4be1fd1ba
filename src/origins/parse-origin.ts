/**
 * Reads the ORIGIN arguments of the command line: `[LABEL=]ORIGIN`. Pure: whether a path exists is asked of the caller.
 *
 * The order decides, and nothing is guessed: an existing path, or a text that begins like one, is a folder; then a known
 * prefix; then a label. A text that is both an existing path and a label is refused. A path may be that of an archive, which
 * its name tells. What reads and serves takes MCP servers (`mcp:URL`, `stdio:COMMAND`), sites (`https://HOST`) and live
 * runtimes (`mdp:URL` of a hub, `mdp:stdio:COMMAND`), Git repositories (`git:REPOSITORY#REF`) and the folders of agents
 * (`agent:ID`) too; what checks files of an author takes folders only.
 */
import { SkillwireError } from '../errors.ts';
import { splitCommand } from './command-words.ts';
import { type OriginGit, parseGitOrigin } from './git-origin.ts';

export type FolderSpec = OriginFolder | OriginLabel;
export type OriginSpec =
  | OriginFolder
  | OriginServer
  | OriginCommand
  | OriginSite
  | OriginHub
  | OriginHubCommand
  | OriginGit
  | OriginAgent
  | OriginLabel;

export interface OriginFolder {
  readonly label?: string;
  /** As written: not resolved, `~` not expanded. */
  readonly folder: string;
}

/** `mcp:URL` */
export interface OriginServer {
  readonly label?: string;
  /** Normalised; `http:` or `https:`, without user, password and fragment. */
  readonly url: string;
}

/** `stdio:COMMAND` */
export interface OriginCommand {
  readonly label?: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
}

/** `https://HOST[/PATH]`, or `http:` on this machine. */
export interface OriginSite {
  readonly label?: string;
  /** Normalised; without a slash at its end, user, password, query and fragment. */
  readonly site: string;
}

/** `mdp:URL` */
export interface OriginHub {
  readonly label?: string;
  /** Normalised; `ws:` or `wss:`, host and port alone. */
  readonly hub: string;
}

/** `mdp:stdio:COMMAND`: an MDP server with a bridge on stdio, as the reference is. */
export interface OriginHubCommand {
  readonly label?: string;
  readonly hubCommand: readonly string[];
}

/** `agent:ID`: the folders in which that agent looks for skills. */
export interface OriginAgent {
  readonly label?: string;
  readonly agent: string;
}

export interface OriginLabel {
  /** A label of the configuration or of an origin that was added. */
  readonly configured: string;
}

export interface ParseOriginOptions {
  readonly exists: (path: string) => boolean;
  /** The labels that are known. */
  readonly labels: readonly string[];
}

export interface ReadOriginOptions extends ParseOriginOptions {
  /** Lets `http:` lead to other hosts than this machine. */
  readonly insecureHttp?: boolean;
}

export const labelLength = 64;
export const labelPattern: RegExp = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
export const labelRule: string = `a label is 1 to ${labelLength} of a-z and 0-9, with "-", "_" and "." inside`;

export function isLabel(text: string): boolean {
  return text.length <= labelLength && labelPattern.test(text);
}

const prefixes = ['mcp:', 'stdio:', 'https://', 'http://', 'mdp:', 'git:', 'agent:'] as const;

/** The prefix that says the origin is not a folder, in its usual spelling. */
export function originPrefix(text: string): (typeof prefixes)[number] | undefined {
  const lower = text.toLowerCase();
  return prefixes.find((prefix) => lower.startsWith(prefix));
}

/** True where a text begins like a path: `.`, `/`, `~`, a drive or a network share. */
function looksLikePath(text: string): boolean {
  return /^(?:[./~]|[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(text);
}

/** An origin whose files are checked: a folder or a label. */
export function parseOrigin(argument: string, options: ParseOriginOptions): FolderSpec {
  return parseArgument(argument, options, refuseServer, { kind: 'FOLDER', label: configuredLabel });
}

/** An origin that is served: anything that can be read, or a label of the configuration. */
export function parseServedOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  return parseArgument(argument, options, serverReader(options), { kind: 'ORIGIN', label: configuredLabel });
}

/** An origin that is read: a folder, an archive, an MCP server, a site or a label. */
export function parseReadableOrigin(argument: string, options: ReadOriginOptions): OriginSpec {
  return parseArgument(argument, options, serverReader(options), {
    kind: 'ORIGIN',
    label: 'a label of the configuration or of "skillwire origins list"',
  });
}

const configuredLabel = 'a label of the configuration';

function serverReader({ insecureHttp = false }: ReadOriginOptions): ServerReader<OriginSpec> {
  return (text, prefix) => {
    if (prefix === 'mcp:') return { url: serverUrl(text.slice(prefix.length), insecureHttp) };
    if (prefix === 'stdio:') return { command: splitCommand(text.slice(prefix.length)) };
    if (prefix === 'https://' || prefix === 'http://') return { site: siteUrl(text, insecureHttp) };
    if (/^mdp:stdio:/i.test(text)) return { hubCommand: splitCommand(text.slice('mdp:stdio:'.length)) };
    if (prefix === 'mdp:') return { hub: hubUrl(text.slice(prefix.length), insecureHttp) };
    if (prefix === 'git:')
      return parseGitOrigin(text.slice(prefix.length), (hostname) => insecureHttp || isLoopbackName(hostname));
    return { agent: agentId(text.slice(prefix.length)) };
  };
}

/**
 * An origin in the configuration, where a text without a known prefix is a path.
 *
 * @throws SkillwireError USAGE or ORIGIN_UNSUPPORTED
 */
export function parseConfiguredOrigin(
  text: string,
  options: Pick<ReadOriginOptions, 'insecureHttp'>,
): Named<OriginSpec> {
  const prefix = originPrefix(text);
  if (looksLikePath(text) || prefix === undefined) return { folder: text };
  return serverReader({ ...options, exists: () => false, labels: [] })(text, prefix);
}

/** True for paths that are read as archives where they are not folders. */
export function isArchiveName(path: string): boolean {
  return /\.(?:tar\.gz|tgz|zip|skill)$/i.test(path);
}

/** True for host names that mean this machine, as a URL has them. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

type Named<Spec> = Exclude<Spec, OriginLabel>;
/** Reads a text with a known prefix. */
type ServerReader<Spec> = (text: string, prefix: (typeof prefixes)[number]) => Named<Spec>;

/** What messages call things. */
interface Words {
  readonly kind: string;
  readonly label: string;
}

function parseArgument<Spec extends OriginSpec>(
  argument: string,
  options: ParseOriginOptions,
  readServer: ServerReader<Spec>,
  words: Words,
): Spec | OriginFolder | OriginLabel {
  if (argument === '') {
    throw new SkillwireError('USAGE', 'an origin is an empty text; name a folder, for example ./skills');
  }
  if (argument.includes('\0')) {
    throw new SkillwireError('USAGE', 'an origin contains a NUL character; name a folder, for example ./skills');
  }
  const whole = resolveOrigin(argument, options, readServer, words);
  if (whole !== undefined) return whole;

  const equals = argument.indexOf('=');
  if (equals === -1) throw notFound(argument, words);
  const label = argument.slice(0, equals);
  const origin = argument.slice(equals + 1);
  if (!isLabel(label)) {
    throw new SkillwireError(
      'USAGE',
      `"${label}" in "${argument}" cannot be a label: ${labelRule}; ` +
        `choose another label, or write "./${argument}" for a folder of that name`,
      { data: { argument, label } },
    );
  }
  if (origin === '') {
    throw new SkillwireError('USAGE', `"${argument}" names no origin; write ${label}=${words.kind}`, {
      data: { argument },
    });
  }
  const named = resolveOrigin(origin, options, readServer, words);
  if (named === undefined) throw notFound(origin, words);
  if ('configured' in named) {
    throw new SkillwireError(
      'USAGE',
      `"${argument}" gives a second label to "${origin}", which is ${words.label}; ` +
        `write "${origin}", or "${label}=./${origin}" for a folder`,
      { data: { argument, label: origin } },
    );
  }
  return { ...named, label };
}

/** An origin without `LABEL=`; undefined where nothing is known by this text. */
function resolveOrigin<Spec extends OriginSpec>(
  text: string,
  { exists, labels }: ParseOriginOptions,
  readServer: ServerReader<Spec>,
  words: Words,
): Named<Spec> | OriginFolder | OriginLabel | undefined {
  if (looksLikePath(text)) return { folder: text };
  const configured = labels.includes(text);
  if (exists(text)) {
    if (!configured) return { folder: text };
    throw new SkillwireError(
      'USAGE',
      `"${text}" is both an existing path and ${words.label}; ` +
        `write "./${text}" for the path, or rename the label to use the configured origin`,
      { data: { origin: text } },
    );
  }
  const prefix = originPrefix(text);
  if (prefix !== undefined) return readServer(text, prefix);
  return configured ? { configured: text } : undefined;
}

function refuseServer(text: string, prefix: string): never {
  throw new SkillwireError(
    'ORIGIN_UNSUPPORTED',
    `"${text}" cannot be checked: files of folders are, and "${prefix}" is no folder; ` +
      'name a folder, for example ./skills, or use "skillwire verify" for what others serve',
    { data: { origin: text, prefix } },
  );
}

/** @throws SkillwireError USAGE */
export function agentId(id: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(id)) return id;
  const origin = `agent:${id}`;
  throw new SkillwireError(
    'USAGE',
    `cannot read "${origin}": what follows "agent:" is no agent; write agent:claude-code`,
    { data: { origin } },
  );
}

/** The address of an MCP server, normalised. @throws SkillwireError USAGE */
export function serverUrl(written: string, insecureHttp: boolean): string {
  const example = 'write mcp:https://HOST/PATH, for example mcp:http://127.0.0.1:4711/mcp';
  return httpUrl('mcp:', written, insecureHttp, example).href;
}

/** The address of a site, without a slash at its end, so that one site has one label. @throws SkillwireError USAGE */
export function siteUrl(text: string, insecureHttp: boolean): string {
  const url = httpUrl('', text, insecureHttp, 'write https://HOST, for example https://example.com');
  if (url.search !== '') {
    const shown = withoutUser(text).replace(/\?.*$/, '?...');
    throw new SkillwireError('USAGE', `cannot read "${shown}": the address of a site has no query ("?"); remove it`, {
      data: { origin: shown },
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function httpUrl(prefix: string, written: string, insecureHttp: boolean, example: string): URL {
  const origin = `${prefix}${withoutUser(written)}`;
  const refuse = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('USAGE', `cannot read "${origin}": ${fault}; ${remedy}`, { data: { origin } });
  if (!URL.canParse(written))
    throw refuse(prefix === '' ? 'it is not an address' : `what follows "${prefix}" is not an address`, example);
  const url = new URL(written);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse(`"${url.protocol}" is not HTTP`, example);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      'an address with a user or a password shows them to everybody who sees the command line',
      'put the secret into an environment variable and name it with --token-env or --header',
    );
  }
  if (url.hash !== '') throw refuse('the address of a server has no fragment ("#")', 'remove it');
  if (url.protocol === 'http:' && !insecureHttp && !isLoopbackName(url.hostname)) {
    throw refuse(
      `"http:" to "${url.hostname}" can be read and changed on the way`,
      'use https:, or add --insecure-http if you trust every network in between',
    );
  }
  return url;
}

/** The address of a hub: host and port. @throws SkillwireError USAGE */
export function hubUrl(written: string, insecureHttp: boolean): string {
  const refuse = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('USAGE', `cannot read "mdp:${withoutUser(written)}": ${fault}; ${remedy}`, {
      data: { origin: `mdp:${withoutUser(written)}` },
    });
  const example = 'write mdp:ws://HOST:PORT, for example mdp:ws://127.0.0.1:4711';
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^(?:wss?|https?):$/.test(url.protocol)) throw refuse('it is no address of a hub', example);
  if (url.username !== '' || url.password !== '')
    throw refuse('an address must not hold a user or a password', 'name the token with --token-env');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw refuse('a hub is named by host and port alone', example);
  const secure = url.protocol === 'wss:' || url.protocol === 'https:';
  if (!secure && !insecureHttp && !isLoopbackName(url.hostname))
    throw refuse(
      `"${url.protocol}" to "${url.hostname}" can be read and changed on the way`,
      'use wss:, or add --insecure-http if you trust every network in between',
    );
  return `${secure ? 'wss' : 'ws'}://${url.host}`;
}

/** The address as it may be shown. */
function withoutUser(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//***@');
}

function notFound(text: string, { label }: Words): SkillwireError {
  return new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"${text}" is neither an existing path nor ${label}; write ./${text} for a folder`,
    { data: { origin: text } },
  );
}
