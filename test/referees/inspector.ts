/**
 * Runs one method of the official Inspector's command line client.
 *
 * The era is always named. Otherwise the Inspector falls back to the legacy one, and does not check the cache fields that 2026-07-28
 * requires. `modern` pins 2026-07-28 and never falls back. A server over stdio is given as a configuration file, where none of its
 * arguments can be taken for the Inspector's own.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedFile } from './installed.ts';
import { node24 } from './node24.ts';
import { runToEnd } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';

const INSPECTOR_DEADLINE_MS = 60_000;

const SERVER_LABEL = 'skillwire';

export type Era = 'modern' | 'legacy';

export type InspectorTarget =
  | { readonly url: string; readonly era: Era; readonly token?: string }
  | { readonly command: string; readonly args: readonly string[]; readonly era: Era };

export interface InspectorRequest {
  readonly target: InspectorTarget;
  readonly method: 'skills/list' | 'skills/get' | 'resources/directory/read' | 'resources/read';
  readonly uri?: string;
  /** Read every file and check it against the entry; only for `skills/list` and `skills/get`. */
  readonly verify: boolean;
}

export interface InspectorRun {
  /** 0 all good, 1 call failed, 3 not authorized, 4 unreachable, 7 a skill is wrong, 8 not everything was checked. */
  readonly exitCode: number;
  /** One value per line of output: one report per skill with `verify`, else the one result. */
  readonly json: readonly unknown[];
  readonly stderr: string;
}

export interface SkillReport {
  readonly uri: string;
  readonly outcome: string;
  /** Every complaint about the entry or its frontmatter, warnings included. */
  readonly issues: readonly unknown[];
  readonly files: readonly { readonly uri: string; readonly status: string }[];
}

export async function runInspector(request: InspectorRequest): Promise<InspectorRun> {
  const scratch = await scratchFolder();
  try {
    const args = [
      installedFile('@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
      '--cli',
      ...(await targetArguments(request.target, scratch)),
      ...['--protocol-era', request.target.era, '--method', request.method],
      ...(request.uri === undefined ? [] : ['--uri', request.uri]),
      ...(request.verify ? ['--verify'] : []),
      ...['--format', 'json', '--stored-auth-only'],
    ];
    const run = await runToEnd(node24(), args, {
      env: scratch.env,
      cwd: scratch.path,
      deadlineMs: INSPECTOR_DEADLINE_MS,
    });
    return { exitCode: run.exitCode, json: parseLines(run.stdout), stderr: run.stderr };
  } finally {
    await scratch.remove();
  }
}

/** The reports of a run with `verify`. */
export function skillReports(run: InspectorRun): readonly SkillReport[] {
  return run.json.map((line): SkillReport => {
    const { uri, outcome, conformance, frontmatter, files } = (line ?? {}) as Readonly<Record<string, unknown>>;
    if (
      typeof uri !== 'string' ||
      typeof outcome !== 'string' ||
      !Array.isArray(conformance) ||
      !Array.isArray(frontmatter) ||
      !Array.isArray(files)
    ) {
      throw new Error(`The Inspector wrote a line that is not a report on a skill: ${JSON.stringify(line)}`);
    }
    return { uri, outcome, issues: [...conformance, ...frontmatter], files };
  });
}

async function targetArguments(target: InspectorTarget, scratch: ScratchFolder): Promise<readonly string[]> {
  if ('url' in target) {
    const header = target.token === undefined ? [] : ['--header', `Authorization: Bearer ${target.token}`];
    return [target.url, '--transport', 'http', ...header];
  }
  const file = join(scratch.path, 'servers.json');
  const server = { command: target.command, args: target.args, cwd: scratch.path };
  await writeFile(file, JSON.stringify({ mcpServers: { [SERVER_LABEL]: server } }));
  return ['--config', file, '--server', SERVER_LABEL];
}

function parseLines(stdout: string): readonly unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => {
      try {
        return JSON.parse(line);
      } catch (cause) {
        throw new Error(`The Inspector wrote a line that is not JSON: ${JSON.stringify(line)}`, { cause });
      }
    });
}
