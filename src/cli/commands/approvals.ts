/** `skillwire approvals`: what was approved, when, by whom and why. Asks no origin. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Approval } from '../../host/approve/approvals.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { addStateOption, type StateOptions } from '../options/connection-options.ts';
import { grantsText } from '../render/asks-text.ts';
import { createColors, wantsColor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';
import { type Column, tableText, tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';

type ApprovalsOptions = GlobalOptions & StateOptions;

const help = `
An approval holds for the set of files that it names; whether a skill still is that set, "skillwire list" tells.

Exit codes:
  0 listed, 2 could not run, 130 interrupted

Examples:
  skillwire approvals
  skillwire approvals --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(command.usage('[options]'))
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      finish(await approvals(self.optsWithGlobals<ApprovalsOptions>(), cli));
    });
}

function approvals(options: ApprovalsOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ host }) => {
    const given = await host.approvals.list();
    if (options.json === true) {
      cli.stdout.write(`${jsonText({ version: 1, approvals: given.map(approvalJson) }, 2)}\n`);
      return exitCodes.ok;
    }
    const colors = createColors(wantsColor(cli.stdout, { env: cli.env, color: options.color }));
    cli.stdout.write(tableText(given, columns(cli.cwd), { width: tableWidth(cli.stdout), colors }));
    cli.stderr.write(`${counted(given.length, 'approval')}\n`);
    return exitCodes.ok;
  });
}

function columns(cwd: string): readonly Column<Approval>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
    { title: 'ORIGIN', text: ({ label }) => shownLabel(label, cwd) },
    { title: 'SET', text: ({ setDigest }) => (setDigest ?? '').slice(0, 'sha256:'.length + 12) },
    { title: 'GRANTS', text: ({ grants }) => grantsText(grants) },
    { title: 'SINCE', text: ({ at }) => at.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ') },
    { title: 'BY', text: ({ by }) => by },
    { title: 'REASON', rest: true, text: ({ reason }) => reason },
  ];
}
