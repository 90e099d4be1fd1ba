// `npm run mutate -- ROOM... | --changed [REF]`: puts small faults into the code, one at a time, and checks that a test fails. It is not part of
// the gate. It works in copies of the tree in the temporary folder, so files of the repository never contain a fault.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applied, isValid, mutantsOf } from './mutants-of.mjs';
import { nearestTests } from './nearest-tests.mjs';
import { tryFaults } from './try-faults.mjs';

const usage = `Usage: npm run mutate -- ROOM... [options]
       npm run mutate -- --changed [options]

ROOM is a folder or a file of src: skill, store/decisions, src/host/load/load.ts.

  --changed        files of src that differ from --since
  --since REF      a commit (default: HEAD)
  --sample N|all   faults for each room, chosen at random (default: 40)
  --seed N         choose the same ones again (default: a new one, printed)
  --tests N        the nearest test files for each file (default: 12)
  --seconds N      leave out tests beyond this time for each fault, the nearest one excepted (default: 20)
  --workers N      faults at a time (default: 2)
  --bar PERCENT    exit with 1 if fewer are killed in a room (default: 90)
  --json           print JSON`;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const equivalentFile = 'test/mutation/equivalent.json';
const windows = process.platform === 'win32';

/** @typedef {import('./mutants-of.mjs').Mutant & { readonly file: string, readonly room: string }} Chosen */
/** @typedef {'killed' | 'timeout' | 'survived' | 'untested'} Outcome */

const options = readOptions();
const files = git('ls-files', '-co', '--exclude-standard').filter(exists);
const near = nearestTests(root, files);
/** @type {{ file: string, from: string, to: string, reason: string }[]} */
const equivalents = JSON.parse(readFileSync(join(root, equivalentFile), 'utf8'));

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const copies = mkdtempSync(join(tmpdir(), 'skillwire-mutate-'));
process.on('exit', () => rmSync(copies, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => {
    for (const child of running) end(child);
    process.exit(130);
  });

process.exitCode = await main();

async function main() {
  const { chosen, stale, total } = choose();
  say(`${chosen.length} of ${total} faults, seed ${options.seed}`);
  const outcomes = await tryFaults({ root, files, near, chosen, options, copies, running, end, say });
  const results = chosen.map((mutant, number) => ({ mutant, outcome: outcomes[number] ?? 'survived' }));
  for (const { mutant, outcome } of results) {
    const { file, line, from, to, operator } = mutant;
    if (outcome === 'survived' || outcome === 'untested')
      say(`${outcome.padEnd(9)}${file}:${line} ${operator}\n  - ${from}\n  + ${to}`);
  }
  return report(results, stale);
}

/** The faults of all rooms, except those that are known to have no effect. */
function choose() {
  const random = randomNumbers(options.seed);
  const stale = [];
  /** @type {Chosen[]} */
  const chosen = [];
  let total = 0;
  for (const { room, sources } of options.rooms) {
    const all = sources.flatMap((file) => {
      const mutants = mutantsOf(file, sourceOf(file));
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
    let count = 0;
    for (const mutant of all) {
      if (count === options.sample) break;
      if (!isValid(mutant.file, applied(sourceOf(mutant.file), mutant))) continue;
      chosen.push(mutant);
      count++;
    }
  }
  return { chosen, stale, total };
}

/** Stops a run and the processes that its tests started. @param {import('node:child_process').ChildProcess} child */
function end(child) {
  if (child.pid === undefined) return;
  try {
    if (windows) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // It has exited meanwhile.
    if (error.code !== 'ESRCH') throw error;
  }
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
    : positionals.map((path) => {
        const room = `src/${path.replace(/^src\//, '').replace(/\/$/, '')}`;
        const sources = known.filter((file) => file === room || file.startsWith(`${room}/`));
        return sources.length === 0 ? fail(`"${path}" is no folder or file of src`) : { room, sources };
      });
  return {
    rooms,
    json,
    sample: sample === 'all' ? Number.POSITIVE_INFINITY : whole('sample', sample),
    seed: whole('seed', values.seed ?? String(Date.now() % 1_000_000)),
    tests: Math.max(1, whole('tests', values.tests ?? '12')),
    milliseconds: 1000 * whole('seconds', values.seconds ?? '20'),
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
function sourceOf(file) {
  return readFileSync(join(root, file), 'utf8');
}

/** @param {string} file */
function isSource(file) {
  return file.endsWith('.ts') && !file.endsWith('.test.ts');
}

/** Progress goes to stderr, the result to stdout. @param {string} text */
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
