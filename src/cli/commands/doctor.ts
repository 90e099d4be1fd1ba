/** `skillwire doctor`: checks this machine and suggests a fix for each finding. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { examine } from '../doctor/examine.ts';
import { interruptible } from '../interrupts.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { colorsFor } from '../render/color.ts';
import { doctorCounts, doctorJson, doctorText } from '../render/doctor-text.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';

interface DoctorOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
  readonly fix?: boolean;
  readonly offline?: boolean;
}

const help = `
Checks Node, skillwire.json, the agents on this machine and their folders, broken links and skills that hide each other.
Compares installed skills with skillwire.lock. Lists every known origin. Verifies state, audit and cache.

--fix completes or undoes an interrupted installation and restores missing links of agents. It never changes files of
others and fetches nothing.

Exit codes:
  0 nothing to do, 1 problems or warnings, 2 failed, 130 interrupted

Examples:
  skillwire doctor
  skillwire doctor --fix
  skillwire doctor --offline --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    addConfigOptions(
      command.usage('[options]').option('--fix', 'Make safe fixes').option('--offline', 'Contact no origin'),
    ),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, doctor));
}

function doctor(options: DoctorOptions, cli: Cli): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const progress = startProgress(cli, 'Checking this machine');
    const { config, state, fix = false, offline = false } = options;
    const examined = { fix, offline, config, state };
    const report = await examine(examined, cli, signal).finally(() => progress.stop());
    const { problems, warnings, notes, fixed } = doctorCounts(report.findings);
    if (options.json === true) writeJson(cli, doctorJson(report));
    else {
      const colors = colorsFor(cli.stdout, cli, options);
      cli.stdout.write(doctorText(report, { cwd: cli.cwd, colors }));
      const counts = [counted(problems, 'problem'), counted(warnings, 'warning'), counted(notes, 'note')];
      cli.stderr.write(`${[...counts, ...(fixed === 0 ? [] : [`${fixed} fixed`])].join(', ')}\n`);
    }
    return problems + warnings === 0 ? exitCodes.ok : exitCodes.findings;
  });
}
