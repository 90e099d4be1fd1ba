/**
 * The source of a server, and how it follows the configuration. Plain folders are one source, as fast as it gets; anything else is a
 * gateway. A changed file is checked as a whole first: if it cannot be used, or needs a restart, everything stays as it was, and the log
 * says why. An accepted file appears as one change of the catalog, and connections notice nothing else.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { SkillwireError } from '../errors.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving as Authority } from '../serving/serving.ts';
import { sameJson } from '../skill/json.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { PolicedOrigins } from '../transforms/policed-origins.ts';
import { type Swappable, swappable } from '../transforms/swappable.ts';
import { shortReason } from '../transforms/upstream-report.ts';
import type { Configuration, ConfiguredSurfaces } from './configuration.ts';
import { folderReports } from './folder-reports.ts';
import type { Gateway, GatewayOrigin } from './gateway.ts';
import type { ConfiguredMcp } from './mcp-surface-schema.ts';
import type { OneStore } from './one-store.ts';
import type { ConfigurationReloads, ServedGateway } from './served-gateway.ts';
import { needsGateway, type ServedOrigins } from './served-origins.ts';
import type { ServingPlace } from './served-source.ts';
import type { ServingLog } from './serving-log.ts';

export interface ServingOptions {
  readonly watch: boolean;
  readonly cache: boolean;
}

/** Options for `serve()`. */
export interface ServedParts extends ConfiguredMcp {
  readonly source: SkillSource;
  readonly gateway: ServedGateway;
  readonly surfaces?: ConfiguredSurfaces;
  readonly access?: ServeAccess;
  readonly policy?: PolicedOrigins & { readonly serving: Authority };
  readonly search: boolean;
}

/** The server, as far as its configuration needs it. */
export interface ServingHandle {
  readonly catalog: Catalog;
}

export interface Serving {
  readonly options: ServedParts;
  /** Follows the configuration from now on. */
  follow(handle: ServingHandle): void;
  /** Reads the configuration again now. Resolves when it was taken over or refused. */
  reload(handle: ServingHandle): Promise<ConfigurationReloads>;
  close(): Promise<void>;
}

export interface ServingParts {
  readonly origins: ServedOrigins;
  readonly options: ServingOptions;
  readonly place: ServingPlace;
  readonly log: ServingLog;
  /** The store of the process; opened only if something of it is needed, and never closed here. */
  readonly store: Pick<OneStore, 'open'>;
  /** SHA-256 at once. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Reads the configuration again. */
  readonly again: () => Promise<ServedOrigins>;
  /** Calls back when the file was changed, or the operator asks for it. Returns what ends that. */
  readonly follow: (file: string, onChange: () => void) => () => void;
}

export async function openServing(parts: ServingParts): Promise<Serving> {
  const { options, place, log } = parts;
  const { watch, cache } = options;
  let { origins } = parts;
  const configuration = origins.found?.configuration;
  const decisions = await openDecisions(parts, configuration);
  await decisions.forgetOrigins(origins);
  const policed = decisions.police === undefined ? {} : { police: decisions.police };
  const store = decisions.store ?? (origins.fromFile && needsGateway(origins) ? await parts.store.open() : undefined);
  const kept = store === undefined ? undefined : await keptIn(store, cache, nameOf(origins));
  const since = new Date().toISOString();
  const counts = { taken: 0, refused: 0 };
  let refusal: { readonly at: string; readonly reason: string } | undefined;
  let gateway: Gateway | undefined;
  let snapshot: Snapshot | undefined;
  let unfollow: (() => void) | undefined;
  let reloading: Promise<void> = Promise.resolve();

  async function sourceOf(found: ServedOrigins): Promise<SkillSource> {
    if (!needsGateway(found)) {
      gateway = undefined;
      return directorySource(found.roots, { watch, cache });
    }
    const { servedGateway } = await import('./served-source.ts');
    gateway = await servedGateway(
      found,
      {
        watch,
        cache,
        onEvent: (event) => log.event(event),
        ...policed,
        ...kept,
      },
      place,
    );
    return gateway.source;
  }

  async function ruled(source: SkillSource, { rules }: Pick<Configuration, 'rules'>): Promise<SkillSource> {
    if (rules.length === 0) return source;
    const { withRules } = await import('../transforms/rules.ts');
    return withRules(source, rules);
  }

  let base = await sourceOf(origins);
  const served: Swappable = swappable(await ruled(base, configuration ?? { rules: [] }));

  /** Takes a configuration over, or throws and leaves everything as it was. */
  async function take(next: ServedOrigins, handle: ServingHandle): Promise<void> {
    const now = next.found?.configuration;
    if (now === undefined) return;
    refuseRestart(origins.found?.configuration, now);
    const before = base;
    const same = gateway;
    if (same !== undefined && needsGateway(next)) {
      const { gatewayOrigins } = await import('./served-source.ts');
      await same.update(gatewayOrigins(next, { ...options, ...policed }, same.id, place), now.limits);
    } else if (same !== undefined || needsGateway(next) || !sameJson(next.roots, origins.roots)) {
      base = await sourceOf(next);
      if (gateway === undefined) await kept?.listings?.retain([]);
    }
    decisions.use(now);
    await decisions.forgetOrigins(next);
    served.swap(await ruled(base, now));
    origins = next;
    await handle.catalog.refresh();
    if (base !== before) await before.close?.();
  }

  async function readAgain(handle: ServingHandle): Promise<void> {
    const file = nameOf(origins);
    try {
      const next = await parts.again();
      if (sameJson(next.found?.configuration, origins.found?.configuration)) {
        refusal = undefined;
        return;
      }
      await take(next, handle);
      counts.taken++;
      refusal = undefined;
      log.event({ event: 'config.taken', file, origins: next.found?.configuration.origins.length ?? 0 });
    } catch (error) {
      counts.refused++;
      const reason = error instanceof Error ? error.message : String(error);
      refusal = { at: new Date().toISOString(), reason };
      log.event({ event: 'config.refused', file, reason });
    }
  }

  const reloads = (): ConfigurationReloads => ({ ...counts, refusal });

  /** One at a time. */
  async function reload(handle: ServingHandle): Promise<ConfigurationReloads> {
    if (origins.fromFile) reloading = reloading.then(() => readAgain(handle));
    await reloading;
    return reloads();
  }

  const shown: ServedGateway = {
    get id() {
      return gateway?.id ?? '';
    },
    origins: () => gateway?.origins() ?? folderReports(origins.roots, snapshot, since),
    reloads,
  };

  return {
    options: {
      source: served,
      gateway: shown,
      surfaces: configuration?.surfaces,
      // What is said on the command line comes later.
      ...configuration?.surfaces?.mcp,
      search: origins.fromFile && configuration?.surfaces?.search !== false,
      access: decisions.access,
      policy: decisions.policy,
    },
    follow(handle) {
      const { catalog } = handle;
      Promise.resolve(catalog.snapshot()).then(
        (first) => {
          snapshot ??= first;
        },
        // Callers that wait for the first snapshot get the error.
        () => undefined,
      );
      catalog.subscribe((change) => {
        snapshot = change.snapshot;
      });
      const file = origins.found?.file;
      if (!watch || !origins.fromFile || file === undefined) return;
      unfollow = parts.follow(file, () => void reload(handle));
    },
    reload,
    async close() {
      unfollow?.();
      await reloading;
    },
  };
}

/** The file, or the folder of a configuration without one. */
function nameOf({ found }: ServedOrigins): string {
  return found?.file ?? found?.base ?? '';
}

/** @param file the configuration, by which gateways that share a state keep their listings apart */
async function keptIn(store: Store, cache: boolean, file: string) {
  const [{ pinnedInStore, writePinned }, { listingsInStore }] = await Promise.all([
    import('../transforms/stored-pins.ts'),
    import('../transforms/stored-listing.ts'),
  ]);
  return {
    ...(cache ? { kept: store.blobs, listings: listingsInStore(store, file) } : {}),
    pinned: ({ label, address = label }: Pick<GatewayOrigin, 'label' | 'address'>) => ({
      // The label may have belonged to another origin; pins of that one are not served.
      ...pinnedInStore(store, (skill) => skill.label === label && skill.origin === address),
      add: (newPin: Parameters<typeof writePinned>[2]) => writePinned(store, { label, origin: address }, newPin),
    }),
  };
}

/** Who may see what, and what is accepted: from the state and the configuration, where that asks for it. */
async function openDecisions(
  { store: one, log, digest, origins }: ServingParts,
  configuration: Configuration | undefined,
) {
  const nothing = {
    store: undefined,
    access: undefined,
    policy: undefined,
    police: undefined,
    use: () => undefined,
    forgetOrigins: async () => undefined,
  };
  if (configuration === undefined) return nothing;
  const { policy: written, profiles, access: asked } = configuration;
  if (written === undefined && profiles === undefined && asked === undefined) return nothing;
  const [{ configuredAccess, asksForTokens }, { createServing }, { decisionFeed }, queue, { policedOrigins }] =
    await Promise.all([
      import('./configured-access.ts'),
      import('../serving/serving.ts'),
      import('../serving/decision-feed.ts'),
      import('../serving/waiting-queue.ts'),
      import('../transforms/policed-origins.ts'),
    ]);
  const store = await one.open();
  const access = asksForTokens(configuration) ? configuredAccess(configuration, store) : undefined;
  const onerror = (error: Error): void => log.line(`error: ${error.message}`);
  const owner = nameOf(origins);
  const authority =
    written === undefined
      ? undefined
      : createServing({
          feed: decisionFeed(async () => store, onerror),
          store: async () => store,
          policy: written,
          digest,
          onerror,
          queue: owner,
          onPinFailed: (label, error) => {
            const reason = shortReason(error instanceof Error ? error.message : String(error));
            log.event({ event: 'cache.failed', label, reason });
          },
        });
  const policy = authority === undefined ? undefined : { serving: authority, ...policedOrigins(authority) };
  return {
    store,
    access,
    policy,
    police: policy?.police,
    use(next: Configuration): undefined {
      access?.use(next);
      authority?.use(next.policy ?? {});
    },
    /** Rows of skills that are not served go with their origin. Arguments name only some of the origins. */
    async forgetOrigins({ fromFile, found, roots, mirrors }: ServedOrigins): Promise<undefined> {
      if (!fromFile || found === undefined) return;
      const labels = [...roots.flatMap(({ label }) => label ?? []), ...mirrors.map(({ label }) => label)];
      await queue.forgetOrigins(store.state, owner, new Set(labels));
    },
  };
}

/** What a running server cannot become. */
function refuseRestart(before: Configuration | undefined, now: Configuration): void {
  const changed = (['surfaces', 'search', 'pin'] as const).find((key) => !sameJson(before?.[key], now[key]));
  const asks = (one: Configuration | undefined): boolean => one?.profiles !== undefined || one?.access !== undefined;
  const key =
    changed ??
    (asks(before) !== asks(now) ? 'profiles' : undefined) ??
    ((before?.policy === undefined) !== (now.policy === undefined) ? 'policy' : undefined);
  if (key === undefined) return;
  throw new SkillwireError('CONFIG_INVALID', `what was changed in "${key}" needs a restart; start the server again`, {
    data: { key },
  });
}
