// Tries faults in a copy of the tree that has all of them behind switches. First the nearest tests run once, and each test tries the faults that
// it reaches (fault-runner.mjs). Code that runs only while modules load, and faults without a result, then get their own process.
import { fork, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withSwitches } from './mutant-switches.mjs';

/** @typedef {'killed' | 'timeout' | 'survived' | 'untested'} Outcome */

const windows = process.platform === 'win32';
/** A run without a new row for this time hangs outside of every trial. */
const silence = 120_000;
/** Extra time of a trial: an endless loop never checks the limit of its process. */
const grace = 10_000;

const config = `import { readFileSync } from 'node:fs';
import base from './vitest.config.ts';
// The nearest tests first: a fault that they detect needs no slower one.
class AsAsked {
  shard(files) { return files; }
  sort(files) {
    const { order } = JSON.parse(readFileSync('settings.json', 'utf8'));
    const rank = ({ moduleId }) => order.findIndex((one) => moduleId.endsWith('/' + one));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}
const projects = base.test.projects.filter(({ test }) => ['unit', 'contract'].includes(test.name));
export default {
  test: {
    ...base.test,
    sequence: { sequencer: AsAsked },
    projects: projects.map((one) => ({ ...one, test: { ...one.test, runner: './scripts/fault-runner.mjs' } })),
  },
};
`;

/** @param {any} given @returns {Promise<readonly (Outcome | undefined)[]>} one for each fault */
export async function tryFaults({ root, files, near, chosen, options, copies, running, end, say }) {
  const folder = join(copies, 'tree');
  const notes = join(folder, 'notes.jsonl');
  copyTree();
  process.env.SKILLWIRE_FAULTS = folder;
  /** @type {Set<string>} */
  const tests = new Set();
  // The nearest tests notice most faults.
  for (const most of [4, options.tests]) {
    const sources = new Set(open().map((number) => chosen[number].file));
    const lists = [...sources].map((file) => near.of(file).slice(0, most));
    const inTurn = Array.from({ length: most }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
    const next = [...new Set(inTurn)].filter((test) => !tests.has(test));
    for (const test of next) tests.add(test);
    if (next.length > 0) await inProcess(next);
  }
  await alone();
  return outcomes();

  function outcomes() {
    const rows = read();
    /** @type {(Outcome | undefined)[]} */
    const all = chosen.map(() => 'untested');
    for (const row of rows) for (const one of row.past ?? row.outside ?? []) all[one] = 'survived';
    for (const row of rows) if (row.fault !== undefined) all[row.fault] = row.outcome;
    return all;
  }

  /** Runs the tests until a run completes. A fault that hangs or kills a process counts as noticed, and its file runs again. */
  async function inProcess(/** @type {readonly string[]} */ which) {
    say(`${which.length} test files for ${open().length} faults`);
    let left = which;
    while (left.length > 0) {
      const settings = { budget: options.milliseconds, slowest: options.milliseconds / 4, tried: open(), order: left };
      writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
      const before = read().length;
      const finished = await run(left, before);
      const rows = read().slice(before);
      const hanging = trials(rows);
      for (const { trying, test, name } of hanging) note({ fault: trying, outcome: 'timeout', test, name });
      if (finished && hanging.length === 0) return;
      const ended = new Set(rows.flatMap((row) => row.ended ?? []));
      const stuck = new Set(hanging.length > 0 ? [] : rows.flatMap((row) => row.began ?? []));
      const done = (/** @type {string} */ test) => ended.has(join(folder, test)) || stuck.has(join(folder, test));
      for (const test of left)
        if (!ended.has(join(folder, test)) && done(test)) say(`${test} hangs without a fault: left out`);
      const next = left.filter((test) => !done(test));
      if (next.length === left.length && hanging.length === 0) throw new Error('mutate: the tests do not end');
      left = next;
    }
  }

  /** The last trial of each process that wrote no result. @param {readonly any[]} rows */
  function trials(rows) {
    const last = new Map(rows.filter((row) => row.pid !== undefined).map((row) => [row.pid, row]));
    return [...last.values()].filter((row) => row.trying !== undefined);
  }

  function open() {
    const all = outcomes();
    return all.flatMap((one, number) => (one === 'survived' || one === 'untested' ? [number] : []));
  }

  /** @param {readonly string[]} which @param {number} before the number of rows before */
  function run(which, before) {
    const args = ['run', '--config', 'vitest.mutation.config.mjs', '--reporter=dot', `--maxWorkers=${options.workers}`];
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...which], {
      cwd: folder,
      stdio: 'ignore',
      detached: !windows,
    });
    running.add(child);
    let size = -1;
    let since = Date.now();
    return new Promise((done, fail) => {
      const timer = setInterval(() => {
        const rows = read();
        if (rows.length !== size) since = Date.now();
        size = rows.length;
        const late = trials(rows.slice(before)).some(({ until }) => Date.now() > until + grace);
        if (late || Date.now() - since > silence) end(child);
      }, 2000);
      child.on('error', fail);
      child.on('exit', (code) => {
        clearInterval(timer);
        running.delete(child);
        done(code !== null);
      });
    });
  }

  /** Tries the faults of code that runs outside of tests, each in new processes of one long-lived vitest. */
  async function alone() {
    const rows = read();
    const came = new Set(rows.flatMap((row) => row.came ?? []));
    const suspect = new Set(rows.flatMap((row) => row.suspect ?? []));
    const run = new Set(rows.flatMap((row) => row.outside ?? row.past ?? []));
    const left = open().filter((number) => suspect.has(number) || (run.has(number) && !came.has(number)));
    if (left.length === 0) return;
    say(`${left.length} faults in processes of their own`);
    const failing = new Set(rows.flatMap((row) => (row.passed === false ? [row.test] : [])));
    const times = new Map();
    for (const { test, ms } of rows) if (ms !== undefined) times.set(test, (times.get(test) ?? 0) + ms);
    const queue = [...left];
    await Promise.all(
      Array.from({ length: Math.min(options.workers, queue.length) }, async () => {
        const runner = warmRunner();
        for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
          let sum = 0;
          const plan = near.of(chosen[number].file).filter((/** @type {string} */ test) => {
            const path = join(folder, test);
            if (!tests.has(test) || failing.has(path)) return false;
            sum += times.get(path) ?? 100;
            return sum <= options.milliseconds;
          });
          const answer = plan.length === 0 ? 'survived' : await runner.run(number, plan, 30_000 + 4 * sum);
          if (answer !== 'survived') note({ fault: number, outcome: answer });
        }
        runner.end();
      }),
    );
  }

  /** A vitest that keeps its compiled modules. One that is late is stopped and replaced. */
  function warmRunner() {
    /** @type {import('node:child_process').ChildProcess | undefined} */
    let child;
    const start = async () => {
      const script = join(root, 'scripts/warm-vitest.mjs');
      const one = fork(script, [folder], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        detached: !windows,
      });
      running.add(one);
      await new Promise((done, fail) => {
        one.once('message', done);
        one.once('exit', (code) => fail(new Error(`mutate: a process for single faults ended with ${code}`)));
      });
      return one;
    };
    return {
      /** @param {number} number @param {readonly string[]} plan @param {number} limit @returns {Promise<Outcome>} */
      async run(number, plan, limit) {
        const one = child ?? (await start());
        child = one;
        return new Promise((done) => {
          const timer = setTimeout(() => {
            this.end();
            done('timeout');
          }, limit);
          one.once('message', (failed) => {
            clearTimeout(timer);
            done(failed ? 'killed' : 'survived');
          });
          one.send({ number, plan });
        });
      },
      end() {
        if (child === undefined) return;
        running.delete(child);
        end(child);
        child = undefined;
      },
    };
  }

  /** A copy of the tree with the packages and the build linked, and all faults in it. */
  function copyTree() {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true });
    }
    for (const linked of ['node_modules', 'dist'])
      if (existsSync(join(root, linked))) symlinkSync(join(root, linked), join(folder, linked), 'junction');
    writeFileSync(join(folder, 'vitest.mutation.config.mjs'), config);
    writeFileSync(notes, '');
    const numbered = chosen.map((/** @type {any} */ one, /** @type {number} */ number) => ({ ...one, number }));
    for (const file of new Set(numbered.map((/** @type {any} */ one) => one.file))) {
      const source = readFileSync(join(root, file), 'utf8');
      const own = numbered.filter((/** @type {any} */ one) => one.file === file);
      writeFileSync(join(folder, file), withSwitches(file, source, own));
    }
  }

  function read() {
    return readFileSync(notes, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** @param {unknown} row */
  function note(row) {
    writeFileSync(notes, `${JSON.stringify(row)}\n`, { flag: 'a' });
  }
}
