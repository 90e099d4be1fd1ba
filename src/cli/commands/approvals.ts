/** `skillwire approvals`: lists approvals with time, person and reason. Contacts no origin. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Approval } from '../../host/approve/approvals.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';
import { grantsText } from '../render/requests-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, minuteText, shortDigest } from '../render/values.ts';

type ApprovalsOptions = GlobalOptions & StateOptions;

const help = `
An approval is valid for one version of a skill. "skillwire list" shows which skills changed since.

Exit codes:
  0 listed, 2 failed, 130 interrupted

Examples:
  skillwire approvals
  skillwire approvals --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(command.usage('[options]')))
    .addHelpText('after', help)
    .action(runs(cli, finish, approvals));
}

function approvals(options: ApprovalsOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ host }) => {
    const stored = await host.approvals.list();
    if (options.json === true) {
      writeJson(cli, { version: 1, approvals: stored.map(approvalJson) });
      return exitCodes.ok;
    }
    writeTable(stored, columns(cli.cwd), options, cli);
    cli.stderr.write(`${counted(stored.length, 'approval')}\n`);
    return exitCodes.ok;
  });
}

function columns(cwd: string): readonly Column<Approval>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
    { title: 'ORIGIN', text: ({ label }) => shownLabel(label, cwd) },
    { title: 'SET', text: ({ setDigest }) => shortDigest(setDigest ?? '') },
    { title: 'GRANTS', text: ({ grants }) => grantsText(grants) },
    { title: 'SINCE', text: ({ at }) => minuteText(at) },
    { title: 'BY', text: ({ by }) => by },
    { title: 'REASON', rest: true, text: ({ reason }) => reason },
  ];
}
