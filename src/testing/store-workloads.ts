/**
 * Work for a store that is interrupted at any step: its preparation, its acknowledged writes, and the checks that must
 * pass afterwards. It is used with killed processes, hanging disks and failing calls.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { collectGarbage, pinnedDigests } from '../store/collect-garbage.ts';
import { encodeHolder, newHolder } from '../store/embedded/lock-holder.ts';
import type { EmbeddedStore } from '../store/embedded/open-store.ts';
import type { AnyKey, BlobFacts, KeyValueStore } from '../store/store.ts';

export interface StoreFolders {
  readonly stateFolder: string;
  readonly cacheFolder: string;
}

export interface StoreWorkload {
  readonly name: string;
  prepare(store: EmbeddedStore<AnyKey>, folders: StoreFolders): Promise<void>;
  /** Calls `acknowledged` with a number that only grows. */
  run(store: EmbeddedStore<AnyKey>, acknowledged: (count: number) => void): Promise<void>;
  /** Throws if acknowledged data is missing, or if something is torn or mixed. */
  check(store: EmbeddedStore<AnyKey>, acknowledged: number): Promise<void>;
  /** True if the work begins with damage, which the store reports. */
  readonly damaged?: boolean;
}

const nothing = async (): Promise<void> => undefined;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text.repeat(500));

function counting(name: string, door: 'state' | 'index'): StoreWorkload {
  return {
    name,
    prepare: nothing,
    async run(store, acknowledged) {
      for (let count = 1; count <= 2; count += 1) {
        await store[door].set(['count'], count);
        acknowledged(count);
      }
    },
    check: (store, acknowledged) => checkCount(store[door], acknowledged),
  };
}

async function checkCount(values: KeyValueStore<AnyKey>, acknowledged: number): Promise<void> {
  const count = ((await values.get(['count'])) as number | undefined) ?? 0;
  assert.ok(count >= acknowledged && count <= acknowledged + 1, `count ${count}, acknowledged ${acknowledged}`);
}

const three = ['a', 'b', 'c'] as const;

const transaction: StoreWorkload = {
  name: 'transaction',
  prepare: nothing,
  async run({ state }, acknowledged) {
    for (let count = 1; count <= 2; count += 1) {
      const writes = three.map((part) => ({ key: ['part', part], value: count }));
      await state.transact(() => ({ writes: [...writes, { key: ['count'], value: count }], result: undefined }));
      acknowledged(count);
    }
  },
  async check({ state }, acknowledged) {
    await checkCount(state, acknowledged);
    const count = await state.get(['count']);
    for (const part of three) assert.equal(await state.get(['part', part]), count, `part ${part}`);
  },
};

const filler = 'x'.repeat(limits.store.compactBytes / 4);

/** Long values that become short: the first write rewrites the file. */
const compaction: StoreWorkload = {
  name: 'compaction',
  async prepare({ state }) {
    await state.set(['base'], filler);
    for (let round = 0; round < 4; round += 1) await state.set(['filler'], `${round}${filler}`);
  },
  async run({ state }, acknowledged) {
    for (let count = 1; count <= 2; count += 1) {
      const writes = ['base', 'filler', 'count'].map((name) => ({ key: [name], value: count }));
      await state.transact(() => ({ writes, result: undefined }));
      acknowledged(count);
    }
  },
  async check({ state }, acknowledged) {
    await checkCount(state, acknowledged);
    const count = await state.get(['count']);
    assert.equal(await state.get(['base']), count ?? filler);
    assert.equal(await state.get(['filler']), count ?? `3${filler}`);
  },
};

const audit: StoreWorkload = {
  name: 'audit',
  prepare: nothing,
  async run(store, acknowledged) {
    for (let count = 1; count <= 2; count += 1) {
      await store.audit.append({ at: new Date().toISOString(), action: 'approve', data: count });
      acknowledged(count);
    }
  },
  async check(store, acknowledged) {
    const found: unknown[] = [];
    for await (const { data } of store.audit.read()) found.push(data);
    assert.deepEqual(found, [1, 2].slice(0, found.length));
    assert.ok(found.length >= acknowledged && found.length <= acknowledged + 1, `${found.length} records`);
  },
};

const blobTexts = ['one', 'two'] as const;

async function blobFacts({ blobs }: EmbeddedStore<AnyKey>): Promise<BlobFacts[]> {
  const found: BlobFacts[] = [];
  for await (const facts of blobs.list()) found.push(facts);
  return found;
}

async function checkWhole(store: EmbeddedStore<AnyKey>): Promise<void> {
  for (const { digest, size } of await blobFacts(store)) {
    assert.equal((await store.blobs.get(digest))?.length, size, digest);
  }
}

const blobPut: StoreWorkload = {
  name: 'blob-put',
  prepare: nothing,
  async run({ blobs }, acknowledged) {
    for (const [index, text] of blobTexts.entries()) {
      await blobs.put(await sha256Digest(bytesOf(text)), bytesOf(text));
      acknowledged(index + 1);
    }
  },
  async check(store, acknowledged) {
    for (const text of blobTexts.slice(0, acknowledged)) {
      assert.deepEqual(
        Buffer.from((await store.blobs.get(await sha256Digest(bytesOf(text)))) ?? []),
        Buffer.from(bytesOf(text)),
      );
    }
    await checkWhole(store);
  },
};

const garbage: StoreWorkload = {
  name: 'garbage',
  async prepare({ blobs, state }) {
    for (const text of blobTexts) await blobs.put(await sha256Digest(bytesOf(text)), bytesOf(text));
    await state.set(['approval'], { files: [await sha256Digest(bytesOf('two'))] });
  },
  async run({ blobs, state }, acknowledged) {
    await collectGarbage(blobs, { budgetBytes: 0, pinned: await pinnedDigests(state), graceMs: 0 });
    acknowledged(1);
  },
  async check(store, acknowledged) {
    assert.ok((await store.blobs.get(await sha256Digest(bytesOf('two')))) !== undefined);
    if (acknowledged > 0) assert.equal((await blobFacts(store)).length, 1);
    await checkWhole(store);
  },
};

let endedPid: number | undefined;

/** The id of a process that has ended. */
function endedProcessId(): number {
  endedPid ??= spawnSync(process.execPath, ['-e', '']).pid;
  return endedPid;
}

const takeover: StoreWorkload = {
  ...counting('takeover', 'state'),
  name: 'takeover',
  async prepare(_, { stateFolder }) {
    mkdirSync(stateFolder, { mode: 0o700, recursive: true });
    writeFileSync(join(stateFolder, 'lock'), encodeHolder({ ...newHolder(), pid: endedProcessId(), started: '1' }));
  },
};

const repair: StoreWorkload = {
  name: 'mending',
  damaged: true,
  async prepare({ state }, { stateFolder }) {
    await state.set(['kept'], 'kept');
    await state.set(['revoked'], 'approved');
    await state.delete(['revoked']);
    appendFileSync(join(stateFolder, 'state.jsonl'), `${'0'.repeat(32)} [9,[[["revoked"],"approved"]]]\n`);
  },
  async run({ state }, acknowledged) {
    await state.set(['count'], 1);
    acknowledged(1);
  },
  async check({ state }, acknowledged) {
    await checkCount(state, acknowledged);
    assert.equal(await state.get(['kept']), 'kept');
    assert.equal(await state.get(['revoked']), undefined);
  },
};

export const storeWorkloads: readonly StoreWorkload[] = [
  counting('state', 'state'),
  counting('index', 'index'),
  transaction,
  compaction,
  audit,
  blobPut,
  garbage,
  takeover,
  repair,
];

const temporaryFolder = 'blobs/tmp';

/** Makes half-written files old enough to count as leftovers, as if time had passed since the interruption. */
export function letTimePass({ stateFolder, cacheFolder }: StoreFolders): void {
  const then = new Date(Date.now() - 2 * limits.store.leftoverMs);
  for (const folder of [stateFolder, cacheFolder, join(cacheFolder, temporaryFolder)]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      if (name.startsWith('lock.claim-') || folder.endsWith('tmp')) utimesSync(join(folder, name), then, then);
    }
  }
}

/** Files that must be gone after the writes and the blob scan that follow an interruption. */
export function leftovers({ stateFolder, cacheFolder }: StoreFolders): string[] {
  const known = /^(state\.jsonl|audit\.jsonl|key|state\.jsonl\.corrupt-[0-9TZ.]+|index\.jsonl|blobs)$/;
  const temporary = join(cacheFolder, temporaryFolder);
  return [
    ...[stateFolder, cacheFolder].flatMap((folder) => readdirSync(folder).filter((name) => !known.test(name))),
    ...(existsSync(temporary) ? readdirSync(temporary) : []),
  ];
}
