/**
 * Runs one scenario of the official conformance suite and returns its checks.
 *
 * The suite answers "not applicable" with exit code 0 and no result, for example for every extension scenario as soon
 * as a revision is named. A scenario asked for here is therefore always forced, and a run that leaves no checks is an
 * error: silence never counts as success. The extension scenarios are written for 2026-07-28 and that is the revision
 * they run on when none is named.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedFile } from './installed.ts';
import { node24 } from './node24.ts';
import { type Finished, runToEnd } from './process-group.ts';
import { scratchFolder } from './scratch-folder.ts';

const SCENARIO_DEADLINE_MS = 60_000;

const STATUSES = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO'] as const;

export type CheckStatus = (typeof STATUSES)[number];

export type SpecVersion = '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

export interface Check {
  readonly id: string;
  readonly status: CheckStatus;
  readonly errorMessage?: string;
}

export interface ScenarioRequest {
  /** The MCP endpoint; the suite speaks Streamable HTTP only. */
  readonly url: string;
  readonly scenario: string;
  readonly specVersion?: SpecVersion;
}

export function runScenario(request: ScenarioRequest): Promise<readonly Check[]> {
  const revision = request.specVersion === undefined ? [] : ['--spec-version', request.specVersion, '--force'];
  return runChecks(request.scenario, ['server', '--url', request.url, '--scenario', request.scenario, ...revision]);
}

/** Runs a client before the suite's own server. The suite appends the address of the server to the command. */
export function runClientScenario(scenario: string, command: string): Promise<readonly Check[]> {
  return runChecks(scenario, ['client', '--command', command, '--scenario', scenario], ['FAILURE', 'WARNING']);
}

/** @param bad the statuses with which the suite exits with 1 */
async function runChecks(
  scenario: string,
  args: readonly string[],
  bad: readonly CheckStatus[] = ['FAILURE'],
): Promise<readonly Check[]> {
  const scratch = await scratchFolder();
  try {
    const results = join(scratch.path, 'results');
    const run = await runSuite([...args, '-o', results], scratch);
    const files = run.exitCode === 0 || run.exitCode === 1 ? await checkFiles(results) : [];
    const [file] = files;
    if (file === undefined || files.length !== 1) {
      throw new Error(`The suite left ${files.length} results for "${scenario}".\n${shown(run)}`);
    }
    const checks = parseChecks(await readFile(file, 'utf8'));
    const failed = checks.some((check) => bad.includes(check.status));
    if (checks.length === 0 || failed !== (run.exitCode === 1)) {
      throw new Error(`The suite's result for "${scenario}" contradicts its exit code.\n${shown(run)}`);
    }
    return checks;
  } finally {
    await scratch.remove();
  }
}

/** Every scenario for servers or clients, with the revisions that the suite says it applies to; `['extension']` for extensions. */
export async function listScenarios(of: 'server' | 'client'): Promise<ReadonlyMap<string, readonly string[]>> {
  const scratch = await scratchFolder();
  try {
    const run = await runSuite(['list', `--${of}`], scratch);
    const rows = [...run.stdout.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)];
    if (run.exitCode !== 0 || rows.length === 0) throw new Error(`The suite lists no scenarios.\n${shown(run)}`);
    return new Map(rows.map(([, name = '', revisions = '']) => [name, revisions.split(',')]));
  } finally {
    await scratch.remove();
  }
}

async function runSuite(args: readonly string[], scratch: { path: string; env: NodeJS.ProcessEnv }): Promise<Finished> {
  const suite = installedFile('@modelcontextprotocol/conformance/dist/index.js');
  return await runToEnd(node24(), [suite, ...args], {
    env: scratch.env,
    cwd: scratch.path,
    deadlineMs: SCENARIO_DEADLINE_MS,
  });
}

async function checkFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('checks.json')).map((name) => join(folder, name));
}

function parseChecks(json: string): readonly Check[] {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error('The suite wrote a "checks.json" that is not an array.');
  return value.map((item: unknown): Check => {
    const { id, status, errorMessage } = (item ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || !isStatus(status)) {
      throw new Error(`The suite wrote a check without an id or with an unknown status: ${JSON.stringify(item)}`);
    }
    return typeof errorMessage === 'string' ? { id, status, errorMessage } : { id, status };
  });
}

function isStatus(value: unknown): value is CheckStatus {
  return STATUSES.some((status) => status === value);
}

function shown(run: Finished): string {
  return `exit code: ${run.exitCode}\nstdout: ${run.stdout.trim()}\nstderr: ${run.stderr.trim()}`;
}
