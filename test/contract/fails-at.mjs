// Loaded before a command with `node --import`: from call number FAIL_AT on, every call that creates or fills a file fails with ENOSPC. Renaming
// and removing still work. Without a number it prints the number of such calls to stderr.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const failAt = Number(process.env.FAIL_AT ?? 0);
let calls = 0;

for (const name of ['openSync', 'writeSync', 'mkdirSync', 'linkSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    // Opening needs space only if it creates a file.
    if (name === 'openSync' && args[1] !== 'wx') return original(...args);
    calls++;
    if (failAt === 0 || calls < failAt) return original(...args);
    const syscall = name.replace('Sync', '');
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${syscall}`), {
      code: 'ENOSPC',
      errno: -28,
      syscall,
    });
  };
}
syncBuiltinESMExports();
if (failAt === 0) process.once('exit', () => fs.writeFileSync(2, `calls=${calls}\n`));
