/**
 * Caches what a run learned about the served folders for the next one: a file per root in the user's cache folder. It
 * is written after the first listing, and again on close if there is something new. A failed write never affects
 * serving; it is reported once.
 */
import { join } from 'node:path';
import type { Slices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { cacheFolder } from './cache-folder.ts';
import { cachedFileName } from './cached-tree-format.ts';
import { readCachedTree } from './cached-tree-reader.ts';
import type { CachedFolder } from './folder-listing.ts';
import type { FolderNode } from './folder-node.ts';

export interface DigestCacheOptions {
  /** The folder; false for none. */
  readonly cache: string | boolean;
  readonly slices: Slices;
  readonly trees: () => readonly FolderNode[];
  readonly onFailure: (found: Finding) => void;
}

export function createDigestCache({ cache, slices, trees, onFailure }: DigestCacheOptions) {
  const folder = typeof cache === 'string' ? cache : cacheFolder();
  let news = false;
  let failed = cache === false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (!news || failed) return;
    news = false;
    try {
      // Loaded only if there is something to write.
      const { writeCachedTree } = await import('./cached-tree-writer.ts');
      for (const tree of trees()) await writeCachedTree(folder, tree, slices);
    } catch (error) {
      failed = true;
      const { code, message } = error as NodeJS.ErrnoException;
      onFailure(
        finding('cache-unwritable', `the digest cache for the next start cannot be written (${code ?? message})`, {
          file: folder,
        }),
      );
    }
  }

  return {
    /** Returns the tree that an earlier run cached for a root, by its real path. */
    load: (root: string): CachedFolder | undefined =>
      failed ? undefined : readCachedTree(join(folder, cachedFileName(root)), root),
    /** Reports that the cache on disk is out of date. */
    onNews(): void {
      news = true;
    },
    /** Writes soon, if there is something new. */
    writeSoon(): void {
      if (timer !== undefined || failed || !news) return;
      timer = setTimeout(() => {
        timer = undefined;
        writing = write();
      }, limits.digestCache.delayMs);
      timer.unref();
    },
    /** Writes now, if there is something new. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
