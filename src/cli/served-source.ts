/**
 * What `serve` and `build` publish where not everything is a plain folder: a gateway of all origins. A label is the first segment of
 * the URIs, as for folders; what has none keeps its URIs. Where there are others to serve, an origin that does not answer keeps none
 * of them from being served.
 */

import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createGateway, type Gateway, type GatewayOptions, type GatewayOrigin } from '../gateway/gateway.ts';
import { gatewayOrigin } from '../gateway/gateway-origin.ts';
import { limits } from '../limits.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Cli } from './cli.ts';
import type { FoundOrigins } from './found-origins.ts';
import { originContext } from './origin-context.ts';

type ServingCli = Pick<Cli, 'cwd' | 'env' | 'stderr'>;

export interface ServedSourceOptions
  extends Pick<GatewayOptions, 'kept' | 'listings' | 'frozen' | 'police' | 'onEvent'> {
  readonly watch: boolean;
  readonly cache: boolean;
  /** Whether an origin that does not answer may leave the others to be served. Default: where there are others. */
  readonly tolerant?: boolean;
}

export async function servedGateway(
  found: FoundOrigins,
  options: ServedSourceOptions,
  cli: ServingCli,
): Promise<Gateway> {
  const { roots, mirrors, fromFile } = found;
  const { watch, tolerant = fromFile || roots.length + mirrors.length > 1 } = options;
  const { kept, listings, frozen, police, onEvent } = options;
  const id = crypto.randomUUID();
  const gateway = await createGateway(gatewayOrigins(found, options, id, cli), {
    id,
    strict: !tolerant,
    // Who does not follow changes takes the first listing as it is.
    ...(watch ? {} : { firstListingMs: limits.gateway.longestDeadlineMs }),
    ...(found.found?.configuration.limits === undefined ? {} : { limits: found.found.configuration.limits }),
    ...(kept === undefined ? {} : { kept }),
    ...(listings === undefined ? {} : { listings }),
    ...(frozen === undefined ? {} : { frozen }),
    ...(police === undefined ? {} : { police }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  if (watch) return gateway;
  const { watch: _, ...still } = gateway.source;
  return { ...gateway, source: { ...still, watched: false } };
}

/** Without a gateway around it: for what is published once. */
export async function servedSource(
  found: FoundOrigins,
  options: ServedSourceOptions,
  cli: ServingCli,
): Promise<SkillSource> {
  return (await servedGateway(found, options, cli)).source;
}

export function gatewayOrigins(
  { origins, mirrors, mirrorsFirst, found }: FoundOrigins,
  options: Pick<ServedSourceOptions, 'watch' | 'cache'>,
  id: string,
  cli: ServingCli,
): readonly GatewayOrigin[] {
  const { watch, cache } = options;
  const roots = origins.map(({ root }) => root);
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
  // Folders without a label are one origin, as they share their URIs. What is decided about skills is decided about one folder, so
  // under a policy each is an origin by itself.
  const bare = roots.filter(({ label }) => label === undefined);
  const apart = found?.configuration.policy === undefined ? [bare] : differentFolders(bare, cli.cwd);
  const shared = apart.flatMap((folders): GatewayOrigin[] =>
    folders.length === 0
      ? []
      : [
          {
            // As `skillwire approve` calls a folder that nobody named.
            label: folders.map(({ path }) => resolve(cli.cwd, path)).join(', '),
            kind: 'folder',
            key: JSON.stringify(folders),
            placed: false,
            open: async () => directorySource(folders, { watch, cache }),
          },
        ],
  );
  const context = { ...originContext({}, cli), watch, cache };
  const others = mirrors.map((origin) => gatewayOrigin(origin, context, id));
  return mirrorsFirst ? [...others, ...shared, ...own] : [...shared, ...own, ...others];
}

/** Each folder alone; one that is named twice, once. */
function differentFolders(roots: readonly DirectoryRoot[], cwd: string): readonly (readonly DirectoryRoot[])[] {
  const byPlace = new Map<string, readonly DirectoryRoot[]>();
  for (const root of roots) {
    const path = resolve(cwd, root.path);
    const place = existsSync(path) ? realpathSync(path) : path;
    if (!byPlace.has(place)) byPlace.set(place, [root]);
  }
  return [...byPlace.values()];
}
