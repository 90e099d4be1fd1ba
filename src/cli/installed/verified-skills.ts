/**
 * Remembers which versions of skills passed, so `verify --changed` reads only the others. Cached: the index may be deleted at any time.
 * Writes are batched, because each one takes a lock and a line.
 */
import { limits } from '../../limits.ts';
import type { AnyKey, StateWrite, Store } from '../../store/store.ts';

export async function openVerifiedSkills({ index }: Pick<Store, 'index'>, label: string) {
  const known = new Map<string, unknown>();
  for (const { key, value } of await index.entries(['verified', label])) known.set(key[2] ?? '', value);
  let writes: StateWrite<AnyKey>[] = [];

  async function write(): Promise<void> {
    if (writes.length === 0) return;
    const batch = writes;
    writes = [];
    await index.transact(() => ({ writes: batch, result: undefined }));
  }

  return {
    /** The fingerprint covers the whole entry, files and frontmatter. */
    has: (uri: string, fingerprint: string): boolean => known.get(uri) === fingerprint,
    async add(uri: string, fingerprint: string): Promise<void> {
      if (known.get(uri) === fingerprint) return;
      known.set(uri, fingerprint);
      writes.push({ key: ['verified', label, uri], value: fingerprint });
      if (writes.length >= limits.verifier.batch) await write();
    },
    /** Writes the last batch. */
    finish: write,
  };
}
