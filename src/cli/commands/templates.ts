/**
 * `skillwire templates`: finds skills that a server serves but does not list. Lists the templates, completes their variables with the values
 * that the server offers, and prints the URI of the skill. Values go to stdout one per line, for shell completion. The server's values are
 * suggestions; any value may be tried.
 */ import type { Command } from 'commander';
import {
  chosenVariables,
  type ParsedSkillTemplate,
  skillUriOfTemplate,
} from '../../dialects/resource-templates/skill-templates.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { McpServerSource } from '../../sources/mcp-server/connection-source.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { howVerified } from '../decisions/skill-state.ts';
import { withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp } from '../options/connection-options.ts';
import { originContext } from '../origins/origin-context.ts';
import { startProgress } from '../progress.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, tableText, tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';

interface TemplatesOptions extends GlobalOptions, ConnectionOptions {
  readonly complete?: string;
  readonly pick?: boolean;
}

const help = `
${originHelp}
TEMPLATE is the text of a template, its name, or its number in the list. It is optional if there is only one.
NAME=VALUE sets a variable. Prints the values that the server offers for the first unset variable; --complete
NAME=BEGINNING selects another one, or values that begin so. If all are set, prints the URI of the skill.

Exit codes:
  0 printed, 2 failed, no such template or no such skill, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire templates mcp:https://skills.example.com/mcp
  skillwire templates docs 1 owner=acme
  skillwire templates docs 1 owner=acme repo=handbook skill_name=onboarding
  skillwire templates docs --pick`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN [TEMPLATE] [NAME=VALUE...] [options]')
      .argument('<origin>', 'MCP server')
      .argument('[template-and-values...]', 'Template and values of its variables')
      .option('--complete <name[=beginning]>', 'Print the values that the server offers for a variable')
      .option('--pick', 'Ask for each value at the terminal'),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, templates));
}

interface Job {
  readonly source: McpServerSource;
  readonly options: TemplatesOptions;
  readonly cli: Cli;
  readonly label: string;
  readonly signal: AbortSignal;
}

function templates(named: string, words: readonly string[], options: TemplatesOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ resolve, signal }) => {
    const [origin] = await resolve([named]);
    if (origin === undefined) throw new TypeError(`no origin "${named}"`);
    const { serverOptions } = await import('../../origins/open-origin.ts');
    const server = await serverOptions(origin, originContext(options, cli));
    if (server === undefined)
      throw usageError(`"${origin.label}" is not an MCP server. Only MCP servers have templates.`);
    const { locatedServer } = await import('../../origins/mcp-server-source.ts');
    const source = locatedServer(server);
    const progress = startProgress(cli, `Contacting ${origin.label}`);
    try {
      const found = await source.skillTemplates({ signal }).finally(() => progress.stop());
      const job: Job = { source, options, cli, label: origin.label, signal };
      const usesOne = words.length > 0 || options.complete !== undefined || options.pick === true;
      return usesOne ? await useTemplate(job, found, words) : listTemplates(job, found);
    } finally {
      await source.close();
    }
  });
}

type Row = ParsedSkillTemplate & { readonly number: number };

const columns: readonly Column<Row>[] = [
  { title: '', right: true, text: ({ number }) => String(number) },
  { title: 'TEMPLATE', text: ({ template }) => template.text, style: (_, colors) => colors.bold },
  { title: 'VARIABLES', text: (row) => chosenVariables(row).join(', ') },
  { title: 'DESCRIPTION', rest: true, text: ({ description, title, name }) => description ?? title ?? name ?? '' },
];

function listTemplates({ options, cli, label }: Job, found: readonly ParsedSkillTemplate[]): ExitCode {
  if (options.json === true) {
    writeJson(cli, { version: 1, origin: label, templates: found.map(templateJson) });
    return exitCodes.ok;
  }
  const colors = colorsFor(cli.stdout, cli, options);
  const rows = found.map((template, index) => ({ ...template, number: index + 1 }));
  cli.stdout.write(tableText(rows, columns, { width: tableWidth(cli.stdout), colors }));
  cli.stderr.write(`${counted(found.length, 'template')} at ${displayText(label)}\n`);
  return exitCodes.ok;
}

function templateJson(template: ParsedSkillTemplate): object {
  const { name, title, description, goal } = template;
  return { template: template.template.text, goal, variables: chosenVariables(template), name, title, description };
}

async function useTemplate(
  job: Job,
  found: readonly ParsedSkillTemplate[],
  words: readonly string[],
): Promise<ExitCode> {
  const { template, rest } = chooseTemplate(found, words);
  const variables = chosenVariables(template);
  const values = parseValues(rest, variables);
  const { complete, pick } = job.options;
  if (complete !== undefined) {
    const [name = '', ...beginning] = complete.split('=');
    if (!variables.includes(name))
      throw usageError(`--complete "${name}" is not a variable. Use one of ${variables.join(', ')}.`);
    return printValues(job, template, name, beginning.join('='), values);
  }
  const picked = pick === true ? await pickValues(job, template, values) : values;
  const open = variables.find((name) => picked[name] === undefined);
  return open === undefined ? printSkill(job, template, picked) : printValues(job, template, open, '', picked);
}

async function printValues(
  { source, options, cli, signal }: Job,
  { template }: ParsedSkillTemplate,
  variable: string,
  typed: string,
  values: Values,
): Promise<ExitCode> {
  const chosen = Object.fromEntries(Object.entries(values).filter(([name]) => name !== variable));
  const answer = await source.complete({ template: template.text, variable, typed, chosen }, { signal });
  if (options.json === true) {
    const said = answer ?? { values: [], hasMore: false };
    writeJson(cli, { version: 1, template: template.text, variable, completes: answer !== undefined, ...said });
    return exitCodes.ok;
  }
  for (const value of answer?.values ?? []) cli.stdout.write(`${displayText(value)}\n`);
  const known =
    answer === undefined
      ? 'the server offers no values'
      : `${counted(answer.values.length, 'value')}${answer.hasMore ? ' and more' : ''}`;
  cli.stderr.write(`${displayText(variable)}: ${known}. Set it with ${displayText(variable)}=VALUE.\n`);
  return exitCodes.ok;
}

/** Asks for each unset variable, with the values that the server offers. */
async function pickValues({ source, cli, signal }: Job, found: ParsedSkillTemplate, values: Values): Promise<Values> {
  const { ask } = cli;
  if (ask === undefined) throw usageError('--pick needs a terminal. Use NAME=VALUE instead.');
  const picked: Record<string, string> = { ...values };
  for (const variable of chosenVariables(found)) {
    if (picked[variable] !== undefined) continue;
    const question = { template: found.template.text, variable, typed: '', chosen: { ...picked } };
    const offered = (await source.complete(question, { signal }))?.values ?? [];
    const shown = offered.slice(0, limits.cli.offeredValues).map((value) => `  ${displayText(value)}\n`);
    cli.stderr.write(shown.join(''));
    const value = (await ask(`${displayText(variable)}? `, signal)).trim();
    if (value === '') throw usageError(`No value for ${quoteText(variable)}.`);
    picked[variable] = value;
  }
  return picked;
}

async function printSkill(
  { source, options, cli, label, signal }: Job,
  found: ParsedSkillTemplate,
  values: Values,
): Promise<ExitCode> {
  const uri = skillUriOfTemplate(found, values);
  const skill = await source.get(uri, { signal });
  if (skill === undefined)
    throw new SkillwireError('SKILL_NOT_FOUND', `No skill at ${quoteText(uri)}. Try other values.`, {
      data: { uri, origin: label },
    });
  const { name, description } = skill.entry.frontmatter;
  const verified = howVerified(skill);
  if (options.json === true) writeJson(cli, { version: 1, origin: label, uri, name, description, verified });
  else {
    cli.stdout.write(`${displayText(uri)}\n`);
    cli.stderr.write(`${displayText(name)}: ${displayText(description)} (verified: ${verified})\n`);
  }
  return exitCodes.ok;
}

type Values = Readonly<Record<string, string>>;

/** The named template, and the remaining words. @throws SkillwireError USAGE */
function chooseTemplate(
  found: readonly ParsedSkillTemplate[],
  words: readonly string[],
): { readonly template: ParsedSkillTemplate; readonly rest: readonly string[] } {
  const [first, ...rest] = words;
  if (found.length === 0) throw usageError('The server has no templates. List its skills with "skillwire list".');
  if (first === undefined || isValue(first)) {
    const [template] = found;
    if (template !== undefined && found.length === 1) return { template, rest: words };
    throw usageError(`The server has ${found.length} templates. Name one by its text, name or number.`);
  }
  const byNumber = /^\d{1,4}$/.test(first) ? found[Number(first) - 1] : undefined;
  const fitting = found.filter(({ template, name }) => template.text === first || name === first);
  const [template, ...others] = byNumber === undefined ? fitting : [byNumber];
  if (template === undefined)
    throw usageError(`No template ${quoteText(first)}. Run this without a template to list them.`);
  if (others.length > 0)
    throw usageError(`${fitting.length} templates are named ${quoteText(first)}. Name one by its number.`);
  return { template, rest };
}

/** @throws SkillwireError USAGE if a word is not a value of one of the variables */
function parseValues(words: readonly string[], variables: readonly string[]): Values {
  const values: Record<string, string> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    const name = word.slice(0, equals);
    if (!isValue(word)) throw usageError(`${quoteText(word)} is not NAME=VALUE.`);
    if (!variables.includes(name))
      throw usageError(`${quoteText(name)} is not a variable. Use one of ${variables.join(', ')}.`);
    if (values[name] !== undefined) throw usageError(`${quoteText(name)} is given twice. Remove one.`);
    values[name] = word.slice(equals + 1);
  }
  return values;
}

function isValue(word: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*=./s.test(word);
}
