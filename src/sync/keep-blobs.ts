/** Keeps what was fetched by its digest, so that it can be installed again while its origin cannot be reached. */
import { contentKey } from '../host/cache/content-cache.ts';
import type { Store } from '../store/store.ts';
import type { FetchedFile } from './fetch-skill.ts';

export async function keepBlobs(
  { blobs, index }: Pick<Store, 'blobs' | 'index'>,
  label: string,
  files: readonly FetchedFile[],
): Promise<void> {
  for (const { digest, bytes } of files) await blobs.put(digest, bytes);
  const writes = files.map(({ uri, digest, size }) => ({ key: contentKey(label, uri), value: { digest, size } }));
  await index.transact(() => ({ writes, result: undefined }));
}
