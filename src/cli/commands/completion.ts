/** `skillwire completion`: prints the completion of a shell. It changes no file. */
import { Argument, type Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { completionScripts, type Shell } from '../help/completion-scripts.ts';
import { writeJson } from '../render/json-text.ts';

const shells = Object.keys(completionScripts) as readonly Shell[];

const help = `
SHELL is ${shells.slice(0, -1).join(', ')} or ${shells.at(-1)}. Completes commands, options, clients, agents, labels of
skillwire.json and added origins, and the skills of local folders. Contacts no origin. The first line of the output says
where to save it.

Exit codes:
  0 printed, 2 unknown shell

Examples:
  skillwire completion bash > ~/.local/share/bash-completion/completions/skillwire
  skillwire completion zsh > ~/.zfunc/_skillwire
  skillwire completion fish > ~/.config/fish/completions/skillwire.fish`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage(`${shells.join('|')} [options]`)
    .addArgument(new Argument('<shell>', 'Shell to complete in').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell, _: unknown, self: Command) => {
      const script = completionScripts[shell];
      if (self.optsWithGlobals<GlobalOptions>().json === true) writeJson(cli, { version: 1, shell, script });
      else cli.stdout.write(script);
      finish(exitCodes.ok);
    });
}
