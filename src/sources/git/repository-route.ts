/**
 * Decides how git may reach a repository. Before git starts, the HTTP client's rules judge the host
 * (`outbound/address-rules.ts`), and git is bound to the judged addresses. Git follows no redirect: the client does,
 * under its rules, and git gets the final address. Another origin gets no credentials.
 *
 * Limits:
 * - Git before 2.37 looks the name up again. So plain http by name is refused there, and https relies on the
 *   certificate.
 * - ssh looks the name up again and checks the host key.
 * - A proxy resolves names itself.
 */
import { isIP } from 'node:net';
import { SkillwireError } from '../../errors.ts';
import { type AddressRulesOptions, bareHost, isLoopbackHost } from '../../outbound/address-rules.ts';
import { createHttpClient } from '../../outbound/http-client.ts';
import type { HttpClient } from '../../outbound/http-messages.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { GitAccess, GitCredentials, GitEnvironment, GitSettings } from './run-git.ts';

/** Runs git and returns its trimmed output; `undefined` if the exit code is 1, which means that there is nothing. */
type RunGit = (
  args: readonly string[],
  access: GitAccess,
  signal: AbortSignal | undefined,
) => Promise<string | undefined>;

export interface RepositoryRouteOptions {
  readonly repository: string;
  readonly credentials: GitCredentials;
  readonly addresses: AddressRulesOptions;
  readonly env: GitEnvironment;
  readonly git: RunGit;
}

export interface RepositoryRoute {
  /** The address that git gets. */
  readonly repository: string;
  readonly access: GitAccess;
  /**
   * The route that a redirect of this address leads to. Throws if it does not lead to a repository that may be read.
   */
  redirected(signal: AbortSignal | undefined): Promise<RepositoryRoute>;
}

type HttpAddress = Extract<RepositoryAddress, { kind: 'http' }>;

/** Git's first request, which is the one that servers redirect. */
const firstRequest = '/info/refs?service=git-upload-pack';

export function repositoryRoutes(options: RepositoryRouteOptions) {
  const { repository, credentials, addresses, env, git } = options;
  const clients = new Map<string | undefined, HttpClient>();
  let version: Promise<readonly [major: number, minor: number]> | undefined;

  const refused = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('ADDRESS_BLOCKED', `Cannot read ${quoteText(repository)}: ${fault}. ${remedy}.`, {
      data: { repository },
    });

  /** A client remembers whether its trusted host was private at first, so each trusted host has its own client. */
  function clientFor(trustedHost: string | undefined): HttpClient {
    let client = clients.get(trustedHost);
    if (client === undefined) {
      client = createHttpClient({ ...addresses, trustedHost });
      clients.set(trustedHost, client);
    }
    return client;
  }

  /** The user's configuration may replace the host that they named. The replacement is trusted like the original. */
  function trustedInsteadOf(used: string): string | undefined {
    const named = repositoryAddress(repository);
    const isNamed = named !== undefined && named.kind !== 'local' && sameHost(named.host, addresses.trustedHost);
    return isNamed ? used : addresses.trustedHost;
  }

  /** @param redirector the trusted host of the address that redirected here, if any */
  async function routeTo(
    remote: string,
    whose: GitCredentials,
    signal: AbortSignal | undefined,
    redirector?: { readonly trusted: string | undefined },
  ): Promise<RepositoryRoute> {
    // The user's configuration may rewrite addresses, so the address that git will use is judged.
    const used =
      whose === 'none' ? remote : await git(['ls-remote', '--get-url', remote], { credentials: whose }, signal);
    const address = repositoryAddress(used ?? remote);
    if (address === undefined)
      throw refused('its transport is not supported', 'Use an address that begins with https:// or ssh://');
    if (address.kind === 'local')
      return { repository: remote, access: { credentials: whose, transport: 'file' }, redirected: neverRedirected };
    const trusted = redirector === undefined ? trustedInsteadOf(address.host) : redirector.trusted;
    if (address.kind === 'ssh') return sshRoute(remote, address.host, whose, trusted, signal);
    return httpRoute(remote, address, whose, trusted, signal);
  }

  async function neverRedirected(): Promise<never> {
    throw refused('only http and https redirect', "Use the repository's current address");
  }

  async function sshRoute(
    remote: string,
    host: string,
    whose: GitCredentials,
    trusted: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RepositoryRoute> {
    if (whose === 'none') throw refused('ssh uses your keys', 'Use its https address');
    try {
      await clientFor(trusted).resolve(host, signal);
    } catch (error) {
      // The user's ssh configuration may define a name that DNS does not.
      if (!isUnknownName(error) || !sameHost(host, trusted)) throw error;
    }
    return { repository: remote, access: { credentials: whose, transport: 'ssh' }, redirected: neverRedirected };
  }

  async function httpRoute(
    remote: string,
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
    const network = whose === 'user' && !('error' in found) ? [] : await networkSettings(plain, signal);
    const settings: (readonly [string, string])[] = [
      ...(whose === 'none' ? network : []),
      [of('followRedirects'), 'false'],
    ];
    const proxy = 'error' in found ? namingProxy(url, env, network) : undefined;
    if (proxy !== undefined) settings.push([of('proxy'), proxy]);
    else if ('error' in found) throw found.error;
    else if (isIP(host) === 0) settings.push(...(await pinned(url, host, found, of, signal)));
    return {
      repository: remote,
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
  ): Promise<GitSettings> {
    version ??= git(['version'], { credentials: 'none' }, signal).then(parseVersion);
    const [major, minor] = await version.catch((error: unknown) => {
      version = undefined;
      throw error;
    });
    if (major < 2 || (major === 2 && minor < 37)) {
      if (url.protocol === 'https:' || isLoopbackHost(host)) return [];
      const message = `Cannot read ${quoteText(repository)} over http: git ${major}.${minor} repeats the name lookup after the check. Use https, or git 2.37 or newer.`;
      throw new SkillwireError('GIT_UNUSABLE', message, { data: { repository } });
    }
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
    const written = found.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
    // The empty value removes the user's setting for this name.
    return [
      [of('curloptResolve'), ''],
      [of('curloptResolve'), `${host}:${port}:${written.join(',')}`],
    ];
  }

  /** The user's proxy and TLS settings. They also apply without credentials. */
  async function networkSettings(url: URL, signal: AbortSignal | undefined): Promise<GitSettings> {
    const listed = await git(['config', '-z', '--get-urlmatch', 'http', url.href], { credentials: 'user' }, signal);
    return (listed ?? '').split('\0').flatMap((line) => {
      const [key = '', ...value] = line.split('\n');
      return networkKeys.has(key.toLowerCase()) ? [[key, value.join('\n')] as const] : [];
    });
  }

  async function followed(
    from: URL,
    whose: GitCredentials,
    trusted: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RepositoryRoute> {
    const requested = `${from.href.replace(/\/$/, '')}${firstRequest}`;
    const headers = { accept: '*/*', 'git-protocol': 'version=2' };
    // Only the final address is needed.
    const until = (): boolean => true;
    const { url } = await clientFor(trusted).request({ url: requested, headers, until, idempotent: true, signal });
    if (url === requested || !url.endsWith(firstRequest))
      throw new SkillwireError(
        'BAD_ANSWER',
        `Cannot read ${quoteText(repository)}: it redirects, but not to a repository. Use its current address.`,
        { data: { repository } },
      );
    const target = url.slice(0, -firstRequest.length);
    return routeTo(target, new URL(target).origin === from.origin ? whose : 'none', signal, { trusted });
  }

  return {
    named: (signal: AbortSignal | undefined): Promise<RepositoryRoute> => routeTo(repository, credentials, signal),
    close(): void {
      for (const client of clients.values()) client.close();
    },
  };
}

const networkKeys = new Set([
  ...['http.proxy', 'http.proxyauthmethod', 'http.proxysslcainfo'],
  ...['http.sslbackend', 'http.sslcainfo', 'http.sslcapath'],
  ...['http.schannelcheckrevoke', 'http.schannelusesslcainfo'],
]);

/** A key for exactly this address, so that no other setting is more specific. */
function scopeOf(url: URL): (name: string) => string {
  const scope = new URL(url);
  scope.password = '';
  return (name) => `http.${scope.href}.${name}`;
}

/** The proxy that resolves names itself, by git's rules of precedence; `undefined` if there is none. */
function namingProxy(url: URL, env: GitEnvironment, network: GitSettings): string | undefined {
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const set = network.findLast(([key]) => key.toLowerCase() === 'http.proxy')?.[1];
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

type RepositoryAddress =
  | { readonly kind: 'http'; readonly url: URL; readonly host: string }
  | { readonly kind: 'ssh'; readonly host: string }
  | { readonly kind: 'local' };

/**
 * Classifies an address as git does: HTTP, ssh, or a folder. `undefined` for transports that are refused: `git:`, which
 * anyone on the network path can change, and those that run a command.
 */
export function repositoryAddress(repository: string): RepositoryAddress | undefined {
  if (/^[\w.+-]+::/.test(repository)) return undefined;
  if (/^[A-Za-z][\w.+-]*:\/\//.test(repository)) {
    if (!URL.canParse(repository)) return undefined;
    const url = new URL(repository);
    const host = bareHost(url.hostname);
    if (url.protocol === 'https:' || url.protocol === 'http:') return { kind: 'http', url, host };
    if (url.protocol === 'ssh:') return { kind: 'ssh', host };
    return url.protocol === 'file:' ? { kind: 'local' } : undefined;
  }
  // A drive letter, not a host of one letter.
  if (/^[A-Za-z]:[\\/]/.test(repository)) return { kind: 'local' };
  const host = /^(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+):/.exec(repository)?.[1];
  return host === undefined ? { kind: 'local' } : { kind: 'ssh', host: bareHost(host) };
}
