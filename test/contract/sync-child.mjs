// A process that changes what is installed and ends itself in the middle of it. It uses the built program, because Node 20 runs no
// TypeScript, and of it only the parts that write.
//
//   node sync-child.mjs WORKLOAD STEP TEAR TOP   ends itself with SIGKILL before the disk call number STEP

import { nodeSyncDisk } from '../../dist/sync/sync-disk.js';
import { observedSyncDisk } from '../../dist/testing/observed-sync-disk.js';
import { placeIn, syncWorkloads } from '../../dist/testing/sync-workloads.js';

const [name, last, tear, top] = process.argv.slice(2);
const workload = syncWorkloads.find((one) => one.name === name);
const disk = observedSyncDisk(nodeSyncDisk, {
  tearsWrites: tear === 'tear',
  before: ({ step }) => {
    if (step === Number(last)) process.kill(process.pid, 'SIGKILL');
  },
});
await workload.run(disk, placeIn(top));
