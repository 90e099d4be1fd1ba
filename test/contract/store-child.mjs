// A process that works on a store until it is done or ends itself. It uses the built program, because Node 20 runs no TypeScript.
//
// - `node store-child.mjs kill WORKLOAD STEP TEAR STATE CACHE` ends itself with SIGKILL before the disk call number STEP
// - `node store-child.mjs add COUNT STATE CACHE` adds 1 to a sum COUNT times, and appends to the audit
// - `node store-child.mjs forever STATE CACHE` counts upwards until it is killed
//
// Each acknowledged write is announced as a number on a line of its own.
import { writeSync } from 'node:fs';
import { nodeFileSystem } from '../../dist/store/embedded/file-system.js';
import { openStore, openStoreOn } from '../../dist/store/embedded/open-store.js';
import { observedFileSystem } from '../../dist/testing/observed-file-system.js';
import { storeWorkloads } from '../../dist/testing/store-workloads.js';

const [mode, ...args] = process.argv.slice(2);
const [stateFolder, cacheFolder] = args.slice(-2);
const folders = { stateFolder, cacheFolder, onCorrupt: () => undefined };
const announce = (count) => writeSync(1, `${count}\n`);

if (mode === 'kill') {
  const [name, last, tear] = args;
  const workload = storeWorkloads.find((one) => one.name === name);
  const disk = observedFileSystem(nodeFileSystem, {
    tearsWrites: tear === 'tear',
    before: ({ step }) => {
      if (step === Number(last)) process.kill(process.pid, 'SIGKILL');
    },
  });
  const store = await openStoreOn(disk, folders);
  await workload.run(store, announce);
  await store.close();
} else if (mode === 'add') {
  const store = await openStore(folders);
  for (let count = 1; count <= Number(args[0]); count += 1) {
    const sum = await store.state.transact((state) => {
      const next = (state.get(['sum']) ?? 0) + 1;
      return {
        writes: [
          { key: ['sum'], value: next },
          { key: ['by', String(process.pid), String(count)], value: next },
        ],
        result: next,
      };
    });
    await store.audit.append({ at: new Date().toISOString(), action: 'add', data: sum });
    announce(count);
  }
  await store.close();
} else {
  const store = await openStore(folders);
  for (let count = 1; ; count += 1) {
    await store.state.transact(() => ({
      writes: ['a', 'b', 'c'].map((part) => ({ key: [part], value: count })),
      result: undefined,
    }));
    announce(count);
    await store.audit.append({ at: new Date().toISOString(), action: 'count', data: count });
    await store.index.set(['count'], count);
  }
}
