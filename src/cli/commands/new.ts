/** `skillwire new`: writes a skill with the parts that authors forget. `validate` finds nothing in it. It never changes an existing file. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { shownPath } from '../../node/shown-path.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { nameFault, suggestName } from '../../skill/name.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { writeJson } from '../render/json-text.ts';

interface NewOptions extends GlobalOptions {
  readonly in?: string;
  readonly description?: string;
  readonly license: string;
  readonly scripts?: boolean;
  readonly references?: boolean;
}

const help = `
Writes NAME/SKILL.md with a name, a description that says when to use the skill, a license and its needs. Clients choose
skills by their description: replace it with your own. NAME is a-z, 0-9 and single hyphens.

Exit codes:
  0 written, 2 failed, the name cannot be used, or the folder is there already

Examples:
  skillwire new release-notes
  skillwire new release-notes --description "Writes release notes. Use when asked for a changelog."
  skillwire new pdf-tools --in skills --scripts --references
  skillwire new pdf-tools --license MIT --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('NAME [options]')
    .argument('<name>', 'Name of the skill')
    .option('--in <folder>', 'Folder of the new folder (default: ./skills if it exists, else this one)')
    .option('--description <text>', 'Purpose of the skill, and when to use it')
    .option('--license <name>', 'License of the skill', 'Proprietary')
    .option('--scripts', 'Add a script')
    .option('--references', 'Add a file that is read only when needed')
    .addHelpText('after', help)
    .action(runs(cli, finish, make));
}

async function make(name: string, options: NewOptions, cli: Cli): Promise<ExitCode> {
  const fault = nameFault(name);
  if (fault !== undefined) {
    const near = suggestName(name);
    const remedy = near === undefined ? 'Use a-z, 0-9 and single hyphens.' : `Try ${quoteText(near)}.`;
    throw usageError(`${quoteText(name)} cannot be the name of a skill: ${fault}. ${remedy}`, { name });
  }
  const usual = existsSync(join(cli.cwd, 'skills')) ? 'skills' : '.';
  const folder = resolve(cli.cwd, options.in ?? usual, name);
  const shown = shownPath(cli.cwd, folder);
  if (existsSync(folder)) throw usageError(`${quoteText(shown)} is there already. Choose another name.`, { folder });
  const files = filesOf(name, options);
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    if (path.startsWith('scripts/')) await chmod(file, 0o755);
  }
  if (options.json === true) writeJson(cli, { version: 1, name, folder, files: Object.keys(files) });
  else {
    const skill = displayText(join(shown, skillFileName));
    cli.stderr.write(`Wrote ${skill}. Edit it, then run "skillwire validate ${displayText(shown)}".\n`);
  }
  return exitCodes.ok;
}

function filesOf(name: string, options: NewOptions): Readonly<Record<string, string>> {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  const description = options.description ?? `Explains ${name.replaceAll('-', ' ')}. Use when a task is about it.`;
  const needs = options.scripts === true ? 'Needs a POSIX shell.' : 'Needs no network and no other programs.';
  const steps = [
    '1. Say what to look at first.',
    ...(options.scripts === true ? ['2. Run [scripts/check.sh](scripts/check.sh) and read what it prints.'] : []),
    ...(options.references === true ? [`- For details, read [references/details.md](references/details.md).`] : []),
  ];
  const text = `---
name: ${name}
description: ${JSON.stringify(description)}
license: ${JSON.stringify(options.license)}
compatibility: ${needs}
---

# ${title}

Say in one paragraph what a good result is.

## Steps

${steps.join('\n')}

## Check

Say how to see that it worked.
`;
  return {
    [skillFileName]: text,
    ...(options.scripts === true ? { 'scripts/check.sh': "#!/bin/sh\nset -eu\nprintf '%s\\n' ok\n" } : {}),
    ...(options.references === true ? { 'references/details.md': `# Details of ${name.replaceAll('-', ' ')}\n` } : {}),
  };
}
