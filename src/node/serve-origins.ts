/**
 * Serves origins that were found and accepted. `skillwire serve` and `serveConfiguration()` both run this. Plain folders are served
 * directly; a configuration adds policy, profiles, tokens, pinned skills and reloads.
 */
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { CallTracing } from '../async/in-span.ts';
import type { ListingMode } from '../catalog/offered-skills.ts';
import { definedFields } from '../defined-fields.ts';
import type { OneStore } from '../gateway/one-store.ts';
import type { OpenedServing } from '../gateway/open-serving.ts';
import type { HubAddresses } from '../gateway/pins-for-hub.ts';
import { type ServedOrigins, servingPolicyOf } from '../gateway/served-origins.ts';
import type { ServingMachine } from '../gateway/served-source.ts';
import type { ConfigurationReloads, ServingLog } from '../gateway/server-reports.ts';
import { limits } from '../limits.ts';
import { locationText } from '../origins/kinds.ts';
import { type DialectOptions, dialectOptionsOf } from '../surfaces/mcp/aliases/served-dialects.ts';
import { defaultServerInfo } from '../surfaces/mcp/server-options.ts';
import type { ServeHttpOptions } from './http/host-names.ts';
import { urlHost } from './http/host-names.ts';
import type { ServePageOptions } from './page/page-door.ts';
import { serve } from './serve.ts';
import type { ServeMdpOptions } from './serve-mdp.ts';
import type { ServeHandle } from './serve-options.ts';
import type { ServedOrigin } from './skill-origins.ts';
import { runtimesOrigin } from './skill-origins.ts';
import type { Telemetry } from './telemetry/open-telemetry.ts';
import { wantedTelemetry } from './telemetry/wanted-telemetry.ts';

export interface ServeOriginsOptions extends Omit<DialectOptions, 'archives'> {
  /** Undefined for stdio. */
  readonly http: ServeHttpOptions | undefined;
  readonly mdp: ServeMdpOptions | undefined;
  /** Token with which browsers sign in to the page. */
  readonly pageToken: string | undefined;
  readonly search: boolean | undefined;
  /** `undefined`: from the configuration. */
  readonly listing: ListingMode | undefined;
  readonly watch: boolean;
  readonly cache: boolean;
}

export interface ServeOriginsParts {
  readonly origins: ServedOrigins;
  readonly options: ServeOriginsOptions;
  readonly place: ServingMachine;
  /** Closed by the caller, after the server. */
  readonly store: OneStore;
  readonly log: ServingLog;
  /** Reads the configuration again. */
  readonly again: () => Promise<ServedOrigins>;
}

export interface ServedOriginsHandle extends ServeHandle {
  /** Reloads the configuration. Does nothing if the configuration does not decide what is served. */
  reload(): Promise<ConfigurationReloads>;
}

export async function serveOrigins(parts: ServeOriginsParts): Promise<ServedOriginsHandle> {
  const { origins, options, place, store, log } = parts;
  const { http, mdp, watch, cache, search } = options;
  const { rules = [], pin = [] } = origins.found?.configuration ?? {};
  const telemetry = await openTelemetry(http, log);
  const serving = await openConfigured(parts, telemetry?.tracing);
  const embedder = await openEmbedder(parts);
  const pinned = mdp === undefined ? undefined : await openPinned(store);
  pinned?.listens(expectedAddresses(http, mdp?.listen));
  const handle: ServeHandle = await serve({
    ...(serving?.options ?? { roots: origins.roots, watch, cache, rules }),
    ...(search === true ? { search } : {}),
    ...definedFields(dialectOptionsOf(options)),
    listing: options.listing ?? serving?.options.listing,
    ...(http === undefined ? { stdio: true } : { http, page: pageOptions(parts, () => handle) }),
    ...(mdp === undefined || pinned === undefined ? {} : { mdp: { ...mdp, pinned: pinned.pinned, pin } }),
    embedder,
    telemetry,
    store,
    origins: [...originNames(origins, place.cwd), ...(mdp === undefined ? [] : [runtimesOrigin(mdp)])],
    log: (line) => log.line(line),
  }).catch(async (error: unknown) => {
    await serving?.close();
    throw error;
  });
  pinned?.listens(handle);
  serving?.follow(handle);
  const closed = handle.closed.then(async () => {
    await serving?.close();
    await embedder?.close();
  });
  return {
    ...handle,
    closed,
    reload: async () => (await serving?.reload(handle)) ?? { applied: 0, refused: 0 },
    async close(options) {
      await handle.close(options);
      await closed;
    },
  };
}

/** Reads the environment of the process, as the SDK does. Over stdio there are no requests to trace. */
async function openTelemetry(http: ServeHttpOptions | undefined, log: ServingLog): Promise<Telemetry | undefined> {
  const wanted = http === undefined ? undefined : wantedTelemetry(process.env);
  if (http === undefined || wanted === undefined) return undefined;
  const { openTelemetry: open } = await import('./telemetry/open-telemetry.ts');
  return open(wanted, {
    version: defaultServerInfo.version,
    replica: http.replica ?? hostname(),
    log: (line) => log.line(line),
  });
}

/** `undefined` for plain folders without a configuration, or without a policy and signers. */
async function openConfigured(
  parts: ServeOriginsParts,
  tracing: CallTracing | undefined,
): Promise<OpenedServing | undefined> {
  const { origins, options, place, store, log, again } = parts;
  if (origins.mirrors.length === 0 && !origins.fromFile && servingPolicyOf(origins.found?.configuration) === undefined)
    return undefined;
  const [{ openServing }, { nodeDigest }] = await Promise.all([
    import('../gateway/open-serving.ts'),
    import('../store/embedded/node-digest.ts'),
  ]);
  const { watch, cache } = options;
  return openServing({
    origins,
    options: { watch, cache, tracing },
    place,
    store,
    log,
    again,
    follow: followFiles,
    digest: nodeDigest,
  });
}

/** `undefined` if the configuration has no usable endpoint for search by meaning. */
async function openEmbedder({ origins, options, place, store, log }: ServeOriginsParts) {
  const embeddings = origins.found?.configuration.search?.embeddings;
  if (embeddings === undefined) return undefined;
  const { configuredEmbedder } = await import('./configured-embedder.ts');
  return configuredEmbedder(embeddings, {
    env: place.env,
    store: options.cache ? () => store.open() : undefined,
    warn: (message) => log.line(`warning: ${message}`),
  });
}

/** Pinned live skills, updated while the server runs. */
async function openPinned(store: OneStore) {
  const [opened, { pinnedForHub }] = await Promise.all([store.open(), import('../gateway/pins-for-hub.ts')]);
  return pinnedForHub(opened);
}

/** The addresses of the server, as far as they are known before it listens. */
function expectedAddresses(http: ServeHttpOptions | undefined, own: ServeHttpOptions | undefined): HubAddresses {
  const hub = own ?? http;
  return {
    ...(http === undefined || http.port === 0 ? {} : { mcp: `http://${urlHost(http.host)}:${http.port}/mcp` }),
    ...(hub === undefined || hub.port === 0 ? {} : { mdp: { url: `ws://${urlHost(hub.host)}:${hub.port}` } }),
  };
}

/** Logs a new link for the next browser when a link was used. */
function pageOptions({ options: { pageToken }, log }: ServeOriginsParts, handle: () => ServeHandle): ServePageOptions {
  return {
    token: pageToken,
    onLinkUsed: () =>
      log.line(`A browser signed in to approve skills. Link for another browser: ${handle().pageLink?.() ?? ''}`),
  };
}

/** The origins, as people name them. */
function originNames({ roots, mirrors }: ServedOrigins, cwd: string): readonly ServedOrigin[] {
  return [
    ...roots.map(({ path, label }) => ({
      label: label ?? resolve(cwd, path),
      kind: 'folder',
      place: path,
      prefix: label,
    })),
    ...mirrors.map(({ label, location }) => ({
      label,
      kind: location.kind,
      place: locationText(location),
      ...(label === locationText(location) ? {} : { prefix: label }),
    })),
  ];
}

/**
 * Calls back when one of the files has changed and its quiet period is over, and at once on SIGHUP. Works on file systems without change
 * events, too. Also calls back once after the start, because a file may have changed since it was read.
 */
function followFiles(files: () => readonly string[], onChange: () => void): () => void {
  let known: string | undefined;
  let pending: string | undefined;
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const now = (await Promise.all(files().map(async (file) => `${file} ${await stampOf(file)}`))).join('\n');
      if (now === known) pending = undefined;
      else if (now === pending) {
        known = now;
        pending = undefined;
        onChange();
      } else pending = now;
    } finally {
      looking = false;
    }
  }

  void look();
  const timer = setInterval(() => void look(), limits.gateway.reloadPollMs);
  timer.unref();
  const onSignal = (): void => onChange();
  if (process.platform !== 'win32') process.on('SIGHUP', onSignal);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', onSignal);
  };
}

/** A missing file, as during a save, has its own stamp. */
async function stampOf(file: string): Promise<string> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(file);
    return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
