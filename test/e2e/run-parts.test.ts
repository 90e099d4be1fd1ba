/** The runner of `npm run ok`: parallel lanes, a summary that names failures, and no processes left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';

const runner = new URL('../../scripts/run-parts.mjs', import.meta.url).href;

type Part = readonly [name: string, script: string];

interface Run {
  readonly child: ChildProcess;
  text(): string;
  readonly ended: Promise<number | null>;
}

function runParts(phases: readonly (readonly (readonly Part[])[])[]): Run {
  const parts = phases.map((lanes) =>
    lanes.map((lane) => lane.map(([name, script]) => ({ name, command: process.execPath, args: ['-e', script] }))),
  );
  const program = `import { runParts } from ${JSON.stringify(runner)};\nprocess.exitCode = await runParts(${JSON.stringify(parts)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return {
    child,
    text: () => text,
    ended: new Promise((resolve) => {
      child.once('close', resolve);
    }),
  };
}

/** A part that ends once the other of two has started. */
const waitsFor = (own: string, other: string): string =>
  `const fs = require('node:fs'); const at = ${JSON.stringify(`${process.pid}-meet-`)};
   const dir = require('node:os').tmpdir() + '/' + at; fs.writeFileSync(dir + '${own}', '');
   const look = () => fs.existsSync(dir + '${other}') ? console.log('met ${other}') : setTimeout(look, 10); look();
   process.on('exit', () => fs.rmSync(dir + '${other}', { force: true }));`;

test('if all parts pass, exits with 0 and a line for each part; lanes run in parallel', async () => {
  const run = runParts([
    [[['first', waitsFor('a', 'b')]], [['second', waitsFor('b', 'a')]]],
    [[['last', "process.stdout.write('no line end')"]]],
  ]);
  expect(await run.ended, run.text()).toBe(0);
  expect(run.text()).toContain('first  | met b\n');
  expect(run.text()).toContain('last   | no line end\n');
  for (const name of ['first ', 'second', 'last  '])
    expect(run.text()).toMatch(new RegExp(`^${name} +[\\d.]+ s +ok$`, 'm'));
});

test('a failed part is named at the end with its output; its phase continues, and the next does not start', async () => {
  const run = runParts([
    [
      [
        ['bad', "console.error('it is broken'); process.exit(3)"],
        ['beside', "console.log('still run')"],
      ],
    ],
    [[['later', "console.log('must not run')"]]],
  ]);
  expect(await run.ended).toBe(1);
  expect(run.text()).toContain('beside | still run\n');
  expect(run.text()).not.toContain('must not run');
  expect(run.text()).toContain('bad failed; the end of what it wrote:\nit is broken\n');
  expect(run.text()).toMatch(/^bad +[\d.]+ s +FAILED with exit code 3$/m);
  expect(run.text()).toMatch(/^later +-- +not run$/m);
  expect(run.text().endsWith('\nFAILED: bad\n')).toBe(true);
});

test.skipIf(process.platform === 'win32')('Ctrl-C stops all started processes and their children', async () => {
  const started = "const { spawn } = require('node:child_process');";
  const child = `${started} const own = spawn('sleep', ['600']); console.log('pid ' + own.pid); setInterval(() => {}, 1000);`;
  const run = runParts([
    [
      [
        ['waits', child],
        ['later', "console.log('must not run')"],
      ],
    ],
  ]);
  const pid = await eventually(() => Number(/pid (\d+)/.exec(run.text())?.[1] ?? Number.NaN) || Promise.reject());
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(run.text()).not.toContain('must not run');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
});
