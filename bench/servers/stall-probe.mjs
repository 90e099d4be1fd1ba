// Loaded into a server with --import. Answers "stall" on its IPC channel with the longest processor time between two turns of
// its event loop since the last question.
import { setImmediate } from 'node:timers';

let longest = 0;
let last = process.cpuUsage();

function turn() {
  const used = process.cpuUsage(last);
  longest = Math.max(longest, used.user + used.system);
  last = process.cpuUsage();
}

// A timer wakes an idle loop; an immediate runs at the end of each turn.
setInterval(() => {
  turn();
  setImmediate(turn);
}, 1).unref();
process.on('message', () => {
  process.send?.({ longestMs: longest / 1e3 });
  longest = 0;
  last = process.cpuUsage();
});
process.channel?.unref();
