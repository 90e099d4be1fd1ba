/**
 * Serves folders of skills, or any source, over HTTP or stdio until it is closed or stdin ends. Listening does not wait for the first
 * scan of the folders; `catalog.snapshot()` does.
 */
import { resolve } from 'node:path';
import { loadOnce } from '../async/load-once.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { offeredSkills } from '../catalog/offered-skills.ts';
import { onlyServed } from '../catalog/only-served.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import { dialectOptionsOf, dialectSettings } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { ListingRule } from '../transforms/selected.ts';
import { lazyArchives } from './lazy-archives.ts';
import { type DecisionStore, type LazyServing, lazyServing } from './lazy-serving.ts';
import { checkServe } from './serve-checks.ts';
import type { Runtimes } from './serve-mdp.ts';
import type { ServeHandle, ServeOptions, ServePolicy } from './serve-options.ts';
import { lazySearch, mdpHandle, openOwnPort, type ServedCatalog, toolMaker, unservedHandle } from './served-catalog.ts';
import { runtimesOrigin, type ServedOrigin, skillOrigins } from './skill-origins.ts';

export type { ServeHttpOptions } from './http/host-names.ts';
export type {
  ServeFoldersOptions,
  ServeHandle,
  ServeOptions,
  ServePolicy,
  ServeSourceOptions,
} from './serve-options.ts';

function sourceOf(options: ServeOptions): SkillSource {
  if (options.source !== undefined) return options.source;
  const { roots, watch = true, cache = true } = options;
  return directorySource(roots, { watch, cache });
}

/** The origins of the skills, if the caller does not pass them. */
function originsOf({ origins, roots, source, mdp }: ServeOptions): readonly ServedOrigin[] {
  if (origins !== undefined) return origins;
  const found = roots?.map(({ path, label }) => ({
    label: label ?? resolve(path),
    kind: 'folder',
    place: path,
    prefix: label,
  })) ?? [{ label: source?.name ?? '', kind: 'source', place: source?.name ?? '' }];
  return mdp === undefined ? found : [...found, runtimesOrigin(mdp)];
}

/** Loads only what is used: a client starts the stdio server with every session and waits for it. */
async function ruled(source: SkillSource, rules: readonly ListingRule[]): Promise<SkillSource> {
  if (rules.length === 0) return source;
  const { withRules } = await import('../transforms/selected.ts');
  return withRules(source, rules);
}

/** The store for decisions: the caller's, or one in memory. */
function decisionStore({ store }: ServeOptions): DecisionStore {
  if (store === undefined) {
    const memory = loadOnce(async (): Promise<Store> => (await import('../store/memory-store.ts')).memoryStore());
    return { exists: () => memory.started() !== undefined, open: memory.get, opened: memory.started };
  }
  if (!('state' in store)) return store;
  const opened = async (): Promise<Store> => store;
  return { exists: () => true, open: opened, opened };
}

/** The catalog that agents get. With a policy, decisions are checked before each answer. */
async function decided(all: Catalog, { policy, serving }: Deciding, onerror: (error: Error) => void): Promise<Catalog> {
  if (policy === undefined) return onlyServed(all, serving.filter, onerror);
  const { freshCatalog } = await import('../catalog/fresh-catalog.ts');
  const unfollow = policy.serving.subscribe(() => undefined);
  return freshCatalog(all, () => policy.serving.fresh(), unfollow);
}

/** Loads nothing if tracing is off. */
async function traced(catalog: Catalog, { telemetry }: ServeOptions): Promise<Catalog> {
  if (telemetry?.tracing === undefined) return catalog;
  const { tracedCatalog } = await import('../catalog/traced-catalog.ts');
  return tracedCatalog(catalog, telemetry.tracing.inSpan);
}

interface Deciding {
  readonly policy: ServePolicy | undefined;
  readonly serving: LazyServing;
}

async function openRuntimes(
  { mdp, http, access, log }: ServeOptions,
  { serving }: Deciding,
): Promise<Runtimes | undefined> {
  if (mdp === undefined) return undefined;
  const address = mdp.listen ?? http;
  if (address === undefined)
    throw new SkillwireError('USAGE', 'Runtimes cannot connect over stdio. Set "mdp.listen" to an address.');
  const { createRuntimes, policedRuntimes } = await import('./serve-mdp.ts');
  const addresses = http === undefined || http === address ? [address] : [address, http];
  const runtimes = createRuntimes(mdp, { addresses, access: access !== undefined }, log);
  return policedRuntimes(runtimes, await serving.load());
}

async function withRuntimes(
  source: SkillSource,
  runtimes: Runtimes | undefined,
  policy: ServePolicy | undefined,
): Promise<SkillSource> {
  if (runtimes === undefined) return source;
  const [{ combine }, { mdpRuntimeSource }] = await Promise.all([
    import('../transforms/combine.ts'),
    import('../sources/mdp-runtime/mdp-runtime-source.ts'),
  ]);
  const { label, pinned, pin = [] } = runtimes.options;
  const live = mdpRuntimeSource(runtimes.registry, { label });
  const accepted = (shown: SkillSource): SkillSource => policy?.police(shown, runtimes.label, '') ?? shown;
  if (pinned === undefined) return combine([source, accepted(live)]);
  const { withPinned } = await import('../transforms/with-pinned.ts');
  return combine([source, accepted(withPinned(live, pinned, { rules: pin }))]);
}

/**
 * Serves folders or a source over HTTP or stdio.
 *
 * @example
 * ```ts
 * const handle = await serve({ roots: [{ path: './skills' }], http: { host: '127.0.0.1', port: 8080 } });
 * console.log(handle.mcp); // http://127.0.0.1:8080/mcp
 * ```
 *
 * @throws SkillwireError USAGE; ADDRESS_IN_USE, ADDRESS_REFUSED
 */
export async function serve(options: ServeOptions): Promise<ServeHandle> {
  checkServe(options);
  const { access, policy } = options;
  const onerror = (error: Error): void => options.log?.(`error: ${error.message}`);
  const store = decisionStore(options);
  const { gateway } = options;
  const origins = skillOrigins(originsOf(options), gateway === undefined ? undefined : () => gateway.origins());
  const names = options.page?.originStates ?? origins;
  const serving: LazyServing =
    policy === undefined
      ? lazyServing(store, () => names, onerror)
      : { ...lazyServing(store, () => names, onerror), load: async () => policy.serving };
  if (access !== undefined && options.http === undefined)
    throw new SkillwireError('USAGE', 'Tokens need HTTP. Serve over HTTP, or remove "profiles" and "access".');
  const runtimes = await openRuntimes(options, { policy, serving });
  const source = await withRuntimes(sourceOf(options), runtimes, policy);
  const all = createCatalog(await ruled(source, options.rules ?? []), { listing: options.listing });
  const catalog = await traced(await decided(all, { policy, serving }, onerror), options);
  // The first scan starts now. Callers that need skills await the same scan and get its error.
  Promise.resolve(catalog.snapshot()).then(
    (snapshot) => {
      reportUnlisted(snapshot, options.log);
      // After the first answers.
      setTimeout(() => logRemarks(snapshot, options).catch(onerror), limits.dialects.remarksMs).unref();
    },
    () => undefined,
  );
  try {
    const served: ServedCatalog = {
      catalog,
      all: policy === undefined ? all : catalog,
      serving: serving.load,
      store,
      origins,
      runtimes,
      dialects: dialectOptionsOf(options),
      access,
      recallable: policy !== undefined,
      unserved: policy === undefined ? undefined : () => policy.serving.unservedCounts(),
      search: lazySearch(catalog, options.embedder),
      searchTool: options.search === true,
      onerror,
      log: options.log,
      options,
    };
    if (options.http === undefined) return await serveStdio(served);
    const { serveHttp } = await import('./http/serve-over-http.ts');
    return await serveHttp(served, options.http, options.page ?? {});
  } catch (error) {
    await Promise.all([runtimes?.registry.close(), catalog.close()]);
    throw error;
  }
}

/** Logs how many skills `skills/list` omits because of the official client. */
function reportUnlisted(snapshot: Snapshot, log: ServeOptions['log']): void {
  const left = snapshot.listed.length - offeredSkills(snapshot).length;
  if (left === 0) return;
  const [skills, them] = left === 1 ? ['1 skill is', 'it'] : [`${left.toLocaleString('en')} skills are`, 'them'];
  log?.(
    `${skills} not listed: the official MCP client would reject the whole listing. ` +
      `Fix ${them} with "skillwire validate --fix", or list ${them} with listing: "all" (--list-all)`,
  );
}

/** Logs which skills have another name in older dialects. */
async function logRemarks(snapshot: Snapshot, options: ServeOptions): Promise<void> {
  const { log } = options;
  if (log === undefined) return;
  const { aliasRemarks } = await import('../surfaces/mcp/aliases/remarks.ts');
  for (const remark of aliasRemarks(snapshot, dialectSettings(options))) log(`dialects: ${remark}`);
}

async function serveStdio(served: ServedCatalog): Promise<ServeHandle> {
  const { catalog, runtimes, dialects, onerror } = served;
  const { serveCatalogOverStdio } = await import('./stdio/stdio.ts');
  const own = await openOwnPort(served);
  const tools = (await toolMaker(served))(runtimes?.readable, catalog);
  const connection = serveCatalogOverStdio(catalog, {
    ...dialects,
    archives: lazyArchives(catalog),
    onerror,
    tools,
  });
  const closed = connection.closed.then(async () => {
    served.search.close();
    await own?.close();
    await catalog.close();
  });
  return {
    catalog,
    ...unservedHandle(served),
    ...mdpHandle(own?.url, runtimes),
    closed,
    async close() {
      await connection.close();
      await closed;
    },
  };
}
