/**
 * `skillwire connect`: tells a host about an MCP server with skills. Prints what belongs into which file; writes it only with
 * `--write`, after a look at the difference and a copy of the old file. No secret is ever written: variables are named.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type ClientConfig,
  type ClientId,
  type ClientPlace,
  type ClientScope,
  clientConfig,
  clientFilePath,
  clientFiles,
  clientIds,
  clientTitle,
  ownKeys,
} from '../../agents/client-config.ts';
import { type ClientEdit, editClientText } from '../../agents/client-edit.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { textDiff } from '../../host/approve/text-diff.ts';
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type ClientFileOnDisk, readClientFile, writeClientFile } from '../client-file.ts';
import { type ConnectServerOptions, connectServer } from '../connect-server.ts';
import { addSecretOptions, configOption, trustOption } from '../options/connection-options.ts';
import { hunksText } from '../render/change-text.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { tableText, tableWidth } from '../render/table.ts';

interface ConnectOptions extends GlobalOptions, ConnectServerOptions {
  readonly print?: boolean;
  readonly write?: boolean;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly global?: boolean;
  readonly project?: boolean;
}

const help = `
HOST is one of ${clientIds.slice(0, 6).join(', ')},
${clientIds.slice(6).join(', ')}; without HOST they are listed.
With --url the host connects to a server that runs. Else it starts "skillwire serve --stdio" itself, with the ORIGINs
that are given or with those of skillwire.json.

Nothing is written without --write. It shows what changes, copies the old file to FILE.before-skillwire, and leaves
comments and everything else in the file as they are. Secrets are never written: --token-env and --header name
variables, which the host reads from its environment; a host that cannot is refused.

Exit codes:
  0 done, 2 could not run, the host cannot be told this, or its file cannot be changed without harm

Examples:
  skillwire connect
  skillwire connect claude-code ./skills
  skillwire connect cursor --url https://skills.example.com/mcp --token-env SKILLS_TOKEN --write
  skillwire connect codex ./skills --global --write --dry-run`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addSecretOptions(
    command
      .usage('[HOST [ORIGIN...]] [options]')
      .argument('[host]', 'which program is told')
      .argument('[origin...]', 'what it shall serve, where the host starts the server')
      .option('--url <url>', 'the address of a server that runs')
      .option('--name <name>', 'how the host calls the server (default: skills)')
      .addOption(configOption())
      .addOption(trustOption())
      .addOption(new Option('--global', "the user's own file, for all projects").conflicts('project'))
      .option('--project', 'the file of this project (default where the host has one)')
      .addOption(new Option('--print', 'print what belongs into the file (default)').conflicts(['write', 'dryRun']))
      .option('--write', 'change the file')
      .option('--dry-run', 'with --write: only show what would change')
      .option('--replace', 'change a server of this name that is there already'),
  )
    .addHelpText('after', help)
    .action(async (host: string | undefined, origins: readonly string[], _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ConnectOptions>();
      finish(await (host === undefined ? listHosts(options, cli) : connect(host, origins, options, cli)));
    });
}

async function connect(host: string, origins: readonly string[], options: ConnectOptions, cli: Cli): Promise<ExitCode> {
  const id = clientIds.find((known) => known === host);
  if (id === undefined) throw unknownHost(host);
  if ((options.dryRun === true || options.replace === true) && options.write !== true)
    throw usageError('--dry-run and --replace belong to --write; add it, or leave them out');
  const wanted: ClientScope | undefined =
    options.global === true ? 'user' : options.project === true ? 'project' : undefined;
  const paths = clientFiles(id, { scope: wanted, platform: process.platform });
  const scope: ClientScope = /^[~%]/.test(paths[0]) ? 'user' : 'project';
  const server = await connectServer(origins, options, scope, cli);
  const config = clientConfig(id, server, { scope, platform: process.platform });
  if (options.write !== true) return printConfig(id, scope, config, options, cli);
  const [first, ...others] = paths.map((file) => clientFilePath(id, file, placeOf(cli)));
  const file = await readClientFile([first ?? config.file, ...others]);
  const replace = options.replace === true;
  const edit = editClientText(file.text, config, { file: shownPath(cli.cwd, file.path), own: ownKeys(id), replace });
  return write({ id, scope, config, file, edit }, options, cli);
}

function printConfig(
  id: ClientId,
  scope: ClientScope,
  config: ClientConfig,
  options: ConnectOptions,
  cli: Cli,
): ExitCode {
  if (options.json === true) {
    writeJson(cli, { version: 1, ...configJson(id, scope, config), change: 'none' });
    return exitCodes.ok;
  }
  cli.stdout.write(displayText(config.text, { multiline: true }));
  const { command, link, file } = config;
  const lines = [
    `\nfor ${clientTitle(id)}: put this into ${file}, or run this with --write`,
    ...(command === undefined ? [] : [`or run: ${command}`]),
    ...(link === undefined ? [] : [`or open: ${link}`]),
    ...remarks(config, cli),
  ];
  cli.stderr.write(`${lines.map((line) => displayText(line, { multiline: true })).join('\n')}\n`);
  return exitCodes.ok;
}

interface PlannedWrite {
  readonly id: ClientId;
  readonly scope: ClientScope;
  readonly config: ClientConfig;
  readonly file: ClientFileOnDisk;
  readonly edit: ClientEdit;
}

async function write(
  { id, scope, config, file, edit }: PlannedWrite,
  options: ConnectOptions,
  cli: Cli,
): Promise<ExitCode> {
  const dry = options.dryRun === true || edit.change === 'unchanged';
  const shown = displayText(shownPath(cli.cwd, file.path));
  const colors = colorsFor(cli.stderr, cli, options);
  if (options.json !== true && edit.change !== 'unchanged') cli.stderr.write(diffText(shown, file, edit, colors));
  const backup = dry ? undefined : await writeClientFile(file, edit.text);
  if (options.json === true) {
    const change = edit.change === 'unchanged' ? 'unchanged' : dry ? `would-be-${edit.change}` : edit.change;
    const written = { path: file.path, change, backup };
    writeJson(cli, { version: 1, ...configJson(id, scope, config), ...written });
    return exitCodes.ok;
  }
  const title = clientTitle(id);
  const said =
    edit.change === 'unchanged'
      ? `${title} knows the server already: "${config.name}" in ${shown}`
      : dry
        ? `nothing was written; without --dry-run ${shown} is changed like this`
        : `${title} knows the server: "${config.name}" in ${shown}; start it again to see the skills`;
  const copy = backup === undefined ? [] : [`the old file is kept as ${displayText(shownPath(cli.cwd, backup))}`];
  cli.stderr.write(`${[said, ...copy, ...remarks(config, cli).map((line) => displayText(line))].join('\n')}\n`);
  return exitCodes.ok;
}

function diffText(shown: string, file: ClientFileOnDisk, { text }: ClientEdit, colors: Colors): string {
  const head = `${colors.bold(`--- ${file.exists ? shown : '/dev/null'}`)}\n${colors.bold(`+++ ${shown}`)}\n`;
  return `${head}${hunksText(textDiff(file.text, text), colors)}`;
}

/** What a person has to do besides. */
function remarks({ variables, notes, entry }: ClientConfig, { env }: Cli): readonly string[] {
  const missing = variables.filter((name) => (env[name] ?? '') === '');
  const relative = Array.isArray(entry.args) && entry.args.some((word) => word.startsWith('./') || word === '.');
  return [
    ...(variables.length === 0
      ? []
      : [`${variables.join(', ')} must be set where the host runs; no value is in the file`]),
    ...missing.map((name) => `${name} is not set here`),
    ...notes,
    ...(relative ? ['paths are relative to the project, where the host has to be started'] : []),
  ];
}

function configJson(id: ClientId, scope: ClientScope, config: ClientConfig): object {
  const { file, language, text, name, entry, variables, notes, command, link } = config;
  const facts = { host: id, title: clientTitle(id), scope, file, language, name, entry, text, variables, notes };
  return { ...facts, command, link };
}

function listHosts(options: ConnectOptions, cli: Cli): ExitCode {
  const place = placeOf(cli);
  const rows = clientIds.map((id) => {
    const [user] = clientFiles(id, { scope: 'user', platform: process.platform });
    const [usual] = clientFiles(id, { platform: process.platform });
    const path = clientFilePath(id, user, place);
    const found = existsSync(path) || (dirname(path) !== place.home && existsSync(dirname(path)));
    return { id, title: clientTitle(id), found, files: [...new Set([usual, user])] };
  });
  if (options.json === true) writeJson(cli, { version: 1, hosts: rows });
  else {
    const colors = colorsFor(cli.stdout, cli, options);
    const columns = [
      { title: 'HOST', text: ({ id }: (typeof rows)[number]) => id, style: () => colors.bold },
      { title: 'NAME', text: ({ title }: (typeof rows)[number]) => title },
      { title: 'FOUND', text: ({ found }: (typeof rows)[number]) => (found ? 'yes' : '-') },
      { title: 'FILES', rest: true, text: ({ files }: (typeof rows)[number]) => files.join(', ') },
    ];
    cli.stdout.write(tableText(rows, columns, { width: tableWidth(cli.stdout), colors }));
  }
  return exitCodes.ok;
}

function placeOf({ cwd, env }: Cli): ClientPlace {
  return { home: homedir(), project: cwd, env };
}

function unknownHost(host: string): SkillwireError {
  return usageError(`"${host}" is no host that is known; choose one of ${clientIds.join(', ')}`, { host });
}
