// Makes the man page from the help of all commands, as `skillwire --help --json` prints it. Options that many commands share are explained
// once, at the end; each command names them.
/** @import { CommandHelp, HelpOption } from '../src/cli/help/help-data.ts' */

/** An option is explained once if this many commands have it, in the same words. */
const sharedFrom = 6;

/**
 * @param {CommandHelp} help of the program
 * @param {string} version
 */
export function manPage(help, version) {
  const commands = help.commands.flatMap(withCommands);
  const uses = new Map();
  for (const { options } of commands)
    for (const option of options) uses.set(keyOf(option), (uses.get(keyOf(option)) ?? 0) + 1);
  const isShared = (option) => (uses.get(keyOf(option)) ?? 0) >= sharedFrom;
  const shared = new Map(
    commands.flatMap(({ options }) => options.filter(isShared)).map((option) => [keyOf(option), option]),
  );
  const sectionOf = (heading) => help.sections.filter((section) => section.heading === heading);
  return `${[
    `.TH SKILLWIRE 1 "" "skillwire ${quoted(version)}" "Skillwire"`,
    // Options are easier to find in lines that are neither stretched nor hyphenated.
    '.nh',
    '.ad l',
    '.SH NAME',
    `skillwire \\- ${roff(help.summary.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    ...literal([help.usage]),
    '.SH DESCRIPTION',
    'This page has the full help of every command.',
    ...paragraph(`"skillwire help COMMAND" prints the most used part of it on one screen.`),
    '.SH COMMANDS',
    ...commands.flatMap((command) => commandLines(command, isShared)),
    '.SH OPTIONS OF ALL COMMANDS',
    ...[...help.options, helpOption].flatMap(optionLines),
    '.SH OPTIONS OF SEVERAL COMMANDS',
    ...[...shared.values()].flatMap(optionLines),
    '.SH EXIT STATUS',
    ...sectionOf('Exit codes').flatMap(({ lines }) => bodyLines(lines)),
    '.SH ENVIRONMENT',
    ...sectionOf('Environment').flatMap(({ lines }) => bodyLines(lines)),
    '.SH EXAMPLES',
    ...sectionOf('Examples').flatMap(({ lines }) => literal(lines.map((line) => line.trim()))),
  ].join('\n')}\n`;
}

/** @type {HelpOption} */
const helpOption = {
  flags: '-h, --help [--all] [--json]',
  description: 'Print help: on one screen, all of it, or as data',
  rare: false,
  required: false,
};

/** A command and the commands below it. A group without an own action has only theirs. @param {CommandHelp} command @returns {CommandHelp[]} */
function withCommands(command) {
  return [command, ...command.commands.flatMap(withCommands)];
}

/** @param {HelpOption} option */
const keyOf = ({ flags, description }) => `${flags}\n${description}`;

/** @param {CommandHelp} command @param {(option: HelpOption) => boolean} isShared */
function commandLines(command, isShared) {
  const own = command.options.filter((option) => !isShared(option));
  const others = command.options.filter(isShared).map(({ flags }) => longName(flags));
  return [
    `.SS "${quoted(command.name)}"`,
    roff(sentence(command.summary)),
    ...literal([command.usage]),
    ...own.flatMap(optionLines),
    ...(others.length === 0 ? [] : paragraph(`Options explained below: ${others.join(', ')}.`)),
    ...command.sections.flatMap(({ heading, lines }) => {
      if (heading === 'Examples') return ['.PP', '\\fBExamples:\\fR', ...literal(lines.map((line) => line.trim()))];
      return [...(heading === '' ? ['.PP'] : ['.PP', `\\fB${roff(heading)}:\\fR`, '.br']), ...bodyLines(lines)];
    }),
  ];
}

/** "--agent" of "-a, --agent <id>". @param {string} flags */
function longName(flags) {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** @param {HelpOption} option */
function optionLines({ flags, description, choices, required }) {
  const facts = [...(required ? ['required'] : []), ...(choices === undefined ? [] : [choices.join(', ')])];
  const text = facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
  return ['.TP', `\\fB${roff(flags)}\\fR`, roff(sentence(text))];
}

/** Prose is filled by the formatter; rows of a table become a list of terms. @param {readonly string[]} lines */
function bodyLines(lines) {
  let inTable = false;
  return lines.flatMap((line) => {
    const [, term, text] = /^ +(\S+(?: \S+)*) {2,}(\S.*)$/.exec(line) ?? [];
    if (term !== undefined && text !== undefined) {
      inTable = true;
      return ['.TP', `\\fB${roff(term)}\\fR`, roff(text)];
    }
    const prose = roff(line.trim());
    if (!inTable) return [prose];
    inTable = false;
    return ['.PP', prose];
  });
}

/** Lines to copy: the formatter does not fill them. @param {readonly string[]} lines */
function literal(lines) {
  return ['.PP', '.nf', '.RS 4', ...lines.map(roff), '.RE', '.fi'];
}

/** @param {string} text */
function paragraph(text) {
  return ['.PP', roff(text)];
}

/** @param {string} text */
function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Text of one line without a meaning for the formatter. "\-" is a hyphen that can be copied. @param {string} text */
function roff(text) {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replaceAll('`', '\\(ga');
  const ascii = escaped.replaceAll(/[^\n -~]/g, (character) => `\\[u${codeOf(character)}]`);
  return ascii.replace(/^\./, '\\&.');
}

/** Text inside the quotes of a macro. @param {string} text */
function quoted(text) {
  return roff(text).replaceAll('"', '\\(dq');
}

/** @param {string} character */
function codeOf(character) {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
