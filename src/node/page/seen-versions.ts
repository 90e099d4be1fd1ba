/**
 * The versions of skills that were seen, so that two of them can be compared. Entries are in the index of the store, file texts in its
 * blobs. Nothing is cached until somebody opens the page, so a server whose page is never opened writes nothing. From then on every skill
 * is recorded, within limits; a skill that is opened or decided about is always recorded. All of it may be deleted at any time: then
 * versions are missing, or comparisons have no text.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isDigest } from '../../skill/digest.ts';
import type { JsonValue, SkillEntry, SkillResource } from '../../skill/entry.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { Store } from '../../store/store.ts';

export interface SeenVersion {
  readonly setDigest: string;
  readonly entry: SkillEntry;
  /** ISO 8601, UTC. */
  readonly first: string;
  readonly last: string;
  /** ISO 8601, UTC; set if it was approved at some time. */
  readonly approvedAt?: string;
}

const kind = 'seen';

export function seenVersions(store: Pick<Store, 'index' | 'blobs'>, catalog: Catalog, now = () => new Date()) {
  async function versions(label: string, uri: string): Promise<readonly SeenVersion[]> {
    const entries = await store.index.entries([kind, label, uri]);
    return entries
      .flatMap(({ key, value }) => versionIn(key[3], value))
      .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  }

  return {
    /** Oldest first. */
    versions,

    /** Records the current version of the skill. */
    async see(label: string, skill: SkillRecord, setDigest: string): Promise<void> {
      const { uri, frontmatter, resources, _meta } = skill.entry;
      const at = now().toISOString();
      const known = await versions(label, uri);
      const newest = known.at(-1);
      if (newest?.setDigest === setDigest) return;
      const entry = { uri, frontmatter, resources, _meta } as unknown as JsonValue;
      const same = known.find((version) => version.setDigest === setDigest);
      const first = same?.first ?? at;
      // Approved versions are what people compare with, so others are dropped first.
      const dropped = [...known]
        .sort((a, b) => Number(a.approvedAt !== undefined) - Number(b.approvedAt !== undefined))
        .slice(0, Math.max(0, known.length + 1 - limits.page.versions));
      await store.index.transact(() => ({
        writes: [
          ...dropped.map((version) => ({ key: [kind, label, uri, version.setDigest], value: undefined })),
          ...(newest === undefined || dropped.includes(newest)
            ? []
            : [{ key: [kind, label, uri, newest.setDigest], value: storedValue({ ...newest, last: at }) }]),
          { key: [kind, label, uri, setDigest], value: { ...approvalOf(same), first, last: at, entry } },
        ],
        result: undefined,
      }));
    },

    /** Records that a version was approved, so that it stays in the list when another one is. */
    async noteApproval(label: string, uri: string, version: SeenVersion & { readonly approvedAt: string }) {
      const key = [kind, label, uri, version.setDigest];
      await store.index.transact(() => ({ writes: [{ key, value: storedValue(version) }], result: undefined }));
    },

    /** Caches the texts of the skill, within the budget. */
    async keepTexts({ entry, files }: SkillRecord, budget: { left: number }): Promise<void> {
      if (entry.resources === 'dynamic') return;
      for (const { uri, resource } of files.values()) {
        if (resource === undefined || resource.size > limits.page.followedFileBytes) continue;
        if (resource.size > budget.left || (await store.blobs.has(resource.digest))) continue;
        const { bytes, file } = await catalog.read(uri, {});
        if (file.resource === undefined || decodeUtf8(bytes) === undefined) continue;
        budget.left -= bytes.length;
        await store.blobs.put(file.resource.digest, bytes);
      }
    },

    /** The text of a file of any version; `undefined` if it is neither cached nor current, or not text. */
    async text({ uri, digest }: SkillResource): Promise<string | undefined> {
      const cached = await store.blobs.get(digest);
      if (cached !== undefined) return decodeUtf8(cached);
      try {
        const { file, bytes } = await catalog.read(uri, {});
        return file.resource?.digest === digest ? decodeUtf8(bytes) : undefined;
      } catch (error) {
        if (error instanceof SkillwireError) return undefined;
        throw error;
      }
    },
  };
}

export type SeenVersions = ReturnType<typeof seenVersions>;

function storedValue(version: SeenVersion): JsonValue {
  const { uri, frontmatter, resources, _meta } = version.entry;
  const entry = { uri, frontmatter, resources, _meta } as unknown as JsonValue;
  return { first: version.first, last: version.last, ...approvalOf(version), entry };
}

function approvalOf(version: SeenVersion | undefined): { readonly approvedAt?: string } {
  return version?.approvedAt === undefined ? {} : { approvedAt: version.approvedAt };
}

function versionIn(setDigest: string | undefined, value: JsonValue): SeenVersion[] {
  if (!isDigest(setDigest) || typeof value !== 'object' || value === null) return [];
  const { first, last, entry, approvedAt } = value as Readonly<Record<string, JsonValue>>;
  if (typeof first !== 'string' || typeof last !== 'string' || typeof entry !== 'object' || entry === null) return [];
  const approved = typeof approvedAt === 'string' ? { approvedAt } : {};
  return [{ setDigest, first, last, entry: entry as unknown as SkillEntry, ...approved }];
}
