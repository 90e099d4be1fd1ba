/**
 * A command whose help fits on one screen: 40 lines of 80 columns. Rare options and, if the rest is too long, explanations wait for
 * `--help --all`, and the last line says so.
 */
import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  type Argument,
  Command,
  Help,
  type Option,
} from 'commander';
import { type HelpSection, hanging, helpSections, sectionLines } from './help-sections.ts';
import { groupOrder, groups, isRare } from './option-groups.ts';

export const helpLines = 40;
export const helpColumns = 80;

/** Leaves out the least needed sections first. Examples are shortened last. */
const droppedFirst = ['Exit codes', 'Environment'] as const;

export class ProgramCommand extends Command {
  #details = '';
  /** True if the help shows everything. */
  readonly #all: boolean;

  constructor(name: string, all: boolean) {
    super(name);
    this.#all = all;
  }

  /** Explanations, exit codes and examples, as in the source. */
  get details(): readonly HelpSection[] {
    return helpSections(this.#details);
  }

  override addHelpText(_: AddHelpTextPosition, text: string | ((context: AddHelpTextContext) => string)): this {
    this.#details += typeof text === 'string' ? text : text({ error: false, command: this });
    return this;
  }

  override createCommand(name = ''): ProgramCommand {
    return new ProgramCommand(name, this.#all);
  }

  override createHelp(): ProgramHelp {
    return Object.assign(new ProgramHelp(this.#all), this.configureHelp());
  }
}

export class ProgramHelp extends Help {
  readonly all: boolean;

  constructor(all: boolean) {
    super();
    this.all = all;
  }

  /** Options of the program belong to each command too. */
  override visibleOptions(command: Command): Option[] {
    const inherited: Option[] = [];
    for (let parent = command.parent; parent !== null; parent = parent.parent) inherited.push(...parent.options);
    const seen = [...command.options, ...inherited].filter((option) => !option.hidden && (this.all || !isRare(option)));
    // Commander makes the option for help itself, the same for all commands.
    const help = super.visibleOptions(command).filter((option) => !command.options.includes(option));
    return [...seen, ...help];
  }

  override visibleGlobalOptions(): Option[] {
    return [];
  }

  override visibleCommands(command: Command): Command[] {
    return super.visibleCommands(command).filter((sub) => this.all || sub.name() !== 'help');
  }

  override optionDescription(option: Option): string {
    const { argChoices, description, defaultValue, mandatory } = option;
    const facts = [
      ...(mandatory ? ['required'] : []),
      ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
      ...(typeof defaultValue === 'string' ? [`default: ${defaultValue}`] : []),
    ];
    return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
  }

  override formatHelp(command: Command, helper: Help): string {
    const width = Math.max(40, this.all ? this.#width() : Math.min(this.#width(), helpColumns));
    const blocks = this.#blocks(command, helper, width);
    if (this.all) return `${joined(blocks.map(({ lines }) => lines))}\n`;
    const more = `More: ${pathOf(command)} --help --all`;
    const complete = !this.#hides(command) && linesIn(blocks) <= helpLines && blocks.every(fits);
    return complete ? `${joined(blocks.map(({ lines }) => lines))}\n` : `${this.#onOneScreen(blocks, more)}\n`;
  }

  #width(): number {
    return this.helpWidth ?? helpColumns;
  }

  #hides(command: Command): boolean {
    const withParents = [command, ...(command.parent === null ? [] : [command.parent])];
    return withParents.some(({ options }) => options.some((option) => isRare(option)));
  }

  #blocks(command: Command, helper: Help, width: number): readonly Block[] {
    const termWidth = helper.padWidth(command, helper);
    const item = (term: string, text: string): readonly string[] =>
      helper.formatItem(term, termWidth, text, helper).split('\n');
    const list = (heading: string, items: readonly (readonly string[])[]): Block => ({
      heading,
      needed: heading !== 'Arguments:',
      lines: items.length === 0 ? [] : [heading, ...items.flat()],
    });
    const options = helper.visibleOptions(command);
    const ranked = [...new Set(options.map(groupOf))].sort((a, b) => groupOrder.indexOf(a) - groupOrder.indexOf(b));
    const commands = helper.visibleCommands(command);
    const commandGroups = [...new Set(commands.map((sub) => sub.helpGroup() || 'Commands:'))];
    const membersOf = (heading: string): readonly Command[] =>
      commands.filter((sub) => (sub.helpGroup() || 'Commands:') === heading);
    // Fifty commands have no room for their summaries.
    const brief = command.parent === null && !this.all;
    const details = command instanceof ProgramCommand ? command.details : [];
    return [
      {
        heading: 'Usage:',
        needed: true,
        lines: [
          ...hanging('Usage: ', helper.commandUsage(command), width),
          '',
          ...helper.boxWrap(helper.commandDescription(command), width).split('\n'),
        ],
      },
      list(
        'Arguments:',
        helper
          .visibleArguments(command)
          .map((argument: Argument) => item(helper.argumentTerm(argument), helper.argumentDescription(argument))),
      ),
      ...commandGroups.slice(0, brief ? 1 : undefined).map((heading) =>
        list(
          heading,
          membersOf(heading).map((sub) => item(helper.subcommandTerm(sub), helper.subcommandDescription(sub))),
        ),
      ),
      ...(brief ? [namesOnly(commandGroups.slice(1), membersOf, width)] : []),
      ...ranked.map((group) =>
        list(
          group,
          options
            .filter((option) => groupOf(option) === group)
            .map((option) => item(helper.optionTerm(option), helper.optionDescription(option))),
        ),
      ),
      ...details.map((section) => ({
        heading: section.heading,
        needed: section.heading === 'Examples',
        lines: sectionLines(section, width),
      })),
    ].filter(({ lines }) => lines.length > 0);
  }

  /** The needed blocks, and as many of the others as there is room for, in their order. */
  #onOneScreen(blocks: readonly Block[], more: string): string {
    let shown = blocks.map((block) => (block.heading === 'Examples' ? shortExamples(block) : block));
    const room = helpLines - 2; // the last line, and the empty one before it
    const dropped = [
      ...droppedFirst,
      ...shown.filter(({ needed, heading }) => !needed && heading !== 'Arguments:').map(({ heading }) => heading),
      'Arguments:',
    ];
    for (const heading of dropped) {
      if (linesIn(shown) <= room) break;
      const last = shown.findLastIndex((block) => block.heading === heading && !block.needed);
      shown = shown.filter((_, index) => index !== last);
    }
    const over = linesIn(shown) - room;
    if (over > 0)
      shown = shown.map((block) =>
        block.heading === 'Examples'
          ? { ...block, lines: block.lines.slice(0, Math.max(2, block.lines.length - over)) }
          : block,
      );
    return joined([...shown.map(({ lines }) => lines), [more]]);
  }
}

interface Block {
  readonly heading: string;
  /** False if another screen can show it. */
  readonly needed: boolean;
  readonly lines: readonly string[];
}

/** The commands of each group by name, such as "Publishing:  pack, build". */
function namesOnly(
  headings: readonly string[],
  membersOf: (heading: string) => readonly Command[],
  width: number,
): Block {
  const column = Math.max(0, ...headings.map(({ length }) => length)) + 2;
  const rows = headings.map((heading) => {
    const names = membersOf(heading).map((sub) => sub.name());
    return `  ${heading.padEnd(column)}${names.join(', ')}`;
  });
  const heading = 'More commands';
  return { heading, needed: true, lines: rows.length === 0 ? [] : sectionLines({ heading, lines: rows }, width) };
}

function groupOf(option: Option): string {
  return option.helpGroupHeading ?? groups.common;
}

function shortExamples(block: Block): Block {
  return { ...block, lines: block.lines.filter((line) => line.length <= helpColumns) };
}

function fits({ lines }: Block): boolean {
  return lines.every((line) => line.length <= helpColumns);
}

function linesIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { lines }) => sum + lines.length + 1, -1);
}

function joined(blocks: readonly (readonly string[])[]): string {
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

/** The words of a command, such as "skillwire origins add". */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
