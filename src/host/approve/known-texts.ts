/**
 * File texts for an approval. They come from the cache, and from the origin only if a person asked to see them.
 * SEP-2640: nothing is fetched for an approval (H-37); a requested preview is allowed (H-59).
 */
import type { SkillEntry, SkillResource } from '../../skill/entry.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { setDifference, setOf } from '../../skill/skill-set.ts';
import type { ContentCache } from '../cache/content-cache.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { SkillChange } from './skill-change.ts';
import type { KnownTexts } from './skill-requests.ts';

export interface KnownTextsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Fetch what is not cached. */
  readonly fetch?: boolean;
}

export async function knownTexts(
  cache: ContentCache,
  origin: HostOrigin,
  resources: readonly SkillResource[],
  { signal, fetch = false }: KnownTextsOptions = {},
): Promise<KnownTexts> {
  const texts = new Map<string, string>();
  for (const resource of resources) {
    const checked = fetch
      ? await cache.open(origin, resource, { signal, forPerson: true })
      : await cache.cached(origin.label, resource);
    const text = checked === undefined ? undefined : decodeUtf8(checked.bytes);
    if (text !== undefined) texts.set(resource.uri, text);
  }
  return texts;
}

/** The change between two entries, with the known text of changed files. */
export async function changeBetween(
  cache: ContentCache,
  origin: HostOrigin,
  before: SkillEntry,
  after: SkillEntry,
  options: KnownTextsOptions = {},
): Promise<SkillChange> {
  const difference = setDifference(setOf(before) ?? [], setOf(after) ?? []);
  const touched = new Set([...difference.added, ...difference.removed, ...difference.changed]);
  const filesOf = ({ resources }: SkillEntry): readonly SkillResource[] =>
    resources === 'dynamic' ? [] : resources.filter(({ uri }) => touched.has(uri));
  // Loads a diff library that nothing else needs.
  const { describeChange } = await import('./skill-change.ts');
  return describeChange(
    { entry: before, texts: await knownTexts(cache, origin, filesOf(before)) },
    { entry: after, texts: await knownTexts(cache, origin, filesOf(after), options) },
  );
}
