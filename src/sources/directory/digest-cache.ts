/**
 * What one run found out about the served folders, kept for the next one: a file per root in the user's cache folder. It is
 * written after the first listing was handed out, and once more at the end if something new was found out. That it cannot be
 * written never harms serving; it is told once.
 */
import { join } from 'node:path';
import type { Slices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { cacheFolder } from './cache-folder.ts';
import type { KeptFolder } from './folder-listing.ts';
import type { FolderNode } from './folder-node.ts';
import { keptFileName } from './kept-tree-format.ts';
import { readKeptTree } from './kept-tree-reader.ts';

export interface DigestCache {
  /** What an earlier run kept of a root, by its real path. */
  load(root: string): KeptFolder | undefined;
  /** Something was found out that is not kept. */
  onNews(): void;
  /** Writes soon, if there is something new. */
  writeSoon(): void;
  /** Writes now, if there is something new. */
  close(): Promise<void>;
}

export interface DigestCacheOptions {
  /** The folder; false for none. */
  readonly cache: string | boolean;
  readonly slices: Slices;
  readonly trees: () => readonly FolderNode[];
  readonly onFailure: (found: Finding) => void;
}

export function createDigestCache({ cache, slices, trees, onFailure }: DigestCacheOptions): DigestCache {
  const folder = typeof cache === 'string' ? cache : cacheFolder();
  let news = false;
  let failed = cache === false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (!news || failed) return;
    news = false;
    try {
      // Loaded only where there is something to write.
      const { writeKeptTree } = await import('./kept-tree-writer.ts');
      for (const tree of trees()) await writeKeptTree(folder, tree, slices);
    } catch (error) {
      failed = true;
      const { code, message } = error as NodeJS.ErrnoException;
      onFailure(
        finding('cache-unwritable', `what was read cannot be kept for the next start (${code ?? message})`, {
          file: folder,
        }),
      );
    }
  }

  return {
    load: (root) => (failed ? undefined : readKeptTree(join(folder, keptFileName(root)), root)),
    onNews() {
      news = true;
    },
    writeSoon() {
      if (timer !== undefined || failed || !news) return;
      timer = setTimeout(() => {
        timer = undefined;
        writing = write();
      }, limits.digestCache.delayMs);
      timer.unref();
    },
    async close() {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
