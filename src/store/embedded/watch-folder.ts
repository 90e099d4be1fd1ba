/** Events of the disk about a folder. A folder that cannot be watched, or is not there, has none: readers compare now and then besides. */
import { type FSWatcher, watch } from 'node:fs';

export function watchFolder(folder: string, onEvent: () => void): () => void {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, { persistent: false }, onEvent);
    // The folder was removed, or the system has no more watches to give.
    watcher.on('error', () => watcher?.close());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return () => watcher?.close();
}
