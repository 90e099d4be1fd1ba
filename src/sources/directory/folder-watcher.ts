/**
 * Watches folders and reports which of them changed. Systems that watch whole trees (macOS, Windows) need one watch per
 * tree, others one per folder; never one per file. If the limit of the system is reached, all watches are closed and
 * `onLimit` is called, so that the owner polls instead. Watches do not keep the process alive.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isInside } from './links.ts';

export interface FolderWatcherOptions {
  /** Watches allowed at the same time. */
  readonly most: number;
  /** A real folder whose content may have changed. */
  readonly onChange: (folder: string) => void;
  readonly onLimit: (reason: string) => void;
}

const watchesTrees = process.platform === 'darwin' || process.platform === 'win32';

export function createFolderWatcher(options: FolderWatcherOptions) {
  const watchers = new Map<string, FSWatcher>();
  let closed = false;

  function drop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function stopAll(reason: string): void {
    if (closed) return;
    close();
    options.onLimit(reason);
  }

  function close(): void {
    closed = true;
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  }

  function onEvent(folder: string, name: string | null): void {
    if (closed) return;
    if (watchesTrees) {
      options.onChange(name === null ? folder : dirname(join(folder, name)));
      return;
    }
    if (name === basename(folder)) {
      // The folder itself was moved or removed: this watch is dead, even if a new folder has the name.
      drop(folder);
      options.onChange(dirname(folder));
    }
    options.onChange(folder);
  }

  function isWatched(folder: string): boolean {
    if (watchers.has(folder)) return true;
    return watchesTrees && [...watchers.keys()].some((above) => isInside(above, folder));
  }

  return {
    /** Watches a real folder once. `isNew` means that it is another folder than the one watched under this name. */
    add(folder: string, isNew: boolean): void {
      if (closed) return;
      if (isNew && !watchesTrees) drop(folder);
      if (isWatched(folder)) return;
      if (watchers.size >= options.most) {
        stopAll(`more than ${options.most} folders`);
        return;
      }
      try {
        const watcher = watch(folder, { persistent: false, recursive: watchesTrees });
        watcher.on('change', (_event, name) => onEvent(folder, typeof name === 'string' ? name : null));
        watcher.on('error', (error) => onFailure(folder, error));
        watchers.set(folder, watcher);
      } catch (error) {
        onFailure(folder, error);
      }
    },
    /** Stops watching all folders but these. */
    retain(folders: ReadonlySet<string>): void {
      if (watchesTrees) return;
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
    },
    close,
  };

  function onFailure(folder: string, error: unknown): void {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    drop(folder);
    // A missing folder is noticed when it is read; Windows reports EPERM when it disappears.
    if (code === 'EPERM') options.onChange(folder);
    else if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return;
    else stopAll(code);
  }
}

export type FolderWatcher = ReturnType<typeof createFolderWatcher>;
