/**
 * What `serve` serves, and how that follows the configuration. Plain folders are one source, as fast as it gets; anything else is a
 * gateway. A change of the file is checked as a whole first: what cannot be used, or would need a restart, leaves everything as it
 * was, and the log says why. What was taken over appears as one change, and no connection notices more than that.
 */

import type { Snapshot } from '../catalog/snapshot.ts';
import { SkillwireError } from '../errors.ts';
import type { Configuration } from '../gateway/configuration.ts';
import { folderReports } from '../gateway/folder-reports.ts';
import type { Gateway, GatewayOrigin } from '../gateway/gateway.ts';
import type { ConfiguredMcp } from '../gateway/mcp-surface-schema.ts';
import type { OneStore } from '../gateway/one-store.ts';
import type { ServedGateway } from '../gateway/served-gateway.ts';
import { followFile } from '../node/follow-file.ts';
import type { ServeHandle, ServeSourceOptions } from '../node/serve.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import { type Swappable, swappable } from '../transforms/swappable.ts';
import type { Cli } from './cli.ts';
import type { FoundOrigins } from './found-origins.ts';
import type { ServeLog } from './serve-log.ts';

export interface ServingOptions {
  readonly watch: boolean;
  readonly cache: boolean;
}

export interface Serving {
  /** For `serve()`. */
  readonly options: Pick<ServeSourceOptions, 'source' | 'gateway' | 'surfaces' | 'access' | 'policy' | 'search'> &
    ConfiguredMcp;
  /** Follows the configuration from now on. */
  follow(handle: Pick<ServeHandle, 'catalog'>): void;
  close(): Promise<void>;
}

export interface ServingParts {
  readonly origins: FoundOrigins;
  readonly options: ServingOptions;
  readonly cli: Pick<Cli, 'cwd' | 'env' | 'stderr'>;
  readonly log: ServeLog;
  /** The store of the process; opened only if something of it is needed, and never closed here. */
  readonly store: Pick<OneStore, 'open'>;
  /** Reads the configuration again. */
  readonly again: () => Promise<FoundOrigins>;
}

/** Whether more is needed than the folders. */
export function needsGateway({ mirrors, found }: FoundOrigins): boolean {
  return mirrors.length > 0 || found?.configuration.policy !== undefined;
}

export async function openServing(parts: ServingParts): Promise<Serving> {
  const { options, cli, log } = parts;
  const { watch, cache } = options;
  let { origins } = parts;
  const configuration = origins.found?.configuration;
  const decisions = await openDecisions(parts, configuration);
  const store = decisions.store ?? (origins.fromFile && needsGateway(origins) ? await parts.store.open() : undefined);
  const kept = store === undefined ? undefined : await keptIn(store, cache, origins.found?.file ?? '');
  const counts = { taken: 0, refused: 0 };
  let refusal: { readonly at: string; readonly reason: string } | undefined;
  let gateway: Gateway | undefined;
  let snapshot: Snapshot | undefined;
  let unfollow: (() => void) | undefined;
  let reloading: Promise<void> = Promise.resolve();

  async function sourceOf(found: FoundOrigins): Promise<SkillSource> {
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
        ...(decisions.police === undefined ? {} : { police: decisions.police }),
        ...kept,
      },
      cli,
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
  async function take(next: FoundOrigins, handle: Pick<ServeHandle, 'catalog'>): Promise<void> {
    const now = next.found?.configuration;
    if (now === undefined) return;
    refuseRestart(origins.found?.configuration, now);
    const before = base;
    const same = gateway;
    if (same !== undefined && needsGateway(next)) {
      const { gatewayOrigins } = await import('./served-source.ts');
      await same.update(gatewayOrigins(next, options, same.id, cli), now.limits);
    } else if (
      same !== undefined ||
      needsGateway(next) ||
      JSON.stringify(next.roots) !== JSON.stringify(origins.roots)
    ) {
      base = await sourceOf(next);
      if (gateway === undefined) await kept?.listings?.retain([]);
    }
    decisions.use(now);
    served.swap(await ruled(base, now));
    origins = next;
    await handle.catalog.refresh();
    if (base !== before) await before.close?.();
  }

  async function reload(handle: Pick<ServeHandle, 'catalog'>, file: string): Promise<void> {
    try {
      const next = await parts.again();
      if (JSON.stringify(next.found?.configuration) === JSON.stringify(origins.found?.configuration)) {
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

  const shown: ServedGateway = {
    get id() {
      return gateway?.id ?? '';
    },
    origins: () => gateway?.origins() ?? folderReports(origins.roots, snapshot),
    reloads: () => ({ ...counts, ...(refusal === undefined ? {} : { refusal }) }),
  };

  return {
    options: {
      source: served,
      gateway: shown,
      ...(configuration?.surfaces === undefined ? {} : { surfaces: configuration.surfaces }),
      // What is said on the command line comes later.
      ...configuration?.surfaces?.mcp,
      search: origins.fromFile && configuration?.surfaces?.search !== false,
      ...(decisions.access === undefined ? {} : { access: decisions.access }),
      ...(decisions.policy === undefined ? {} : { policy: decisions.policy }),
    },
    follow(handle) {
      const { catalog } = handle;
      catalog.snapshot().then(
        (first) => {
          snapshot ??= first;
        },
        // Whoever waits for the first snapshot hears of it.
        () => undefined,
      );
      catalog.subscribe((change) => {
        snapshot = change.snapshot;
      });
      const file = origins.found?.file;
      if (!watch || !origins.fromFile || file === undefined) return;
      unfollow = followFile(file, () => {
        reloading = reloading.then(() => reload(handle, file));
      });
    },
    async close() {
      unfollow?.();
      await reloading;
    },
  };
}

/** @param file the configuration, by which gateways that share a state keep their listings apart */
async function keptIn(store: Store, cache: boolean, file: string) {
  const [{ frozenInStore, writeFrozen }, { listingsInStore }] = await Promise.all([
    import('../transforms/stored-frozen.ts'),
    import('../transforms/stored-listing.ts'),
  ]);
  return {
    ...(cache ? { kept: store.blobs, listings: listingsInStore(store, file) } : {}),
    frozen: ({ label, address = label }: Pick<GatewayOrigin, 'label' | 'address'>) => ({
      // What was frozen of another origin that had the label is not served.
      ...frozenInStore(store, (skill) => skill.label === label && skill.origin === address),
      add: (freezing: Parameters<typeof writeFrozen>[2]) => writeFrozen(store, { label, origin: address }, freezing),
    }),
  };
}

/** Who may see what, and what is accepted: from the state and the configuration, where that asks for it. */
async function openDecisions({ store: one, log }: ServingParts, configuration: Configuration | undefined) {
  const nothing = { store: undefined, access: undefined, policy: undefined, police: undefined, use: () => undefined };
  if (configuration === undefined) return nothing;
  const { policy: written, profiles, access: asked } = configuration;
  if (written === undefined && profiles === undefined && asked === undefined) return nothing;
  const [{ configuredAccess, asksForTokens }, { createServingDecisions }, { nodeDigest }] = await Promise.all([
    import('../gateway/configured-access.ts'),
    import('../gateway/serving-decisions.ts'),
    import('../store/embedded/node-digest.ts'),
  ]);
  const store = await one.open();
  const access = asksForTokens(configuration) ? configuredAccess(configuration, store) : undefined;
  const onerror = (error: Error): void => log.line(`error: ${error.message}`);
  const policy =
    written === undefined
      ? undefined
      : createServingDecisions({
          store,
          policy: written,
          digest: nodeDigest,
          onerror,
          onEvent: (event) => log.event(event),
        });
  return {
    store,
    access,
    policy,
    police: policy === undefined ? undefined : policy.police.bind(policy),
    use(next: Configuration): undefined {
      access?.use(next);
      policy?.use(next.policy ?? {});
    },
  };
}

/** What a running server cannot become. */
function refuseRestart(before: Configuration | undefined, now: Configuration): void {
  const changed = (['surfaces', 'freeze'] as const).find(
    (key) => JSON.stringify(before?.[key]) !== JSON.stringify(now[key]),
  );
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
