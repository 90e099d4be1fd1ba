/** `skillwire disable`: takes an origin or a skill away from models at once, in every host that uses the same state. */
import type { Command } from 'commander';
import type { ExitCode } from '../../errors.ts';
import type { Cli } from '../cli.ts';
import { defineSwitch } from '../decisions/switch-skill.ts';
import { originHelp, skillHelp } from '../render/help-text.ts';

const help = `
${originHelp}
${skillHelp}
Approvals are kept; "skillwire enable" takes it back.

Exit codes:
  0 disabled, 2 could not run or no such skill, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire disable docs
  skillwire disable docs pdf-tools`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  defineSwitch(command, { enabled: false, help }, cli, finish);
}
