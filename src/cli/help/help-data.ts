/** The help of a command as data: for `--help --json`, the man page and checks. */
import type { Command, Option } from 'commander';
import { isRare } from './option-groups.ts';
import { ProgramCommand, pathOf } from './program-command.ts';

export interface HelpOption {
  /** As printed, for example "-a, --agent <id>". */
  readonly flags: string;
  readonly description: string;
  /** Heading in the help; absent if nobody chose one. */
  readonly group?: string;
  /** True if only `--help --all` shows it. */
  readonly rare: boolean;
  readonly choices?: readonly string[];
  readonly required: boolean;
}

export interface CommandHelp {
  readonly version: 1;
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly HelpOption[];
  /** Explanations without a heading, then exit codes, examples and others. */
  readonly sections: readonly { readonly heading: string; readonly lines: readonly string[] }[];
  readonly commands: readonly CommandHelp[];
}

export function helpData(command: Command): CommandHelp {
  const helper = command.createHelp();
  return {
    version: 1,
    name: pathOf(command),
    usage: helper.commandUsage(command),
    summary: command.description(),
    arguments: helper
      .visibleArguments(command)
      .map((argument) => ({ name: argument.name(), description: argument.description })),
    options: command.options.filter(({ hidden }) => !hidden).map(optionData),
    sections: command instanceof ProgramCommand ? command.details : [],
    commands: command.commands.map(helpData),
  };
}

function optionData(option: Option): HelpOption {
  const { flags, description, helpGroupHeading: group, argChoices: choices, mandatory: required } = option;
  return {
    flags,
    description,
    ...(group === undefined ? {} : { group: group.replace(/:$/, '') }),
    rare: isRare(option),
    choices,
    required,
  };
}
