/**
 * Texts of files for the one who decides: from the cache, and from the origin only where a person asked to see them (SEP-2640:
 * nothing is fetched at approval, H-37; a preview that a person wants is a need, H-59).
 */
import type { SkillEntry, SkillResource } from '../../skill/entry.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { setDifference, setOf } from '../../skill/skill-set.ts';
import type { ContentCache } from '../cache/content-cache.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { SkillChange } from './changed-skill.ts';
import type { KnownTexts } from './skill-asks.ts';

export interface KnownTextsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ask the origin for what is not cached. */
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

/** What changed from one entry to another, with the text of changed files as far as it is known. */
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
  // Compares texts line by line, with a library that is needed for nothing else.
  const { describeChange } = await import('./skill-change.ts');
  return describeChange(
    { entry: before, texts: await knownTexts(cache, origin, filesOf(before)) },
    { entry: after, texts: await knownTexts(cache, origin, filesOf(after), options) },
  );
}
