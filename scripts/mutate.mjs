// `npm run mutate -- ROOM... | --changed [REF]`: puts small faults into the code, one at a time, and looks whether a test fails. No part
// of the gate. It works in copies of the tree below the temporary folder, so no fault ever stands in a file of the repository.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applied, mutantsOf } from './mutants-of.mjs';
import { nearestTests } from './nearest-tests.mjs';

const usage = `Usage: npm run mutate -- ROOM... [options]
       npm run mutate -- --changed [options]

ROOM is a folder or a file of src: skill, store/decisions, src/host/load.ts.

  --changed        files of src that differ from --since
  --since REF      a commit (default: HEAD)
  --sample N|all   faults for each room, chosen at random (default: 40)
  --seed N         choose the same ones again (default: a new one, printed)
  --tests N        the nearest test files to run for each fault (default: 8)
  --seconds N      leave out tests beyond this time for each fault, the nearest one excepted (default: 10)
  --workers N      faults at a time (default: 2)
  --bar PERCENT    exit with 1 if fewer are killed in a room (default: 90)
  --json           print JSON`;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const equivalentFile = 'test/mutation/equivalent.json';
/** Run first, since most faults are noticed by a test that is very near. */
const nearest = 3;
const windows = process.platform === 'win32';

/** @typedef {import('./mutants-of.mjs').Mutant & { readonly file: string, readonly room: string }} Chosen */
/** @typedef {'killed' | 'timeout' | 'survived' | 'untested'} Outcome */

const options = readOptions();
const files = git('ls-files', '-co', '--exclude-standard').filter(exists);
const testsNear = nearestTests(root, files);
/** @type {{ file: string, from: string, to: string, reason: string }[]} */
const equivalents = JSON.parse(readFileSync(join(root, equivalentFile), 'utf8'));

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const copies = mkdtempSync(join(tmpdir(), 'skillwire-mutate-'));
let stopped = false;
process.on('exit', () => rmSync(copies, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => {
    stopped = true;
    for (const child of running) end(child);
    process.exit(130);
  });

process.exitCode = await main();

async function main() {
  const { chosen, stale, total } = choose();
  say(`${chosen.length} of ${total} faults, seed ${options.seed}, ${options.workers} at a time`);
  const workers = Array.from({ length: Math.min(options.workers, chosen.length) }, (_, index) => copyTree(index));
  const plans = await planTests(chosen, workers);
  const queue = [...chosen];
  /** @type {{ mutant: Chosen, outcome: Outcome }[]} */
  const results = [];
  await Promise.all(
    workers.map(async (folder) => {
      for (let mutant = queue.shift(); mutant !== undefined && !stopped; mutant = queue.shift()) {
        const outcome = await tryMutant(folder, mutant, plans.get(mutant.file) ?? []);
        results.push({ mutant, outcome });
        const { file, line, from, to, operator } = mutant;
        say(`${outcome.padEnd(9)}${file}:${line} ${operator}`);
        if (outcome === 'survived' || outcome === 'untested') say(`  - ${from}\n  + ${to}`);
      }
    }),
  );
  return report(results, stale);
}

/** The faults of all rooms, without those that are known to change nothing. */
function choose() {
  const random = randomNumbers(options.seed);
  const stale = [];
  /** @type {Chosen[]} */
  const chosen = [];
  let total = 0;
  for (const { room, sources } of options.rooms) {
    const all = sources.flatMap((file) => {
      const mutants = mutantsOf(file, readFileSync(join(root, file), 'utf8'));
      const known = equivalents.filter((one) => one.file === file);
      const same = (/** @type {any} */ a, /** @type {any} */ b) => a.from === b.from && a.to === b.to;
      stale.push(...known.filter((one) => !mutants.some((mutant) => same(one, mutant))));
      return mutants
        .filter((mutant) => !known.some((one) => same(one, mutant)))
        .map((mutant) => ({ ...mutant, file, room }));
    });
    total += all.length;
    for (let index = all.length - 1; index > 0; index--) {
      const other = Math.floor(random() * (index + 1));
      [all[index], all[other]] = [all[other], all[index]];
    }
    chosen.push(...all.slice(0, options.sample));
  }
  return { chosen, stale, total };
}

/**
 * The tests for each file. All of them run once without a fault: one that fails here would count as a kill, so it is left out.
 * @param {readonly Chosen[]} chosen @param {readonly string[]} workers
 */
async function planTests(chosen, workers) {
  const plans = new Map(chosen.map(({ file }) => [file, testsNear(file, options.tests)]));
  const all = [...new Set([...plans.values()].flat())];
  const good = new Map();
  await Promise.all(
    workers.map(async (folder, index) => {
      const part = all.filter((_, at) => at % workers.length === index);
      if (part.length === 0) return;
      const output = join(folder, 'without-fault.json');
      await vitest(folder, part, 900_000, ['--reporter=json', `--outputFile=${output}`]);
      for (const { name, status, startTime, endTime } of JSON.parse(readFileSync(output, 'utf8')).testResults)
        if (status === 'passed') good.set(name.slice(folder.length + 1), endTime - startTime);
    }),
  );
  for (const test of all) if (!good.has(test)) say(`left out, since it fails without a fault: ${test}`);
  return new Map([...plans].map(([file, tests]) => [file, withinTime(tests, good)]));
}

/** @param {readonly string[]} tests @param {ReadonlyMap<string, number>} times of those that pass without a fault */
function withinTime(tests, times) {
  let sum = 0;
  return tests.flatMap((test, index) => {
    const ms = times.get(test);
    if (ms === undefined || (index > 0 && sum + ms > options.milliseconds)) return [];
    sum += ms;
    return [{ test, ms }];
  });
}

/**
 * @param {string} folder @param {Chosen} mutant @param {readonly { test: string, ms: number }[]} plan
 * @returns {Promise<Outcome>}
 */
async function tryMutant(folder, mutant, plan) {
  if (plan.length === 0) return 'untested';
  const path = join(folder, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, applied(source, mutant));
  try {
    for (const part of [plan.slice(0, nearest), plan.slice(nearest)]) {
      if (part.length === 0) continue;
      const limit = 30_000 + 5 * part.reduce((sum, { ms }) => sum + ms, 0);
      const tests = part.map(({ test }) => test);
      const status = await vitest(folder, tests, limit, ['--bail=1', '--reporter=dot']);
      if (status !== 0) return status === 'timeout' ? 'timeout' : 'killed';
    }
    return 'survived';
  } finally {
    writeFileSync(path, source);
  }
}

/**
 * @param {string} folder @param {readonly string[]} tests @param {number} limit @param {readonly string[]} args
 * @returns {Promise<number | 'timeout'>}
 */
function vitest(folder, tests, limit, args) {
  const entry = join(root, 'node_modules/vitest/vitest.mjs');
  const all = ['run', '--project', 'unit', '--project', 'contract', '--maxWorkers=1', ...args, ...tests];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [entry, ...all], { cwd: folder, stdio: 'ignore', detached: !windows });
    running.add(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end(child);
    }, limit);
    child.on('error', fail);
    child.on('exit', (code) => {
      clearTimeout(timer);
      running.delete(child);
      done(late ? 'timeout' : (code ?? 1));
    });
  });
}

/** Ends a run with the processes that its tests started. @param {import('node:child_process').ChildProcess} child */
function end(child) {
  if (child.pid === undefined) return;
  try {
    if (windows) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** A copy of the tree with the packages and the build linked. @param {number} index */
function copyTree(index) {
  const folder = join(copies, String(index));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
  for (const name of ['node_modules', 'dist'].filter(exists))
    symlinkSync(join(root, name), join(folder, name), 'junction');
  return folder;
}

/** @param {readonly { mutant: Chosen, outcome: Outcome }[]} results @param {readonly any[]} stale */
function report(results, stale) {
  const rows = options.rooms.map(({ room }) => {
    const own = results.filter(({ mutant }) => mutant.room === room);
    const count = (/** @type {Outcome} */ outcome) => own.filter((one) => one.outcome === outcome).length;
    const [killed, timeout] = [count('killed'), count('timeout')];
    const score = own.length === 0 ? 100 : Math.floor((100 * (killed + timeout)) / own.length);
    return {
      room,
      faults: own.length,
      killed,
      timeout,
      survived: count('survived'),
      untested: count('untested'),
      score,
    };
  });
  const survivors = results.flatMap(({ mutant, outcome }) => {
    const { room, file, line, operator, from, to } = mutant;
    return outcome === 'survived' || outcome === 'untested' ? [{ outcome, room, file, line, operator, from, to }] : [];
  });
  if (options.json) {
    const { seed, bar } = options;
    console.log(JSON.stringify({ version: 1, seed, bar, rooms: rows, survivors, staleEquivalents: stale }, null, 2));
  } else {
    for (const { room, faults, killed, timeout, survived, untested, score } of rows)
      console.log(
        `${room}: ${score} % of ${faults} (${killed} killed, ${timeout} timeout, ${survived} survived, ${untested} untested)`,
      );
  }
  for (const { file, from } of stale)
    say(`${equivalentFile} names a fault that does not exist any more: ${file}: ${from}`);
  return stale.length > 0 || rows.some(({ score }) => score < options.bar) ? 1 : 0;
}

function readOptions() {
  /** @param {string} message @returns {never} */
  const fail = (message) => {
    console.error(`mutate: ${message}\n\n${usage}`);
    process.exit(2);
  };
  /** @param {string} name @param {string} text */
  const whole = (name, text) =>
    /^\d{1,9}$/.test(text) ? Number(text) : fail(`--${name} "${text}" is not a whole number`);
  const { values, positionals } = parse(fail);
  const { changed = false, json = false, since = 'HEAD', sample = '40' } = values;
  if (values.help === true) {
    console.log(usage);
    process.exit(0);
  }
  if (changed === positionals.length > 0) fail('name rooms, or use --changed');
  const known = git('ls-files', '-co', '--exclude-standard', 'src').filter(exists).filter(isSource);
  const rooms = changed
    ? [{ room: 'changed', sources: changedSince(since).filter((file) => known.includes(file)) }]
    : positionals.map((given) => {
        const room = `src/${given.replace(/^src\//, '').replace(/\/$/, '')}`;
        const sources = known.filter((file) => file === room || file.startsWith(`${room}/`));
        return sources.length === 0 ? fail(`"${given}" is no folder or file of src`) : { room, sources };
      });
  return {
    rooms,
    json,
    sample: sample === 'all' ? Number.POSITIVE_INFINITY : whole('sample', sample),
    seed: whole('seed', values.seed ?? String(Date.now() % 1_000_000)),
    tests: Math.max(1, whole('tests', values.tests ?? '8')),
    milliseconds: 1000 * whole('seconds', values.seconds ?? '10'),
    workers: Math.max(1, whole('workers', values.workers ?? '2')),
    bar: whole('bar', values.bar ?? '90'),
  };
}

/** @param {(message: string) => never} fail */
function parse(fail) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        changed: flag,
        since: text,
        sample: text,
        seed: text,
        tests: text,
        seconds: text,
        workers: text,
        bar: text,
        json: flag,
        help: flag,
      },
    });
  } catch (error) {
    return fail(error.message);
  }
}

/** @param {string} ref */
function changedSince(ref) {
  return [...git('diff', '--name-only', ref, '--', 'src'), ...git('ls-files', '-o', '--exclude-standard', 'src')];
}

/** @param {readonly string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout.split('\n').filter((line) => line !== '');
  console.error(`mutate: git ${args[0]} failed: ${stderr}`);
  process.exit(2);
}

/** @param {string} file */
function exists(file) {
  return existsSync(join(root, file));
}

/** @param {string} file */
function isSource(file) {
  return file.endsWith('.ts') && !file.endsWith('.test.ts');
}

/** Progress goes beside the result. @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Mulberry32: the same numbers for the same seed. @param {number} seed */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
