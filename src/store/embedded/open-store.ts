/**
 * The store on the local disk. The state folder has `state.jsonl`, `audit.jsonl`, `key` and `lock`. The cache folder
 * may be deleted at any time; it has `blobs/`, `index.jsonl`, and its own `key` and `lock`. Files and folders are
 * created at the first write, so reading leaves no trace.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { limits } from '../../limits.ts';
import { assembleStore } from '../assemble-store.ts';
import { pinnedDigests } from '../collect-garbage.ts';
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
  /** Called for everything that differs from what was written. Default: a process warning. */
  readonly onCorrupt?: CorruptionListener;
  /** The budget of the cached blobs in bytes. Blobs that the state names are never evicted. */
  readonly cacheBytes?: number;
  /** Folders that agents search for skills. The store must not be inside one, nor contain one. */
  readonly forbiddenFolders?: readonly string[];
}

export interface EmbeddedStore<Key extends AnyKey = StateKey> extends Store<Key> {
  /** Hashes every blob, removes damaged ones and leftovers, and reports foreign files. */
  verifyBlobs(): Promise<BlobReport>;
  /** Never evicts these blobs either. For a cache of a store whose state is elsewhere. */
  spare(pinned: () => Promise<ReadonlySet<string>>): void;
}

/** @throws STATE_UNUSABLE for a folder of another user, or one that agents search for skills */
export function openStore(options: StoreOptions): Promise<EmbeddedStore> {
  return openStoreOn(process.platform === 'win32' ? withWindowsPatience(nodeFileSystem) : nodeFileSystem, options);
}

/** Like `openStore()`, on the file system of the caller. */
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
  const audit = auditFile({
    ...inState,
    name: 'audit.jsonl',
    format: 'skillwire-audit',
    recordBytes: limits.store.auditRecordBytes,
    durable: true,
  });
  const state = valueJournal({
    ...inState,
    name: 'state.jsonl',
    format: 'skillwire-state',
    recordBytes: limits.store.recordBytes,
    durable: true,
    title: 'the state',
    precious: true,
    appendAudit: audit.appendUnder,
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
  const plainBlobs = blobFiles({ files, cacheFolder, onCorrupt });
  let spared = async (): Promise<ReadonlySet<string>> => new Set();
  const blobs = budgetedBlobs(plainBlobs, {
    budgetBytes: cacheBytes,
    pinned: async () => new Set([...(await pinnedDigests(state)), ...(await spared())]),
    sweep: () => named('sweep the blobs', () => sweepLeftovers(files, cacheFolder)),
    onFailure: ({ message }) =>
      onCorrupt({ file: join(cacheFolder, 'blobs'), reason: `cannot stay within ${cacheBytes} bytes: ${message}` }),
  });
  const store = assembleStore(
    { kind: 'embedded', blobs, state, index, audit, watch: (onEvent) => watchFolder(stateFolder, onEvent) },
    async () => {
      for (const { lock } of [inState, inCache]) await named('close the store', () => lock.end());
    },
  );
  return {
    ...store,
    place: stateFolder,
    spare(pinned) {
      spared = pinned;
    },
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
    // The folder was removed, or the system has no watches left.
    watcher.on('error', () => watcher?.close());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return () => watcher?.close();
}
