/** `skillwire enable`: lets hosts show an origin or a skill to models again. */
import type { Command } from 'commander';
import type { ExitCode } from '../../errors.ts';
import type { Cli } from '../cli.ts';
import { defineSwitch } from '../decisions/switch-skill.ts';
import { originHelp, skillHelp } from '../render/help-text.ts';

const help = `
${originHelp}
${skillHelp}

Exit codes:
  0 enabled, 2 could not run or no such skill, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire enable docs
  skillwire enable docs pdf-tools`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  defineSwitch(command, { enabled: true, help }, cli, finish);
}
