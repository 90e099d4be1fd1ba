/**
 * Serves a configuration from a program. Origins, rules, policy, profiles, tokens, pins, page, metrics and reloads work as in
 * `skillwire serve`, because both run `serveOrigins()`. Nobody is asked for trust: a file acts only as far as the user already accepted
 * it, and an object comes from the program itself.
 */
import { homedir, hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Agent } from '../agents/agent-rows.ts';
import { type ListingMode, listingMode } from '../catalog/offered-skills.ts';
import { SkillwireError } from '../errors.ts';
import { type Configuration, configurationOrFile } from '../gateway/configuration.ts';
import { configuredOrigins, untrustedParts } from '../gateway/configured-origins.ts';
import type { OneStore } from '../gateway/one-store.ts';
import type { ServedOrigins } from '../gateway/served-origins.ts';
import type { ConfigurationReloads, ServingLog } from '../gateway/server-reports.ts';
import { limits } from '../limits.ts';
import type { Environment } from '../origins/credentials.ts';
import { notTrusted } from '../origins/file-trust.ts';
import { checkArgument, checkOptions, flag, type OptionChecks, text, texts } from '../skill/checked-options.ts';
import type { StateKey } from '../store/state-kinds.ts';
import { type DialectOptions, dialectChecks, dialectOptionsOf } from '../surfaces/mcp/aliases/served-dialects.ts';
import { earlierJudgement, type JudgedConfiguration, judgedConfiguration, readAgain } from './find-configuration.ts';
import type { ServeHttpOptions } from './http/host-names.ts';
import { checkCarrier, object } from './serve-checks.ts';
import type { ServeMdpOptions } from './serve-mdp.ts';
import type { ServeHandle } from './serve-options.ts';
import { serveOrigins } from './serve-origins.ts';
import { servingMachine } from './serving-machine.ts';
import { shownPath } from './shown-path.ts';
import type { StateOptions } from './state-options.ts';
import { usersLogins } from './users-logins.ts';
import { usersStore } from './users-store.ts';

/** Options of `serveConfiguration()`. */
export interface ServeConfigurationOptions extends Omit<DialectOptions, 'archives'> {
  /** The address to listen on. Either this or `stdio`. */
  readonly http?: ServeHttpOptions;
  /** Serve over stdin and stdout of this process. */
  readonly stdio?: boolean;
  /** Accept live runtimes over the Model Drive Protocol and serve their skills. */
  readonly mdp?: Omit<ServeMdpOptions, 'pinned' | 'pin' | 'label'>;
  /** A token of at least 16 characters, with which browsers can approve skills beyond loopback. */
  readonly page?: { readonly token?: string };
  /** Offer models the tool `search_skills`. Default: `surfaces.search` of the configuration, else true. */
  readonly search?: boolean;
  /** Which skills `skills/list` shows, as in `serve()`. Default: `surfaces.mcp.listing` of the configuration, else `'compatible'`. */
  readonly listing?: ListingMode | undefined;
  /** Follow changes of folders and of the file, and reload on SIGHUP. Default true. */
  readonly watch?: boolean;
  /** Cache files and listings of origins for the next start. Default true. */
  readonly cache?: boolean;
  /** A separate folder for state and cache, as `--state`. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string;
  /** Variables for `${NAME}` in the configuration and for `SKILLWIRE_HOME`. Default: the environment of the process. */
  readonly env?: Environment;
  /** Base of relative paths if the configuration is an object. Default: the working folder. Paths in a file are relative to its folder. */
  readonly base?: string;
  /** Digests of trusted files, as `skillwire trust` prints them. Default: what the user accepted. */
  readonly trustConfig?: readonly string[];
  /** Gets events and lines for the operator. */
  readonly log?: Partial<ServingLog>;
}

const configurationChecks: OptionChecks<ServeConfigurationOptions> = {
  ...dialectChecks,
  http: object,
  stdio: flag,
  mdp: object,
  page: object,
  search: flag,
  listing: listingMode,
  watch: flag,
  cache: flag,
  state: text,
  env: object,
  base: text,
  trustConfig: texts,
  log: object,
};

/** A server that runs from a configuration and can reload it. */
export interface ConfiguredHandle extends ServeHandle {
  /**
   * Applies the current content of the file, or `next` if an object is served. An invalid configuration, or one that needs a restart,
   * changes nothing: `refusal` says why.
   */
  reload(next?: Configuration): Promise<ConfigurationReloads>;
}

/**
 * Serves a configuration and follows its file.
 *
 * @example
 * ```ts
 * const handle = await serveConfiguration('./skillwire.json', { http: { host: '127.0.0.1', port: 8080 } });
 * console.log(handle.mcp); // http://127.0.0.1:8080/mcp
 * ```
 *
 * @throws SkillwireError CONFIG_UNREADABLE; CONFIG_INVALID; NOT_TRUSTED; USAGE if options are invalid or environment variables missing
 */
export async function serveConfiguration(
  configuration: string | Configuration,
  options: ServeConfigurationOptions,
): Promise<ConfiguredHandle> {
  checkArgument('serveConfiguration()', 'configuration', configuration, configurationOrFile);
  checkOptions('serveConfiguration()', options, configurationChecks);
  checkCarrier('serveConfiguration()', options);
  refuseUnusable(options, typeof configuration === 'string');
  const { http, mdp, page, search, watch = true, cache = true, env = process.env } = options;
  const cwd = process.cwd();
  const log: ServingLog = {
    event: (event) => options.log?.event?.(event),
    line: (text) => options.log?.line?.(text),
  };
  let close: (() => Promise<void>) | undefined;
  const store = usersStore(
    stateOf(configuration, options),
    { cwd, env },
    (message) => log.line(`warning: ${message}`),
    {
      replica: http?.replica ?? hostname(),
      onLost(error) {
        log.line(`error: ${error.message}`);
        close?.().catch((failure: unknown) => log.line(`error: ${String(failure)}`));
      },
    },
  );
  const reader =
    typeof configuration === 'string'
      ? fileReader(resolve(cwd, configuration), { cwd, store, trustConfig: options.trustConfig })
      : objectReader(configuration, { cwd, base: resolve(cwd, options.base ?? '.') });
  try {
    const origins = await reader.read();
    // A replica serves nothing before it has caught up.
    if (origins.found?.configuration.store !== undefined) await store.open();
    const handle = await serveOrigins({
      origins,
      options: {
        http,
        mdp,
        pageToken: page?.token,
        search,
        listing: options.listing,
        watch,
        cache,
        ...dialectOptionsOf(options),
      },
      place: servingMachine({
        cwd,
        env,
        agents: () => reader.agents(),
        logins: usersLogins({ state: options.state }, { cwd, env }),
      }),
      store,
      log,
      again: () => reader.read(),
    });
    close = () => handle.close();
    const closed = handle.closed.finally(() => store.close());
    return {
      ...handle,
      closed,
      reload(next) {
        if (next !== undefined) reader.use(next);
        return handle.reload();
      },
      async close(options) {
        await handle.close(options);
        await closed;
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The configuration decides which store is used. */
function stateOf(
  configuration: string | Configuration,
  { state, trustConfig }: ServeConfigurationOptions,
): StateOptions {
  if (typeof configuration === 'string') return { state, trustConfig, config: configuration };
  return { state, shared: configuration.store ?? 'none' };
}

function refuseUnusable({ base, page }: ServeConfigurationOptions, file: boolean): void {
  const { leastTokenCharacters } = limits.page;
  if (file && base !== undefined)
    throw new SkillwireError('USAGE', 'Paths in a file are relative to its folder. Leave "base" out.');
  if (page?.token !== undefined && page.token.length < leastTokenCharacters)
    throw new SkillwireError('USAGE', `The page token is too short. Use at least ${leastTokenCharacters} characters.`);
}

interface ConfigurationReader {
  /** The current origins. @throws SkillwireError if the configuration cannot be used */
  read(): Promise<ServedOrigins>;
  /** The trusted agents of the configuration that was read last. */
  agents(): Promise<readonly Agent[]>;
  use(next: Configuration): void;
}

interface FileSurroundings {
  readonly cwd: string;
  readonly store: OneStore;
  readonly trustConfig: readonly string[] | undefined;
}

function fileReader(file: string, { cwd, store, trustConfig }: FileSurroundings): ConfigurationReader {
  const state = { get: async (key: StateKey) => (await store.open()).state.get(key) };
  let first: JudgedConfiguration | undefined;
  let last: JudgedConfiguration | undefined;
  return {
    async read() {
      const read = await readAgain({ file, from: 'folder' }, { cwd });
      const found = await judgedConfiguration(read, state, {
        trustConfig,
        earlier: earlierJudgement(first),
        skipPlain: true,
      });
      const served = servedOf(found.configuration, { cwd, base: cwd, found });
      first ??= found;
      last = found;
      return { ...served, found };
    },
    async agents() {
      const { judged, configuration } = last ?? { judged: 'own', configuration: undefined };
      return (configuration?.agents ?? []).filter(
        ({ id, globalFolder }) =>
          globalFolder === undefined || judged === 'own' || judged.standing(`agents.${id}`) === 'own',
      );
    },
    use() {
      throw new SkillwireError('USAGE', `Cannot replace the configuration "${file}". Edit the file instead.`);
    },
  };
}

function objectReader(
  configuration: Configuration,
  { cwd, base }: { readonly cwd: string; readonly base: string },
): ConfigurationReader {
  let current = configuration;
  return {
    read: async () => ({
      ...servedOf(current, { cwd, base, found: undefined }),
      found: { base, configuration: current },
    }),
    agents: async () => current.agents ?? [],
    use(next) {
      current = next;
    },
  };
}

interface ServedBase {
  readonly cwd: string;
  readonly base: string;
  readonly found: JudgedConfiguration | undefined;
}

/** @throws SkillwireError NOT_TRUSTED; USAGE if there is nothing to serve */
function servedOf({ origins }: Configuration, { cwd, base, found }: ServedBase): Omit<ServedOrigins, 'found'> {
  if (origins.length === 0)
    throw new SkillwireError(
      'USAGE',
      'Nothing to serve: the configuration has no origins. Add {"origins": {"docs": "./skills"}}.',
    );
  const shown = (path: string): string => shownPath(cwd, path);
  const { folders, mirrors } = configuredOrigins(origins, { cwd: base, home: homedir(), found, shown });
  const open =
    found === undefined ? [] : untrustedParts([...folders, ...mirrors], found, ['access', 'search', 'signers']);
  if (found !== undefined && found.judged !== 'own' && open.length > 0) throw notTrusted(found.judged, open);
  return { roots: folders.map(({ root }) => root), mirrors, mirrorsFirst: false, fromFile: true };
}
