/** `skillwire verify --parity`: reads every file of several origins and compares the digests. */
import { type ExitCode, exitCodes } from '../errors.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import { compareOrigins, type LabelledOrigin, type ParityReport } from '../verifier/parity.ts';
import { readServed } from '../verifier/served-digests.ts';
import { type Cli, type GlobalOptions, usageError } from './cli.ts';
import { type CommandSession, shownLabel } from './open-host.ts';
import { writeOutput } from './options/output-options.ts';
import { startProgress } from './progress.ts';
import { colorsFor } from './render/color.ts';
import { jsonText } from './render/json-text.ts';
import { parityText } from './render/parity-text.ts';
import { tableWidth } from './render/table.ts';
import { counted } from './render/values.ts';

export interface ParityOptions extends GlobalOptions {
  readonly output?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly format: 'text' | 'json';
}

export async function verifyParity(session: CommandSession, options: ParityOptions, cli: Cli): Promise<ExitCode> {
  const { host, signal } = session;
  const origins = host.origins.list();
  if (origins.length < 2) throw usageError('--parity compares origins. Name two or more.');
  const progress = startProgress(cli, `Reading ${counted(origins.length, 'origin')}`);
  let report: ParityReport;
  try {
    const served: LabelledOrigin[] = [];
    let done = 0;
    for (const { label, source } of origins) {
      progress.say(`Reading ${shownLabel(label, cli.cwd)}`);
      const onSkill = (): void => progress.count({ done: ++done }, 'skill');
      served.push({ label, ...(await readServed(source, { digest: nodeDigest, signal, onSkill })) });
    }
    report = compareOrigins(served, nodeDigest);
  } finally {
    progress.stop();
  }
  const exitCode = parityExit(report);
  const text =
    options.format === 'json'
      ? `${jsonText({ version: 1, exitCode, ...report }, 2)}\n`
      : parityText(report, {
          colors: colorsFor(cli.stdout, cli, options),
          width: tableWidth(cli.stdout),
          shown: (label) => shownLabel(label, cli.cwd),
          quiet: options.verbose !== true,
        });
  const silent = options.quiet === true && options.format === 'text' && exitCode === exitCodes.ok;
  if (options.output !== undefined) await writeOutput(cli.cwd, options.output, text);
  else if (!silent) cli.stdout.write(text);
  return exitCode;
}

/** If several apply: different bytes, unreadable skills, missing skills. */
export function parityExit({ skills, origins }: ParityReport): ExitCode {
  const states = new Set(skills.map(({ state }) => state));
  if (states.has('differs') || states.has('failed')) return exitCodes.verificationFailed;
  if (states.has('unread') || origins.some(({ cut }) => cut !== undefined)) return exitCodes.incomplete;
  return states.has('missing') ? exitCodes.partial : exitCodes.ok;
}
