// Loaded before a command with `node --import`. It kills the process at the disk-changing call number KILL_AT, as kill -9 would;
// every second such call is made first. Without a number it prints the number of calls to stderr.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const killAt = Number(process.env.KILL_AT ?? 0);
let calls = 0;

for (const name of ['openSync', 'writeSync', 'mkdirSync', 'linkSync', 'renameSync', 'rmSync', 'rmdirSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    // Opening changes the disk only if it creates a file.
    if (name === 'openSync' && args[1] !== 'wx') return original(...args);
    calls++;
    if (calls === killAt) {
      try {
        if (killAt % 2 === 0) original(...args);
      } finally {
        process.kill(process.pid, 'SIGKILL');
        // The signal ends it before this is over.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
    }
    return original(...args);
  };
}
syncBuiltinESMExports();
if (killAt === 0) process.once('exit', () => fs.writeFileSync(2, `calls=${calls}\n`));
