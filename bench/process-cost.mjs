// The cost of a process so far: processor time of all its threads, and memory. Linux.
import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of the living threads, in seconds. @param {number} pid */
export function cpuSeconds(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    } catch {
      // The thread ended meanwhile.
    }
  }
  return nanoseconds / 1e9;
}

/** Resident memory in MB. @param {number} pid */
export function residentMb(pid) {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) / 1024;
}
