// Runs commands in phases of parallel lanes. The commands of a lane run one after another, and the next phase starts only if nothing failed.
// Each line of output is printed at once with the name of its part. At the end it prints the result of each part, and the last lines of failed
// ones. Ctrl-C stops everything.
import { spawn, spawnSync } from 'node:child_process';

/**
 * @typedef {{ readonly name: string, readonly command: string, readonly args: readonly string[] }} Part
 * @typedef {readonly (readonly Part[])[]} Lanes
 */

const windows = process.platform === 'win32';
/** The number of lines of a failed part that are printed again. */
const lastLines = 120;

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has exited meanwhile.
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * @param {readonly Lanes[]} phases
 * @returns {Promise<number>} the exit code
 */
export async function runParts(phases) {
  const width = Math.max(...phases.flat(2).map(({ name }) => name.length));
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set();
  /** @type {{ name: string, state: string, seconds: string, last: readonly string[] }[]} */
  const done = [];
  let stopped = 0;

  /** @param {Part} part */
  function run({ name, command, args }) {
    return new Promise((resolve) => {
      const began = performance.now();
      /** @type {string[]} */
      const last = [];
      // In its own process group, so that its children can be stopped with it.
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: !windows, shell: windows });
      running.add(child);
      const show = (/** @type {string} */ line) => {
        last.push(line);
        if (last.length > lastLines) last.shift();
        process.stdout.write(`${name.padEnd(width)} | ${line}\n`);
      };
      for (const stream of [child.stdout, child.stderr]) {
        let rest = '';
        stream.setEncoding('utf8').on('data', (text) => {
          const lines = `${rest}${text}`.split(/\r?\n/);
          rest = lines.pop() ?? '';
          for (const line of lines) show(line);
        });
        stream.on('end', () => rest !== '' && show(rest));
      }
      const end = (/** @type {string} */ state) => {
        running.delete(child);
        done.push({ name, state, seconds: ((performance.now() - began) / 1000).toFixed(1), last });
        resolve(state === 'ok');
      };
      child.once('error', (error) => end(`FAILED: ${error.message}`));
      child.once('close', (code, signal) =>
        end(code === 0 ? 'ok' : `FAILED with ${signal ?? `exit code ${code ?? 'unknown'}`}`),
      );
    });
  }

  /** @param {NodeJS.Signals} signal */
  function stop(signal) {
    stopped = signal === 'SIGINT' ? 130 : 143;
    for (const { pid } of running) {
      if (pid === undefined) continue;
      if (windows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
      else signalGroup(pid, signal);
    }
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  const failed = () => done.filter(({ state }) => state !== 'ok');
  for (const lanes of phases) {
    if (stopped !== 0 || failed().length > 0) break;
    await Promise.all(
      lanes.map(async (lane) => {
        for (const part of lane) if (stopped === 0) await run(part);
      }),
    );
  }
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);

  for (const { name, last } of stopped === 0 ? failed() : [])
    console.log(`\n${name} failed; the end of what it wrote:\n${last.join('\n')}`);
  console.log('');
  for (const { name, seconds, state } of done) console.log(`${name.padEnd(width)}  ${seconds.padStart(6)} s  ${state}`);
  for (const { name } of phases.flat(2))
    if (!done.some((one) => one.name === name)) console.log(`${name.padEnd(width)}       --    not run`);
  if (stopped !== 0) return stopped;
  if (failed().length === 0) return 0;
  const names = failed().map(({ name }) => name);
  console.log(`\nFAILED: ${names.join(', ')}`);
  return 1;
}
