/** `skillwire doctor`: looks at everything that has to be right on this machine and says, for what is not, what to do. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { examine } from '../doctor/examine.ts';
import { interruptible } from '../interrupts.ts';
import { addStateOption, configOption, type StateOptions, trustOption } from '../options/connection-options.ts';
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
Looks at Node, the folders of state and cache, skillwire.json, the agents that are found and what they read, links that
lead nowhere, skills that hide each other, what was installed against skillwire.lock file by file, every origin that is
known, and the integrity of state, audit and cache. Each finding says what to do about it.
--fix does what is safe: it ends or undoes a run that was interrupted, and links installed skills again for agents that
lost them. It never touches what others wrote, and fetches nothing.

Exit codes:
  0 nothing to do, 1 problems or warnings, 2 could not run, 130 interrupted

Examples:
  skillwire doctor
  skillwire doctor --fix
  skillwire doctor --offline --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    command
      .usage('[options]')
      .option('--fix', 'do what is safe to do about what was found')
      .option('--offline', 'ask no origin')
      .addOption(configOption())
      .addOption(trustOption()),
  )
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      finish(await doctor(self.optsWithGlobals<DoctorOptions>(), cli));
    });
}

function doctor(options: DoctorOptions, cli: Cli): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const progress = startProgress(cli, 'looking at this machine');
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
