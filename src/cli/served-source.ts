/**
 * What `serve` serves where not everything is a folder: folders as one source, each archive, site and server as a mirror, and all
 * of it as one. A label is the first segment of the URIs, as for folders. Where there are others to serve, an origin that does
 * not answer keeps none of them from being served.
 */
import { isLabel } from '../gateway/origin.ts';
import { limits } from '../limits.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { combine } from '../transforms/combine.ts';
import { mirrored } from '../transforms/mirror.ts';
import { prefixed } from '../transforms/prefix.ts';
import type { Cli } from './cli.ts';
import { openMirrored } from './open-origin.ts';
import type { FoundOrigins } from './resolve-origins.ts';

export interface ServedSourceOptions {
  readonly watch: boolean;
  readonly cache: boolean;
  /** Whether an origin that does not answer may leave the others to be served. Default: where there are others. */
  readonly tolerant?: boolean;
}

export async function servedSource(
  { roots, mirrors, mirrorsFirst }: FoundOrigins,
  { watch, cache, tolerant = roots.length + mirrors.length > 1 }: ServedSourceOptions,
  cli: Pick<Cli, 'cwd' | 'env'>,
): Promise<SkillSource> {
  const others = await Promise.all(
    mirrors.map(async (origin): Promise<SkillSource> => {
      const source = await openMirrored(origin, {}, cli);
      // An unnamed origin is labelled with its own text, which no name can be.
      const placed = isLabel(origin.label) ? prefixed(source, origin.label) : source;
      const often = origin.place.kind === 'archive' ? { everyMs: limits.mirror.leastMs } : {};
      const { watch: polls, ...still } = mirrored(placed, { tolerant, ...often });
      return watch && polls !== undefined ? { ...still, watch: polls } : still;
    }),
  );
  const folders = roots.length === 0 ? [] : [directorySource(roots, { watch, cache })];
  const [only, ...more] = mirrorsFirst ? [...others, ...folders] : [...folders, ...others];
  if (only === undefined) throw new TypeError('nothing to serve');
  return more.length === 0 ? only : combine([only, ...more]);
}
