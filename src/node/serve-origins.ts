/**
 * Serves origins that were found and accepted. `skillwire serve` and `serveConfiguration()` both run this. Plain folders are served without
 * anything around them; a configuration adds its policy, profiles, tokens, pinned skills and reloads.
 */

import { resolve } from 'node:path';
import type { ListingMode } from '../catalog/offered-skills.ts';
import type { OneStore } from '../gateway/one-store.ts';
import type { Serving } from '../gateway/open-serving.ts';
import type { HubAddresses } from '../gateway/pins-for-hub.ts';
import type { ServedOrigins } from '../gateway/served-origins.ts';
import type { ServingPlace } from '../gateway/served-source.ts';
import type { ConfigurationReloads, ServingLog } from '../gateway/server-reports.ts';
import { given } from '../given.ts';
import { locationText } from '../origins/kinds.ts';
import { type DialectOptions, dialectOptionsOf } from '../surfaces/mcp/aliases/served-dialects.ts';
import { urlHost } from './http/host-names.ts';
import type { ServePageOptions } from './page/page-door.ts';
import { runtimesOrigin } from './page/runtimes-origin.ts';
import { serve } from './serve.ts';
import type { ServeHttpOptions } from './serve-http-options.ts';
import type { ServeMdpOptions } from './serve-mdp.ts';
import type { ServeHandle } from './serve-options.ts';
import type { ServedOrigin } from './skill-origins.ts';

export interface ServeOriginsOptions extends Omit<DialectOptions, 'archives'> {
  /** Undefined for stdio. */
  readonly http: ServeHttpOptions | undefined;
  readonly mdp: ServeMdpOptions | undefined;
  /** Lets browsers sign in to the page. */
  readonly pageToken: string | undefined;
  readonly search: boolean | undefined;
  /** Undefined: as the configuration says. */
  readonly listing: ListingMode | undefined;
  readonly watch: boolean;
  readonly cache: boolean;
}

export interface ServeOriginsParts {
  readonly origins: ServedOrigins;
  readonly options: ServeOriginsOptions;
  readonly place: ServingPlace;
  /** Closed by the caller, after the server. */
  readonly store: OneStore;
  readonly log: ServingLog;
  /** Reads the configuration again. */
  readonly again: () => Promise<ServedOrigins>;
}

export interface ServedOriginsHandle extends ServeHandle {
  /** Reads the configuration again now. Nothing happens if it does not say what is served. */
  reload(): Promise<ConfigurationReloads>;
}

export async function serveOrigins(parts: ServeOriginsParts): Promise<ServedOriginsHandle> {
  const { origins, options, place, store, log } = parts;
  const { http, mdp, watch, cache, search } = options;
  const { rules = [], pin = [] } = origins.found?.configuration ?? {};
  const serving = await openConfigured(parts);
  const embedder = await openEmbedder(parts);
  const pinned = mdp === undefined ? undefined : await openPinned(store);
  pinned?.listens(expectedAddresses(http, mdp?.listen));
  const handle: ServeHandle = await serve({
    ...(serving?.options ?? { roots: origins.roots, watch, cache, rules }),
    ...(search === true ? { search } : {}),
    ...given(dialectOptionsOf(options)),
    listing: options.listing ?? serving?.options.listing,
    ...(http === undefined ? { stdio: true } : { http, page: pageOptions(parts, () => handle) }),
    ...(mdp === undefined || pinned === undefined ? {} : { mdp: { ...mdp, pinned: pinned.pinned, pin } }),
    embedder,
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
    reload: async () => (await serving?.reload(handle)) ?? { taken: 0, refused: 0 },
    async close() {
      await handle.close();
      await closed;
    },
  };
}

/** Undefined for plain folders that no configuration names or rules over with a policy. */
async function openConfigured(parts: ServeOriginsParts): Promise<Serving | undefined> {
  const { origins, options, place, store, log, again } = parts;
  if (origins.mirrors.length === 0 && !origins.fromFile && origins.found?.configuration.policy === undefined)
    return undefined;
  const [{ openServing }, { followFile }, { nodeDigest }] = await Promise.all([
    import('../gateway/open-serving.ts'),
    import('./follow-file.ts'),
    import('../store/embedded/node-digest.ts'),
  ]);
  return openServing({ origins, options, place, store, log, again, follow: followFile, digest: nodeDigest });
}

/** Undefined if the configuration has no endpoint for search by meaning, or one that cannot be used. */
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

/** Pinned live skills, followed while the server runs. */
async function openPinned(store: OneStore) {
  const [opened, { pinnedForHub }] = await Promise.all([store.open(), import('../gateway/pins-for-hub.ts')]);
  return pinnedForHub(opened);
}

/** Where the server will listen, as far as that is known before it does. */
function expectedAddresses(http: ServeHttpOptions | undefined, own: ServeHttpOptions | undefined): HubAddresses {
  const hub = own ?? http;
  return {
    ...(http === undefined || http.port === 0 ? {} : { mcp: `http://${urlHost(http.host)}:${http.port}/mcp` }),
    ...(hub === undefined || hub.port === 0 ? {} : { mdp: { url: `ws://${urlHost(hub.host)}:${hub.port}` } }),
  };
}

/** A link that was used is followed by a new one, for the next browser. */
function pageOptions({ options: { pageToken }, log }: ServeOriginsParts, handle: () => ServeHandle): ServePageOptions {
  return {
    token: pageToken,
    onLinkUsed: () =>
      log.line(`a browser may approve skills now; a link for another one: ${handle().pageLink?.() ?? ''}`),
  };
}

/** Where skills come from, as people know it. */
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
