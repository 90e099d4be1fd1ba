/** `skillwire agent-help`: prints the package's skill about itself, without frontmatter, as a guide for models. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { jsonText } from '../render/json-text.ts';

/** The skill is at the root of the package, so it can be served and installed like any other. */
const folder = new URL('../../../skills/skillwire/', import.meta.url);

const help = `
The package has the same text as a skill: skills/skillwire. Install it with
  skillwire add "$(npm root -g)/skillwire/skills" skillwire

Exit codes:
  0 printed, 2 failed

Examples:
  skillwire agent-help
  skillwire agent-help --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[options]')
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      const [skill, commands] = await Promise.all([text('SKILL.md'), text('references/commands.md')]);
      const guide = `${withoutFrontmatter(skill).trimEnd()}\n\n${commands.replace(/^#/gm, '##').trimEnd()}\n`;
      const { json } = self.optsWithGlobals<GlobalOptions>();
      cli.stdout.write(json === true ? `${jsonText({ version: 1, guide }, 2)}\n` : guide);
      finish(exitCodes.ok);
    });
}

function text(name: string): Promise<string> {
  return readFile(new URL(name, folder), 'utf8');
}

function withoutFrontmatter(markdown: string): string {
  return markdown.replace(/^---\n[\s\S]*?\n---\n+/, '');
}
