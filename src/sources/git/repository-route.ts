/**
 * The way from the address of a repository to what git may do. Before git starts, the host is judged by the rules of the HTTP
 * client (`outbound/address-rules.ts`), and git is bound to the addresses that were judged. Git follows no redirect: the
 * client does, under its rules, and git gets the final address. Another origin gets no credentials.
 *
 * Limits of what git can be bound to: git before 2.37 looks the name up again, so plain http by name is refused there, and
 * https is left to the certificate. ssh looks the name up again and checks the host's key. A proxy resolves names itself.
 */
import { isIP } from 'node:net';
import { SkillwireError } from '../../errors.ts';
import { type AddressRulesOptions, bareHost, isLoopbackHost } from '../../outbound/address-rules.ts';
import { createHttpClient } from '../../outbound/http-client.ts';
import type { HttpClient } from '../../outbound/http-messages.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Environment, GitAccess, GitCredentials } from './git-environment.ts';
import { type RepositoryAddress, repositoryAddress } from './repository-address.ts';

/** Runs git and gives what it wrote, trimmed; `undefined` if it ended with 1, which means that there is nothing. */
export type AskGit = (
  args: readonly string[],
  access: GitAccess,
  signal: AbortSignal | undefined,
) => Promise<string | undefined>;

export interface RepositoryRouteOptions {
  readonly repository: string;
  readonly credentials: GitCredentials;
  readonly addresses: AddressRulesOptions;
  readonly env: Environment;
  readonly git: AskGit;
}

export interface RepositoryRoute {
  /** What git is given. */
  readonly repository: string;
  readonly access: GitAccess;
  /** Where a redirect of this address leads. Throws if it does not lead to a repository that may be read. */
  redirected(signal: AbortSignal | undefined): Promise<RepositoryRoute>;
}

export interface RepositoryRoutes {
  named(signal: AbortSignal | undefined): Promise<RepositoryRoute>;
  close(): void;
}

type HttpAddress = Extract<RepositoryAddress, { kind: 'http' }>;
type Settings = readonly (readonly [key: string, value: string])[];

/** The first request of git, which is the one that servers redirect. */
const firstRequest = '/info/refs?service=git-upload-pack';

export function repositoryRoutes(options: RepositoryRouteOptions): RepositoryRoutes {
  const { repository, credentials, addresses, env, git } = options;
  const clients = new Map<string | undefined, HttpClient>();
  let version: Promise<readonly [major: number, minor: number]> | undefined;

  const refused = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('ADDRESS_BLOCKED', `cannot read ${quoteText(repository)}: ${fault}. ${remedy}.`, {
      data: { repository },
    });

  /** The client remembers what the trusted host was at first, so there is one for each. */
  function clientFor(trustedHost: string | undefined): HttpClient {
    let client = clients.get(trustedHost);
    if (client === undefined) {
      client = createHttpClient({ ...addresses, ...(trustedHost === undefined ? {} : { trustedHost }) });
      clients.set(trustedHost, client);
    }
    return client;
  }

  /** The user's own configuration may replace the host that they named: `used` is trusted as that one is. */
  function trustedInsteadOf(used: string): string | undefined {
    const named = repositoryAddress(repository);
    const isNamed = named !== undefined && named.kind !== 'local' && sameHost(named.host, addresses.trustedHost);
    return isNamed ? used : addresses.trustedHost;
  }

  /** @param redirector the trusted host of the address that led here, if one did */
  async function routeTo(
    given: string,
    whose: GitCredentials,
    signal: AbortSignal | undefined,
    redirector?: { readonly trusted: string | undefined },
  ): Promise<RepositoryRoute> {
    // The user's configuration may rewrite addresses: the one that git will use is judged.
    const used =
      whose === 'none' ? given : await git(['ls-remote', '--get-url', given], { credentials: whose }, signal);
    const address = repositoryAddress(used ?? given);
    if (address === undefined)
      throw refused('its transport is not used', 'Use an address that begins with https:// or ssh://');
    if (address.kind === 'local')
      return { repository: given, access: { credentials: whose, transport: 'file' }, redirected: neverRedirected };
    const trusted = redirector === undefined ? trustedInsteadOf(address.host) : redirector.trusted;
    if (address.kind === 'ssh') return sshRoute(given, address.host, whose, trusted, signal);
    return httpRoute(given, address, whose, trusted, signal);
  }

  async function neverRedirected(): Promise<never> {
    throw refused('only http and https redirect', 'Use the address that the repository has now');
  }

  async function sshRoute(
    given: string,
    host: string,
    whose: GitCredentials,
    trusted: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RepositoryRoute> {
    if (whose === 'none') throw refused('ssh uses your keys', 'Use its https address');
    try {
      await clientFor(trusted).resolve(host, signal);
    } catch (error) {
      // The user's ssh configuration may know a name that no name server has.
      if (!isUnknownName(error) || !sameHost(host, trusted)) throw error;
    }
    return { repository: given, access: { credentials: whose, transport: 'ssh' }, redirected: neverRedirected };
  }

  async function httpRoute(
    given: string,
    { url, host }: HttpAddress,
    whose: GitCredentials,
    trusted: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RepositoryRoute> {
    const client = clientFor(trusted);
    const plain = new URL(url);
    plain.username = '';
    plain.password = '';
    client.check(plain);
    const of = scopeOf(url);
    const found = await client.resolve(host, signal).catch((error: unknown) => {
      if (!isUnknownName(error)) throw error;
      return { error };
    });
    const way = whose === 'user' && !('error' in found) ? [] : await wayOut(plain, signal);
    const settings: (readonly [string, string])[] = [
      ...(whose === 'none' ? way : []),
      [of('followRedirects'), 'false'],
    ];
    const proxy = 'error' in found ? namingProxy(url, env, way) : undefined;
    if (proxy !== undefined) settings.push([of('proxy'), proxy]);
    else if ('error' in found) throw found.error;
    else if (isIP(host) === 0) settings.push(...(await pinned(url, host, found, of, signal)));
    return {
      repository: given,
      access: {
        credentials: whose,
        transport: url.protocol === 'https:' ? 'https' : 'http',
        settings,
        alwaysProxy: proxy === undefined ? undefined : true,
      },
      redirected: (later) => followed(plain, whose, trusted, later),
    };
  }

  async function pinned(
    url: URL,
    host: string,
    found: readonly string[],
    of: (name: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<Settings> {
    version ??= git(['version'], { credentials: 'none' }, signal).then(parseVersion);
    const [major, minor] = await version.catch((error: unknown) => {
      version = undefined;
      throw error;
    });
    if (major < 2 || (major === 2 && minor < 37)) {
      if (url.protocol === 'https:' || isLoopbackHost(host)) return [];
      const message = `cannot read ${quoteText(repository)} over http with git ${major}.${minor}: it looks up "${host}" again after the check. Use https, or git 2.37 or newer.`;
      throw new SkillwireError('GIT_UNUSABLE', message, { data: { repository } });
    }
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
    const written = found.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
    // The empty value removes what the user's configuration has for this name.
    return [
      [of('curloptResolve'), ''],
      [of('curloptResolve'), `${host}:${port}:${written.join(',')}`],
    ];
  }

  /** Settings of the user that say how to get out: they hold for those without credentials too. */
  async function wayOut(url: URL, signal: AbortSignal | undefined): Promise<Settings> {
    const listed = await git(['config', '-z', '--get-urlmatch', 'http', url.href], { credentials: 'user' }, signal);
    return (listed ?? '').split('\0').flatMap((line) => {
      const [key = '', ...value] = line.split('\n');
      return waySettings.has(key.toLowerCase()) ? [[key, value.join('\n')] as const] : [];
    });
  }

  async function followed(
    from: URL,
    whose: GitCredentials,
    trusted: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RepositoryRoute> {
    const asked = `${from.href.replace(/\/$/, '')}${firstRequest}`;
    const headers = { accept: '*/*', 'git-protocol': 'version=2' };
    // The address is all that is wanted of the answer.
    const until = (): boolean => true;
    const { url } = await clientFor(trusted).request({ url: asked, headers, until, idempotent: true, signal });
    if (url === asked || !url.endsWith(firstRequest))
      throw new SkillwireError(
        'BAD_ANSWER',
        `cannot read ${quoteText(repository)}: it redirects, but to no repository. Use the address that it has now.`,
        { data: { repository } },
      );
    const now = url.slice(0, -firstRequest.length);
    return routeTo(now, new URL(now).origin === from.origin ? whose : 'none', signal, { trusted });
  }

  return {
    named: (signal) => routeTo(repository, credentials, signal),
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

const waySettings = new Set([
  'http.proxy',
  'http.proxyauthmethod',
  'http.proxysslcainfo',
  'http.sslbackend',
  'http.sslcainfo',
  'http.sslcapath',
  'http.schannelcheckrevoke',
  'http.schannelusesslcainfo',
]);

/** A key for this address alone, so that no other one is more specific. */
function scopeOf(url: URL): (name: string) => string {
  const scope = new URL(url);
  scope.password = '';
  return (name) => `http.${scope.href}.${name}`;
}

/** The proxy that looks names up by itself, by git's rules on where it is set; `undefined` if there is none. */
function namingProxy(url: URL, env: Environment, way: Settings): string | undefined {
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const set = way.findLast(([key]) => key.toLowerCase() === 'http.proxy')?.[1];
  const proxy =
    set ?? [...names, 'all_proxy', 'ALL_PROXY'].map((name) => env[name]).find((value) => (value ?? '') !== '');
  return proxy === undefined || proxy === '' || /^socks[45]:/i.test(proxy) ? undefined : proxy;
}

function isUnknownName(error: unknown): boolean {
  return error instanceof SkillwireError && error.code === 'UNREACHABLE';
}

function sameHost(host: string, other: string | undefined): boolean {
  return other !== undefined && bareHost(other).toLowerCase() === host.toLowerCase();
}

function parseVersion(said: string | undefined): readonly [major: number, minor: number] {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said ?? '') ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}
