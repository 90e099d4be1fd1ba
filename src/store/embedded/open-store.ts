/**
 * The store on this machine's disk. In the state folder: `state.jsonl`, `audit.jsonl`, `key`, `lock`. In the cache folder, which may be
 * deleted at any time: `blobs/`, `index.jsonl`, and a `key` and `lock` of its own. Nothing is made before something is written, so
 * reading leaves no trace.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { limits } from '../../limits.ts';
import { assembleStore } from '../assemble-store.ts';
import type { StateKey } from '../state-kinds.ts';
import type { AnyKey, Store } from '../store.ts';
import { auditFile } from './audit-file.ts';
import { blobFiles } from './blob-files.ts';
import { type BlobReport, budgetedBlobs, sweepLeftovers, verifyBlobs } from './blob-upkeep.ts';
import { type FileSystem, nodeFileSystem, withWindowsPatience } from './file-system.ts';
import { folderLock } from './folder-lock.ts';
import { installKey } from './install-key.ts';
import { checkFolder, type KnownPaths, refuseForbidden } from './private-folder.ts';
import { type CorruptionListener, named, warnOfCorruption, withPaths } from './store-failure.ts';
import { valueJournal } from './value-journal.ts';

export interface StoreOptions {
  readonly stateFolder: string;
  readonly cacheFolder: string;
  /** Hears of everything that was not as it was written. Default: a warning of the process. */
  readonly onCorrupt?: CorruptionListener;
  /** Bytes of blobs that are kept; those that the state names do not go, whatever they need. */
  readonly cacheBytes?: number;
  /** Folders in which agents look for skills: the store must not lie in one, nor around one. */
  readonly forbiddenFolders?: readonly string[];
}

export interface EmbeddedStore<Key extends AnyKey = StateKey> extends Store<Key> {
  /** Hashes every blob, removes damaged ones and leftovers, and names what is not ours. */
  verifyBlobs(): Promise<BlobReport>;
}

/** @throws STATE_UNUSABLE for a folder of another user, or one that agents look for skills in */
export function openStore(options: StoreOptions): Promise<EmbeddedStore> {
  return openStoreOn(process.platform === 'win32' ? withWindowsPatience(nodeFileSystem) : nodeFileSystem, options);
}

/** The same, on a given file system. */
export async function openStoreOn(disk: FileSystem, options: StoreOptions): Promise<EmbeddedStore> {
  const { onCorrupt = warnOfCorruption, cacheBytes = limits.store.cacheBytes, forbiddenFolders = [] } = options;
  const files = withPaths(disk);
  const stateFolder = resolve(options.stateFolder);
  const cacheFolder = resolve(options.cacheFolder);
  const places: KnownPaths = new Map();
  for (const folder of [stateFolder, cacheFolder]) {
    await named('open the store', async () => {
      await refuseForbidden(files, folder, forbiddenFolders, places);
      await checkFolder(files, folder);
    });
  }

  const inState = inFolder(stateFolder);
  const inCache = inFolder(cacheFolder);
  const state = valueJournal({
    ...inState,
    name: 'state.jsonl',
    format: 'skillwire-state',
    recordBytes: limits.store.recordBytes,
    durable: true,
    title: 'the state',
    precious: true,
  });
  const index = valueJournal({
    ...inCache,
    name: 'index.jsonl',
    format: 'skillwire-index',
    recordBytes: limits.store.recordBytes,
    durable: false,
    title: 'the index of the cache',
    precious: false,
  });
  const audit = auditFile({
    ...inState,
    name: 'audit.jsonl',
    format: 'skillwire-audit',
    recordBytes: limits.store.auditRecordBytes,
    durable: true,
  });
  const plainBlobs = blobFiles({ files, cacheFolder, onCorrupt });
  const blobs = budgetedBlobs(plainBlobs, {
    budgetBytes: cacheBytes,
    state,
    sweep: () => named('sweep the blobs', () => sweepLeftovers(files, cacheFolder)),
    onFailure: ({ message }) =>
      onCorrupt({ file: join(cacheFolder, 'blobs'), reason: `cannot keep to ${cacheBytes} bytes: ${message}` }),
  });
  const store = assembleStore(
    { blobs, state, index, audit, watch: (onEvent) => watchFolder(stateFolder, onEvent) },
    async () => {
      for (const { lock } of [inState, inCache]) await named('close the store', () => lock.end());
    },
  );
  return {
    ...store,
    verifyBlobs: () => named('verify the blobs', () => verifyBlobs(files, cacheFolder, store.blobs)),
  };

  function inFolder(folder: string) {
    return { files, folder, onCorrupt, lock: folderLock(files, folder), key: installKey(files, folder, onCorrupt) };
  }
}

function watchFolder(folder: string, onEvent: () => void): () => void {
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
