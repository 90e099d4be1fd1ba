// The runner that vitest uses for `npm run mutate`. Each test runs once without a fault. Then it runs again, with its hooks, for every fault
// that it reached and that no test has noticed yet. If the test then also fails without the fault, the result does not count.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestRunner } from 'vitest';

const { SKILLWIRE_FAULTS: folder = '', SKILLWIRE_FAULT: fixed } = process.env;
const { budget, slowest, tried } = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
const notes = join(folder, 'notes.jsonl');

/** One per process: test files share loaded modules, but not this one. */
globalThis.__faults ??= newState();
const state = globalThis.__faults;

function newState() {
  const outside = new Set();
  const own = {
    active: fixed === undefined ? -1 : Number(fixed),
    /** Faults that code outside of tests reached: modules, hooks of files. */
    outside,
    reached: outside,
    /** Milliseconds for each fault. @type {Map<number, number>} */
    spent: new Map(),
    /** Whether the active fault was reached. */
    came: false,
    /** @type {string | undefined} */
    stray: undefined,
  };
  globalThis.__fault = (/** @type {number} */ number) => {
    own.reached.add(number);
    if (number !== own.active) return false;
    own.came = true;
    return true;
  };
  process.on('unhandledRejection', (error) => {
    own.stray = String(error);
  });
  return own;
}

/** @param {Record<string, unknown>} row */
function note(row) {
  appendFileSync(notes, `${JSON.stringify({ ...row, pid: process.pid })}\n`);
}

/** Faults that need no more tests. @returns {Set<number>} */
function settled() {
  const rows = readFileSync(notes, 'utf8').split('\n').slice(0, -1);
  return new Set(rows.flatMap((row) => (row.startsWith('{"fault"') ? [JSON.parse(row).fault] : [])));
}

export default class FaultRunner extends TestRunner {
  /** @type {Set<number>} */
  done = new Set();
  /** @type {readonly number[]} */
  past = [];
  ms = 0;

  /** @param {readonly any[]} files */
  async onBeforeRunFiles(files) {
    await super.onBeforeRunFiles?.(files);
    note({ began: files.map(({ filepath }) => filepath) });
    this.done = settled();
  }

  /** @param {readonly any[]} files */
  async onAfterRunFiles(files) {
    note({ outside: [...state.outside], ended: files.map(({ filepath }) => filepath) });
    await super.onAfterRunFiles?.(files);
  }

  /** @param {any} test */
  async runTask(test) {
    const run = TestRunner.getTestFn(test);
    if (fixed !== undefined || test.concurrent) return await run();
    const reached = new Set();
    state.reached = reached;
    const start = performance.now();
    try {
      await run();
    } finally {
      this.ms = performance.now() - start;
      this.past = [...reached];
      state.reached = state.outside;
    }
  }

  /** After the hooks of the first run. @param {any} test @param {any} options */
  async onAfterRetryTask(test, options) {
    await super.onAfterRetryTask?.(test, options);
    const { past, ms } = this;
    this.past = [];
    const where = { test: test.file.filepath, name: test.name };
    if (past.length > 0) note({ ...where, passed: test.result?.state === 'pass', ms, past });
    if (test.result?.state !== 'pass' || ms > slowest) return;
    const open = past.filter((one) => !this.done.has(one) && (state.spent.get(one) ?? 0) < budget);
    const { result } = test;
    for (const fault of open.filter((one) => tried.includes(one))) {
      note({ trying: fault, ...where, until: Date.now() + this.patience() });
      const begin = performance.now();
      const failure = await this.once(test, fault);
      state.spent.set(fault, (state.spent.get(fault) ?? 0) + performance.now() - begin);
      note(state.came ? { came: fault } : {});
      if (failure === undefined) continue;
      const broken = await this.once(test, -1);
      if (broken !== undefined) {
        note({ suspect: fault, ...where, broken });
        break;
      }
      note({ fault, outcome: failure === 'late' ? 'timeout' : 'killed', ...where });
      this.done.add(fault);
    }
    test.result = result;
  }

  /** Milliseconds for one more run of the test. */
  patience() {
    return 8000 + 20 * this.ms;
  }

  /** Runs a test once more with its hooks. Returns its errors. @param {any} test @param {number} fault */
  async once(test, fault) {
    test.result = { state: 'run', startTime: Date.now(), retryCount: 0, repeatCount: 0 };
    state.stray = undefined;
    state.came = false;
    state.active = fault;
    /** @type {any} */
    let timer;
    const late = new Promise((done) => {
      timer = setTimeout(done, this.patience(), 'late');
    });
    const answer = await Promise.race([this.wholeTest(test), late]);
    clearTimeout(timer);
    state.active = -1;
    return answer;
  }

  /** @param {any} test */
  async wholeTest(test) {
    /** @type {((...all: any[]) => unknown)[]} */
    const cleanups = [];
    const suites = suitesOf(test);
    const end = async () => {
      for (const suite of suites.toReversed())
        for (const hook of TestRunner.getSuiteHooks(suite).afterEach ?? []) await hook(test.context, suite);
      for (const cleanup of cleanups) await cleanup();
      const last = (test.onFinished ?? []).reverse();
      test.onFinished = undefined;
      for (const handler of last) await handler(test.context);
    };
    try {
      for (const suite of suites)
        for (const hook of TestRunner.getSuiteHooks(suite).beforeEach ?? []) {
          const cleanup = await hook(test.context, suite);
          if (typeof cleanup === 'function') cleanups.push(cleanup);
        }
      await super.onBeforeTryTask?.(test, { retry: 0, repeats: 0 });
      await TestRunner.getTestFn(test)();
      await super.onAfterTryTask?.(test, { retry: 0, repeats: 0 });
      await end();
      return test.result.state === 'fail' ? 'failed' : state.stray;
    } catch (error) {
      // The test has failed already, so errors of its cleanup do not matter.
      await end().catch(() => undefined);
      return String(error);
    }
  }
}

/** The suites around a test, the outermost one first. @param {any} test */
function suitesOf(test) {
  const suites = [];
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) suites.unshift(suite);
  return [test.file, ...suites.filter((one) => one !== test.file)];
}
