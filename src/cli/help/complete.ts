/**
 * Completes a command line: commands, options, and values that are known without contacting anybody. Values with characters that a shell
 * could misread are left out. A failure is no completion, never a message in the middle of typing.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { findConfiguration } from '../../node/find-configuration.ts';
import { pathInside } from '../../node/shown-path.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import type { Cli } from '../cli.ts';

interface Completions {
  /** Value and description. */
  readonly values: readonly (readonly [value: string, about: string])[];
  /** True if a file name makes sense here too. */
  readonly files: boolean;
}

const nothing: Completions = { values: [], files: false };
const onlyFiles: Completions = { values: [], files: true };

/** @param words those after "skillwire"; the last one is being typed, and may be empty */
export async function complete(program: Command, words: readonly string[], cli: Cli): Promise<Completions> {
  const current = words.at(-1) ?? '';
  const found = await candidates(program, words.slice(0, -1), current, cli);
  const fitting = found.values.filter(([value]) => value.startsWith(current) && isPlain(value));
  return { values: fitting, files: found.files };
}

/** As the scripts of the shells read it. */
export function completionText({ values, files }: Completions): string {
  const lines = values.map(([value, about]) => `${value}\t${about.replaceAll(/\s+/g, ' ')}`);
  return `${[...lines, files ? ':0' : ':4'].join('\n')}\n`;
}

/** No character that a shell expands, splits or shows in another way. */
function isPlain(value: string): boolean {
  return /^[\w@%+=:,./~-]+$/.test(value);
}

async function candidates(
  program: Command,
  before: readonly string[],
  current: string,
  cli: Cli,
): Promise<Completions> {
  const { command, operands, pending } = walk(program, before);
  if (pending !== undefined) return valuesOfOption(pending, cli);
  if (current.startsWith('-')) return { values: optionsOf(command), files: false };
  if (command.commands.length > 0)
    return { values: command.commands.map((sub) => [sub.name(), sub.description()]), files: false };
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  const argument = known[operands.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? nothing : valuesOfArgument(argument, operands, cli);
}

interface Walk {
  readonly command: Command;
  readonly operands: readonly string[];
  /** The option whose value is being typed. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Walk {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-')) {
      const option = allOptions(command).find(({ long, short }) => long === word || short === word);
      pending = option !== undefined && (option.required || option.optional) ? option : undefined;
    } else {
      const sub = command.commands.find((one) => one.name() === word);
      if (sub === undefined) operands.push(word);
      else command = sub;
    }
  }
  return { command, operands, pending };
}

function allOptions(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : allOptions(command.parent))];
}

function optionsOf(command: Command): Completions['values'] {
  const own = allOptions(command).filter(({ hidden }) => !hidden);
  return [
    ...own.map(({ long, short, description }) => [long ?? short ?? '', description] as const),
    ['--help', 'Print help'],
  ];
}

async function valuesOfOption({ long, argChoices }: Option, cli: Cli): Promise<Completions> {
  if (argChoices !== undefined) return { values: argChoices.map((choice) => [choice, '']), files: false };
  if (long === '--agent') return { values: await agentValues(), files: false };
  if (long === '--label' || long === '--origin') return { values: await labelValues(cli), files: false };
  if (long?.endsWith('-env') === true)
    return { values: Object.keys(cli.env).map((name) => [name, 'environment variable']), files: false };
  return onlyFiles;
}

async function valuesOfArgument(argument: Argument, operands: readonly string[], cli: Cli): Promise<Completions> {
  if (argument.argChoices !== undefined)
    return { values: argument.argChoices.map((choice) => [choice, '']), files: false };
  switch (argument.name()) {
    case 'client': {
      const { clientIds, clientTitle } = await import('../../agents/client-config.ts');
      return { values: clientIds.map((id) => [id, clientTitle(id)]), files: false };
    }
    case 'origin':
    case 'label':
      return { values: await labelValues(cli), files: argument.name() === 'origin' };
    case 'skill':
    case 'skills':
      return { values: await skillValues(operands[0], cli), files: false };
    default:
      return onlyFiles;
  }
}

async function agentValues(): Promise<Completions['values']> {
  const { knownAgents } = await import('../../agents/agent-table.ts');
  return knownAgents().map(({ id, name }) => [id, name]);
}

function placeOf({ cwd, env }: Cli): Parameters<typeof findConfiguration>[0] {
  return { cwd, env, home: homedir(), platform: process.platform };
}

/** Labels of the configuration and of `origins add`. */
async function labelValues(cli: Cli): Promise<Completions['values']> {
  const found = await findConfiguration(placeOf(cli)).catch(() => undefined);
  const own = found?.configuration.origins.map(({ label }) => [label, 'skillwire.json'] as const) ?? [];
  return [...own, ...(await addedValues(cli))];
}

/** Nothing is created: without a state there is no added origin. */
async function addedValues(cli: Cli): Promise<Completions['values']> {
  const { existsSync } = await import('node:fs');
  const { state } = stateFolders(placeOf(cli));
  if (!existsSync(state)) return [];
  const { withState } = await import('../origins/origin-context.ts');
  const { addedLabels } = await import('../../origins/added-origins.ts');
  const labels = await withState({ shared: 'none' }, { ...cli, stderr: { write: () => {} } }, (store) =>
    addedLabels(store.state),
  );
  return labels.map((label) => [label, 'added origin']);
}

/** Skills of a local folder, or of a label that names one beside its file; without an origin, installed ones. */
async function skillValues(origin: string | undefined, cli: Cli): Promise<Completions['values']> {
  if (origin === undefined) return installedValues(cli);
  const found = await findConfiguration(placeOf(cli)).catch(() => undefined);
  const configured = found?.configuration.origins.find(({ label }) => label === origin);
  const isFolder = configured !== undefined && 'folder' in configured;
  const base = found === undefined || !isFolder ? cli.cwd : resolve(found.file, '..');
  const folder = resolve(base, isFolder ? configured.folder : origin);
  const isOutside = isFolder && pathInside(base, folder) === undefined;
  const { existsSync } = await import('node:fs');
  if (isOutside || !existsSync(folder)) return [];
  const { directorySource } = await import('../../sources/directory/directory-source.ts');
  const source = directorySource([{ path: folder }], { watch: false });
  try {
    const { skills } = await source.report();
    return skills.map(({ skill }) => {
      const { name, description } = skill.entry.frontmatter;
      return [String(name), String(description).slice(0, 80)];
    });
  } finally {
    await source.close?.();
  }
}

async function installedValues(cli: Cli): Promise<Completions['values']> {
  const { placeFor } = await import('../options/install-options.ts');
  const { readLock } = await import('../../sync/install-lock.ts');
  const { nodeSyncDisk } = await import('../../sync/sync-disk.ts');
  const { lock } = await readLock(nodeSyncDisk, await placeFor({}, { ...cli, stderr: { write: () => {} } }));
  return Object.keys(lock.skills).map((name) => [name, 'installed']);
}
