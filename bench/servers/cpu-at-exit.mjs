// Loaded before a program with `node --import`: prints the processor time of the process to stderr, in milliseconds.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\ncpu=${(user + system) / 1000}\n`);
});
