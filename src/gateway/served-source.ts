/**
 * The gateway that `serve` and `build` use unless everything is a plain folder. A label is the first segment of the URIs, as for folders;
 * an origin without a label keeps its URIs. If there are several origins, one that does not answer does not block the others.
 */
import { limits } from '../limits.ts';
import type { OriginContext } from '../origins/open-origin.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { createGateway, type Gateway, type GatewayOptions, type GatewayOrigin, gatewayOrigin } from './gateway.ts';
import type { ServedOrigins } from './served-origins.ts';

/** The machine on which origins are opened. */
export interface ServingMachine extends Pick<OriginContext, 'cwd' | 'env' | 'agents' | 'logins'> {
  /** The absolute path of a served folder. */
  absolute(path: string): string;
  /** The path of a key or certificate, which is relative to the configuration or the base. */
  trustPath(path: string, beside: { readonly file?: string | undefined; readonly base?: string | undefined }): string;
  /**
   * The text of a key or certificate.
   *
   * @param shown the path as the configuration has it
   * @throws SkillwireError USAGE
   */
  trustFile(path: string, shown: string): Promise<string>;
  /** The absolute path with links resolved, if it exists. */
  real(path: string): string;
}

export interface ServedSourceOptions
  extends Pick<GatewayOptions, 'byteCache' | 'listings' | 'pinned' | 'police' | 'onEvent' | 'tracing'> {
  readonly watch: boolean;
  readonly cache: boolean;
  /** Serve the others if an origin does not answer. Default: true if there are others. */
  readonly tolerant?: boolean;
}

export async function servedGateway(
  served: ServedOrigins,
  options: ServedSourceOptions,
  place: ServingMachine,
): Promise<Gateway> {
  const { roots, mirrors, fromFile, found } = served;
  const { watch, tolerant = fromFile || roots.length + mirrors.length > 1 } = options;
  const { byteCache, listings, pinned, police, onEvent, tracing } = options;
  const id = crypto.randomUUID();
  const gateway = await createGateway(gatewayOrigins(served, options, id, place), {
    id,
    strict: !tolerant,
    // Wait for the first listing if it is final, or if there is nothing else to serve.
    ...(watch && tolerant ? {} : { firstListingMs: limits.gateway.longestDeadlineMs }),
    limits: found?.configuration.limits,
    byteCache,
    listings,
    pinned,
    police,
    onEvent,
    tracing,
  });
  if (watch) return gateway;
  const { watch: changes, ...still } = gateway.source;
  // Decisions change what is served even if no folder is watched.
  const followed = police === undefined ? still : { ...still, watch: changes };
  return { ...gateway, source: { ...followed, watched: false } };
}

/** The source alone, for publishing once. */
export async function servedSource(
  served: ServedOrigins,
  options: ServedSourceOptions,
  place: ServingMachine,
): Promise<SkillSource> {
  return (await servedGateway(served, options, place)).source;
}

export function gatewayOrigins(
  { roots, mirrors, mirrorsFirst }: ServedOrigins,
  options: Pick<ServedSourceOptions, 'watch' | 'cache' | 'police' | 'tracing'>,
  id: string,
  place: ServingMachine,
): readonly GatewayOrigin[] {
  const { watch, cache } = options;
  const own = roots.flatMap(({ label, ...root }): GatewayOrigin[] =>
    label === undefined
      ? []
      : [
          {
            label,
            kind: 'folder',
            key: JSON.stringify(root),
            open: async () => directorySource([root], { watch, cache }),
          },
        ],
  );
  // Folders without a label share one URI space, so they are one origin. Decisions apply to a single folder, so under a policy each
  // folder is its own origin.
  const bare = roots.filter(({ label }) => label === undefined);
  const apart = options.police === undefined ? [bare] : differentFolders(bare, place);
  const shared = apart.flatMap((folders): GatewayOrigin[] =>
    folders.length === 0
      ? []
      : [
          {
            // The label that `skillwire approve` uses for an unnamed folder.
            label: folders.map(({ path }) => place.absolute(path)).join(', '),
            kind: 'folder',
            key: JSON.stringify(folders),
            placed: false,
            open: async () => directorySource(folders, { watch, cache }),
          },
        ],
  );
  const { cwd, env, agents, logins } = place;
  const context: OriginContext = { cwd, env, agents, logins, watch, cache, traceParent: options.tracing?.traceParent };
  const others = mirrors.map((origin) => gatewayOrigin(origin, context, id));
  return mirrorsFirst ? [...others, ...shared, ...own] : [...shared, ...own, ...others];
}

/** Each folder alone, without duplicates. */
function differentFolders(
  roots: readonly DirectoryRoot[],
  place: Pick<ServingMachine, 'real'>,
): readonly (readonly DirectoryRoot[])[] {
  const byPath = new Map<string, readonly DirectoryRoot[]>();
  for (const root of roots) {
    const path = place.real(root.path);
    if (!byPath.has(path)) byPath.set(path, [root]);
  }
  return [...byPath.values()];
}
