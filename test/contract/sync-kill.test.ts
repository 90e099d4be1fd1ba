/**
 * Processes that are killed while they install, update and remove. Afterwards the folders are in the old or in the new state, the
 * lock file agrees, nothing is left over, and `skillwire doctor` finds nothing. The next run or `doctor --fix` recovers them, in
 * turns. Every disk call is a point at which a process can be killed; the soak takes 300 of them, the test command a tenth.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkInstalled } from '../../src/sync/installed.ts';
import { nodeSyncDisk } from '../../src/sync/sync-disk.ts';
import { recover } from '../../src/sync/transaction.ts';
import { observedSyncDisk } from '../../src/testing/observed-sync-disk.ts';
import { placeIn, type SyncWorkload, syncWorkloads, treeOf } from '../../src/testing/sync-workloads.ts';
import { soakFactor } from '../soak-factor.ts';

const child = fileURLToPath(new URL('./sync-child.mjs', import.meta.url));
const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const built = join(dist, 'testing/sync-workloads.js');

let top: string;

beforeEach(() => {
  if (!existsSync(built)) throw new Error(`There is no built program at "${built}". Run \`npm run build\`.`);
  top = mkdtempSync(join(tmpdir(), 'skillwire-sync-kill-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

interface Known {
  readonly template: string;
  readonly before: object;
  readonly after: object;
  readonly steps: number;
}

async function learn(workload: SyncWorkload): Promise<Known> {
  const template = join(top, 'template');
  mkdirSync(join(template, 'project'), { recursive: true });
  mkdirSync(join(template, 'home'));
  await workload.prepare(nodeSyncDisk, placeIn(template));
  const done = join(top, 'done');
  cpSync(template, done, { recursive: true, verbatimSymlinks: true });
  let steps = 0;
  const disk = observedSyncDisk(nodeSyncDisk, {
    before: ({ step }) => {
      steps = step;
    },
  });
  await workload.run(disk, placeIn(done));
  return { template, steps, before: treeOf(join(template, 'project')), after: treeOf(join(done, 'project')) };
}

function killedAt(workload: SyncWorkload, step: number, tear: boolean, place: string): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, workload.name, String(step), tear ? 'tear' : 'whole', place]);
    let said = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    running.once('error', reject).once('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(signal);
      else reject(new Error(`the child ended with ${code}: ${said}`));
    });
  });
}

interface Diagnosis {
  readonly exitCode: number | null;
  /** Without notes, which need no action. */
  readonly findings: readonly { readonly message: string; readonly fixed?: string }[];
}

/** The command as a person runs it in the project, without the environment of the test run. */
function doctor(place: string, ...options: string[]): Promise<Diagnosis> {
  const { PATH = '', SystemRoot = '' } = process.env;
  const home = join(place, 'home');
  const argv = [join(dist, 'cli/main.js'), 'doctor', '--json', '--offline', ...options];
  const running = spawn(process.execPath, argv, {
    cwd: join(place, 'project'),
    env: { PATH, SystemRoot, HOME: home, USERPROFILE: home, SKILLWIRE_HOME: place },
  });
  let [stdout, said] = ['', ''];
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolved, reject) => {
    running.once('error', reject).once('close', (exitCode) => {
      if (stdout === '') reject(new Error(`doctor ended with ${exitCode}: ${said}`));
      else {
        const { findings } = JSON.parse(stdout) as { findings: { level: string; message: string; fixed?: string }[] };
        resolved({ exitCode, findings: findings.filter(({ level }) => level !== 'note') });
      }
    });
  });
}

test('the killed process loads only modules that write, and no command, network or protocol', () => {
  const rooms = new Set<string>();
  const seen = new Set<string>();
  const look = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    if (file !== child) rooms.add(relative(dist, file).split(/[\\/]/)[0] ?? '');
    // A kind of origin loads its source when it is opened, and nothing is opened here.
    const loads = file.includes(`${sep}origins${sep}`)
      ? /from ?['"]([^'"\s]+)['"]/g
      : /(?:from|import\() ?['"]([^'"\s]+)['"]/g;
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(loads))
      if (target.startsWith('.')) look(resolve(dirname(file), target));
      else if (!target.startsWith('node:')) rooms.add(target);
  };
  look(child);
  const expected = [
    'agents',
    'defined-fields.js',
    'errors.js',
    'limits.js',
    'origins',
    'skill',
    'store',
    'sync',
    'testing',
    'trust',
  ];
  expect([...rooms].sort()).toEqual(expected);
});

test.each(syncWorkloads)(
  '$name: a killed process leaves the old or the new state',
  {
    timeout: 900_000,
  },
  async (workload) => {
    const { template, before, after, steps } = await learn(workload);
    expect(after).not.toEqual(before);
    const kills = 10 * soakFactor;
    expect((await doctor(template)).findings, 'before anything is killed').toEqual([]);
    const seen = { old: 0, new: 0 };
    for (let kill = 0; kill < kills; kill++) {
      const step = Math.min(steps, 1 + Math.floor(((kill + 0.5) * steps) / kills));
      const place = join(top, `place-${kill}`);
      cpSync(template, place, { recursive: true, verbatimSymlinks: true });
      const when = `${workload.name} killed at step ${step} of ${steps}`;
      expect(await killedAt(workload, step, kill % 2 === 1, place), when).toBe('SIGKILL');

      const byDoctor = kill % 4 >= 2;
      if (!byDoctor) await recover(nodeSyncDisk, placeIn(place));
      else
        expect(
          (await doctor(place, '--fix')).findings.filter(({ fixed }) => fixed === undefined),
          when,
        ).toEqual([]);
      const tree = treeOf(join(place, 'project'));
      expect([before, after], when).toContainEqual(tree);
      seen[JSON.stringify(tree) === JSON.stringify(after) ? 'new' : 'old'] += 1;

      const { skills, unfinished, leftovers } = await checkInstalled(placeIn(place));
      expect({ unfinished, leftovers, states: skills.filter(({ state }) => state !== 'ok') }, when).toEqual({
        unfinished: false,
        leftovers: [],
        states: [],
      });
      expect(await doctor(place), when).toEqual({ exitCode: 0, findings: [] });
      const syncFolder = join(place, 'state', 'sync');
      const notes = existsSync(syncFolder) ? readdirSync(syncFolder, { recursive: true, encoding: 'utf8' }) : [];
      expect(
        // The lock and the unfinished notes of a dead process block nobody: the next run that writes removes them.
        notes.filter((name) => (byDoctor ? /journal\.json$/ : /journal|tmp-|\/lock$/).test(name)),
        when,
      ).toEqual([]);
      await workload.run(nodeSyncDisk, placeIn(place)).catch((error: unknown) => {
        // A removed skill cannot be removed again.
        if (workload.name !== 'remove') throw error;
      });
      expect(treeOf(join(place, 'project')), when).toEqual(after);
      rmSync(place, { recursive: true, force: true });
    }
    expect(seen.old, 'kills that were undone').toBeGreaterThan(0);
    expect(seen.new, 'kills after which the run was finished').toBeGreaterThan(0);
  },
);
