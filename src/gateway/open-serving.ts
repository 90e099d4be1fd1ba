/**
 * Opens the source of a server and reloads its configuration. Plain folders are one fast source; anything else is a gateway. A changed
 * file is checked as a whole first. If it is invalid or needs a restart, nothing changes and the log says why. An applied file appears
 * as one change of the catalog, and connections stay open.
 */
import type { CallTracing } from '../async/in-span.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { reasonOf, SkillwireError } from '../errors.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving as Authority } from '../serving/serving.ts';
import { sameJson } from '../skill/json.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import { defaultRuntimeLabel } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { PolicedOrigins } from '../transforms/policed-origins.ts';
import { type Swappable, swappable } from '../transforms/swappable.ts';
import { answeredStanding, shortReason, type UpstreamReport } from '../transforms/upstream-report.ts';
import type { Configuration } from './configuration.ts';
import type { Gateway, GatewayOptions, GatewayOrigin } from './gateway.ts';
import type { OneStore } from './one-store.ts';
import { needsGateway, type ServedOrigins, servingPolicyOf } from './served-origins.ts';
import type { ServingMachine } from './served-source.ts';
import type { ConfigurationReloads, ServedGateway, ServingLog } from './server-reports.ts';
import type { ConfiguredMcp, ConfiguredSurfaces } from './serving-schema.ts';

export interface OpenServingOptions {
  readonly watch: boolean;
  readonly cache: boolean;
  /** Absent if tracing is off. */
  readonly tracing?: CallTracing | undefined;
}

/** Options for `serve()` from the configuration. */
export interface ServedParts extends ConfiguredMcp {
  readonly source: SkillSource;
  readonly gateway: ServedGateway;
  readonly surfaces?: ConfiguredSurfaces;
  readonly access?: ServeAccess;
  readonly policy?: PolicedOrigins & { readonly serving: Authority };
  readonly search: boolean;
}

/** The part of the running server that reloads need. */
export interface ServingHandle {
  readonly catalog: Catalog;
}

export interface OpenedServing {
  readonly options: ServedParts;
  /** Starts to follow the configuration file. */
  follow(handle: ServingHandle): void;
  /** Reads the configuration again. Resolves when it is applied or rejected. */
  reload(handle: ServingHandle): Promise<ConfigurationReloads>;
  close(): Promise<void>;
}

export interface ServingParts {
  readonly origins: ServedOrigins;
  readonly options: OpenServingOptions;
  readonly place: ServingMachine;
  readonly log: ServingLog;
  /** The store of the process; opened only if needed, and never closed here. */
  readonly store: Pick<OneStore, 'open'>;
  /** Synchronous SHA-256. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Reads the configuration again. */
  readonly again: () => Promise<ServedOrigins>;
  /** Calls back when one of the files changes or the operator requests a reload. Returns a function that stops. */
  readonly follow: (files: () => readonly string[], onChange: () => void) => () => void;
}

export async function openServing(parts: ServingParts): Promise<OpenedServing> {
  const { options, place, log } = parts;
  const { watch, cache, tracing } = options;
  let { origins } = parts;
  const configuration = origins.found?.configuration;
  const decisions = await openDecisions(parts, configuration);
  await decisions.forgetOrigins(origins);
  const policed = { police: decisions.police };
  const store = decisions.store ?? (origins.fromFile && needsGateway(origins) ? await parts.store.open() : undefined);
  const cached = store === undefined ? undefined : await cachedIn(store, cache, nameOf(origins));
  const since = new Date().toISOString();
  const counts = { applied: 0, refused: 0 };
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
    const onEvent: GatewayOptions['onEvent'] = (event) => log.event(event);
    gateway = await servedGateway(found, { watch, cache, tracing, onEvent, ...policed, ...cached }, place);
    return gateway.source;
  }

  async function ruled(source: SkillSource, { rules }: Pick<Configuration, 'rules'>): Promise<SkillSource> {
    if (rules.length === 0) return source;
    const { withRules } = await import('../transforms/selected.ts');
    return withRules(source, rules);
  }

  let base = await sourceOf(origins);
  const served: Swappable = swappable(await ruled(base, configuration ?? { rules: [] }));

  /** Applies a configuration, or throws and changes nothing. */
  async function take(next: ServedOrigins, handle: ServingHandle): Promise<void> {
    const now = next.found?.configuration;
    if (now === undefined) return;
    refuseRestart(origins.found?.configuration, now);
    const apply = await decisions.prepare(now);
    const before = base;
    const same = gateway;
    if (same !== undefined && needsGateway(next)) {
      const { gatewayOrigins } = await import('./served-source.ts');
      await same.update(gatewayOrigins(next, { ...options, ...policed }, same.id, place), now.limits);
    } else if (same !== undefined || needsGateway(next) || !sameJson(next.roots, origins.roots)) {
      base = await sourceOf(next);
      if (gateway === undefined) await cached?.listings?.retain([]);
    }
    apply();
    // Programs that are connected stay in the queue.
    await decisions.forgetOrigins(next, [defaultRuntimeLabel]);
    served.swap(await ruled(base, now));
    origins = next;
    await handle.catalog.refresh();
    if (base !== before) await before.close?.();
  }

  async function readAgain(handle: ServingHandle): Promise<void> {
    const file = nameOf(origins);
    try {
      const next = await parts.again();
      const isSame = sameJson(next.found?.configuration, origins.found?.configuration);
      if (isSame && (await decisions.isCurrent(next.found?.configuration))) {
        refusal = undefined;
        return;
      }
      await take(next, handle);
      counts.applied++;
      refusal = undefined;
      log.event({ event: 'config.applied', file, origins: next.found?.configuration.origins.length ?? 0 });
    } catch (error) {
      counts.refused++;
      const reason = reasonOf(error);
      refusal = { at: new Date().toISOString(), reason };
      log.event({ event: 'config.refused', file, reason });
    }
  }

  const reloads = (): ConfigurationReloads => ({ ...counts, refusal });

  /** Reloads run one at a time. */
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
      // Options of the command line override these.
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
        // Callers that await the first snapshot get the error.
        () => undefined,
      );
      catalog.subscribe((change) => {
        snapshot = change.snapshot;
      });
      const file = origins.found?.file;
      if (!watch || !origins.fromFile || file === undefined) return;
      unfollow = parts.follow(
        () => [file, ...decisions.files()],
        () => void reload(handle),
      );
    },
    reload,
    async close() {
      unfollow?.();
      await reloading;
      decisions.close();
    },
  };
}

/** The file, or the base folder if there is no file. */
function nameOf({ found }: ServedOrigins): string {
  return found?.file ?? found?.base ?? '';
}

/** @param file separates the listings of gateways that share a state */
async function cachedIn(store: Store, cache: boolean, file: string) {
  const [{ pinnedInStore, writePinned }, { listingsInStore }] = await Promise.all([
    import('../transforms/stored-pins.ts'),
    import('../transforms/stored-listing.ts'),
  ]);
  return {
    ...(cache ? { byteCache: store.blobs, listings: listingsInStore(store, file) } : {}),
    pinned: ({ label, address = label }: Pick<GatewayOrigin, 'label' | 'address'>) => ({
      // The label may have belonged to another origin, whose pins are not served.
      ...pinnedInStore(store, (skill) => skill.label === label && skill.origin === address),
      add: (newPin: Parameters<typeof writePinned>[2]) => writePinned(store, { label, origin: address }, newPin),
    }),
  };
}

/** Opens access and policy if the configuration has them. */
async function openDecisions(parts: ServingParts, configuration: Configuration | undefined) {
  const { store: one, log, digest, origins, place } = parts;
  const nothing = {
    store: undefined,
    access: undefined,
    policy: undefined,
    police: undefined,
    prepare: async () => () => undefined,
    files: () => [],
    isCurrent: async () => true,
    forgetOrigins: async () => undefined,
    close: () => undefined,
  };
  if (configuration === undefined) return nothing;
  const rules = servingPolicyOf(configuration);
  if (rules === undefined && !asksForTokens(configuration)) return nothing;
  const [{ configuredAccess }, { createServing }, { decisionFeed }, queue, { policedOrigins }] = await Promise.all([
    import('./configured-access.ts'),
    import('../serving/serving.ts'),
    import('../serving/decision-feed.ts'),
    import('../serving/waiting-queue.ts'),
    import('../transforms/policed-origins.ts'),
  ]);
  const store = await one.open();
  const signatures =
    rules === undefined
      ? undefined
      : await (await import('./served-signatures.ts')).servedSignatures(
          { found: origins.found, place, digest },
          configuration,
          store,
        );
  const report = (line: string): void => log.line(`warning: ${line}`);
  const access = asksForTokens(configuration)
    ? await configuredAccess(configuration, store, { env: place.env, digest, report })
    : undefined;
  const onerror = (error: Error): void => log.line(`error: ${error.message}`);
  const owner = { server: nameOf(origins), configured: origins.fromFile && origins.found?.file !== undefined };
  const authority =
    rules === undefined
      ? undefined
      : createServing({
          feed: decisionFeed(async () => store, onerror),
          store: async () => store,
          policy: rules,
          signatures: signatures?.served,
          digest,
          onerror,
          queue: owner,
          onPinFailed: (label, error) => {
            const reason = shortReason(reasonOf(error));
            log.event({ event: 'cache.failed', label, reason });
          },
        });
  const policy = authority === undefined ? undefined : { serving: authority, ...policedOrigins(authority) };
  return {
    store,
    access,
    policy,
    police: policy?.police,
    close: () => access?.close(),
    /** @returns a function that applies the configuration; reading its keys may fail before */
    async prepare(next: Configuration): Promise<() => void> {
      await access?.check(next);
      const signers = await signatures?.load(next);
      return () => {
        access?.use(next);
        if (signers !== undefined) signatures?.use(signers);
        // A new object, so that everything is decided again.
        authority?.use({ ...next.policy });
      };
    },
    /** Keys and certificates in use. */
    files: () => signatures?.files() ?? [],
    /** False if one of these files changed. */
    isCurrent: async (next: Configuration | undefined) =>
      next === undefined || signatures === undefined || (await signatures.isCurrent(next)),
    /** Deletes waiting rows of origins that left the configuration. Command-line arguments name only some origins, so they delete nothing. */
    async forgetOrigins(
      { fromFile, found, roots, mirrors }: ServedOrigins,
      live: readonly string[] = [],
    ): Promise<undefined> {
      if (!fromFile || found === undefined) return;
      const labels = [...live, ...roots.flatMap(({ label }) => label ?? []), ...mirrors.map(({ label }) => label)];
      await queue.forgetOrigins(store.state, owner, new Set(labels));
    },
  };
}

/** Rejects changes that need a restart. */
function refuseRestart(before: Configuration | undefined, now: Configuration): void {
  const changed = (['surfaces', 'search', 'pin'] as const).find((key) => !sameJson(before?.[key], now[key]));
  const key =
    changed ??
    (asksForTokens(before ?? {}) !== asksForTokens(now) ? 'profiles' : undefined) ??
    ((servingPolicyOf(before) === undefined) !== (servingPolicyOf(now) === undefined) ? 'policy' : undefined);
  if (key === undefined) return;
  throw new SkillwireError('CONFIG_INVALID', `The change in "${key}" needs a restart. Start the server again.`, {
    data: { key },
  });
}

const uncounted = { ok: 0, failed: 0, refused: 0, ms: 0 };

/** True if callers need tokens: the configuration has profiles, or defines what callers without a token may see. */
function asksForTokens({ profiles, access }: Pick<Configuration, 'profiles' | 'access'>): boolean {
  return profiles !== undefined || access !== undefined;
}

/**
 * Reports on plain folders, in the form of reports on origins. One source reads all folders, so calls are not counted.
 *
 * @param since when the server started, ISO 8601
 */
export function folderReports(
  roots: readonly DirectoryRoot[],
  snapshot: Snapshot | undefined,
  since: string,
): readonly UpstreamReport[] {
  const labels = roots.flatMap(({ label }) => label ?? []);
  return roots.map(({ label, path }): UpstreamReport => {
    const skills = (snapshot?.skills ?? []).filter((skill) => {
      const [first = ''] = skill.path.split('/', 1);
      return label === undefined ? !labels.includes(first) : first === label;
    });
    const findings = (snapshot?.findings ?? []).filter(({ file }) => file?.startsWith(path) === true);
    const refused = findings.filter(({ level, skill }) => level === 'problem' && skill === undefined);
    const faults = refused.map(({ message }) => message);
    return {
      label: label ?? path,
      kind: 'folder',
      ...(snapshot === undefined ? { state: 'pending' } : answeredStanding(skills.length, faults, findings)),
      since,
      skills: skills.length,
      refused: refused.length,
      breaker: 'closed',
      calls: uncounted,
      mismatches: 0,
    };
  });
}
