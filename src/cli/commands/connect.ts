/**
 * `skillwire connect`: adds an MCP server with skills to a client. Prints the configuration; writes it only with `--write`, after a diff and
 * a backup of the old file. Secrets are never written: the configuration names variables.
 */
import { homedir } from 'node:os';
import { type Command, Option } from 'commander';
import {
  type ClientConfig,
  type ClientFolders,
  type ClientId,
  type ClientScope,
  clientConfig,
  clientFilePath,
  clientFiles,
  clientIds,
  clientTitle,
  ownKeys,
} from '../../agents/client-config.ts';
import { type ClientEdit, editClientText } from '../../agents/client-edit.ts';
import { type ExitCode, exitCodes, type SkillwireError } from '../../errors.ts';
import { textDiff } from '../../host/approve/text-diff.ts';
import { shownPath } from '../../node/shown-path.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type ClientFileOnDisk, readClientFile, writeClientFile } from '../client-file.ts';
import { type ConnectServerOptions, connectServer } from '../connect-server.ts';
import { isClientFound } from '../found-agents.ts';
import { addConfigOptions, addSecretOptions } from '../options/connection-options.ts';
import { hunksText } from '../render/change-text.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';

interface ConnectOptions extends GlobalOptions, ConnectServerOptions {
  readonly print?: boolean;
  readonly write?: boolean;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly global?: boolean;
  readonly project?: boolean;
}

const help = `
CLIENT is one of ${clientIds.slice(0, 6).join(', ')},
${clientIds.slice(6).join(', ')}. Without CLIENT they are listed.

With --url the client connects to a running server. Else it starts "skillwire serve --stdio" with ORIGINs, or with the
origins of skillwire.json.

--write shows a diff, copies the old file to FILE.before-skillwire, and changes nothing else in the file, not even
comments. Secrets are never written: --token-env and --header name variables that the client reads from its environment.

Exit codes:
  0 done, 2 failed, not supported by the client, or its file cannot be changed safely

Examples:
  skillwire connect
  skillwire connect claude-code ./skills
  skillwire connect cursor --url https://skills.example.com/mcp --token-env SKILLWIRE_TOKEN --write
  skillwire connect codex ./skills --global --write --dry-run`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addSecretOptions(
    addConfigOptions(command)
      .usage('[CLIENT [ORIGIN...]] [options]')
      .argument('[client]', 'Client to configure')
      .argument('[origin...]', 'Origins to serve, if the client starts the server')
      .option('--url <url>', 'Address of a running server')
      .option('--client-id <id>', 'Client id for the login of the client, with --url')
      .option('--name <name>', 'Name of the server in the client (default: skills)')
      .addOption(new Option('--global', 'Your own file, for all projects').conflicts('project'))
      .option('--project', 'The file of this project (default if the client has one)')
      .addOption(new Option('--print', 'Print the configuration (default)').conflicts(['write', 'dryRun']))
      .option('--write', 'Write the file')
      .option('--dry-run', 'With --write: only show what would change')
      .option('--replace', 'Replace an existing server of this name'),
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
    throw usageError('--dry-run and --replace need --write. Add it.');
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
    `\nFor ${clientTitle(id)}: add this to ${file}, or use --write.`,
    ...(command === undefined ? [] : [`Or run: ${command}`]),
    ...(link === undefined ? [] : [`Or open: ${link}`]),
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
      ? `"${config.name}" is already in ${shown}.`
      : dry
        ? `Dry run: ${shown} was not changed.`
        : `Added "${config.name}" to ${shown}. Restart ${title}.`;
  const copy = backup === undefined ? [] : [`Backup of the old file: ${displayText(shownPath(cli.cwd, backup))}`];
  cli.stderr.write(`${[said, ...copy, ...remarks(config, cli).map((line) => displayText(line))].join('\n')}\n`);
  return exitCodes.ok;
}

function diffText(shown: string, file: ClientFileOnDisk, { text }: ClientEdit, colors: Colors): string {
  const head = `${colors.bold(`--- ${file.exists ? shown : '/dev/null'}`)}\n${colors.bold(`+++ ${shown}`)}\n`;
  return `${head}${hunksText(textDiff(file.text, text), colors)}`;
}

/** Further steps for the person. */
function remarks({ variables, notes, entry }: ClientConfig, { env }: Cli): readonly string[] {
  const missing = variables.filter((name) => (env[name] ?? '') === '');
  const relative = Array.isArray(entry.args) && entry.args.some((word) => word.startsWith('./') || word === '.');
  return [
    ...(variables.length === 0
      ? []
      : [`Set ${variables.join(', ')} in the environment of the client. The file contains no values.`]),
    ...missing.map((name) => `${name} is not set here.`),
    ...notes,
    ...(relative ? ['Paths are relative to the project. Start the client there.'] : []),
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
    const found = isClientFound(id, place, process.platform);
    return { id, title: clientTitle(id), found, files: [...new Set([usual, user])] };
  });
  if (options.json === true) writeJson(cli, { version: 1, hosts: rows });
  else {
    const columns: readonly Column<(typeof rows)[number]>[] = [
      { title: 'CLIENT', text: ({ id }) => id, style: (_, colors) => colors.bold },
      { title: 'NAME', text: ({ title }) => title },
      { title: 'FOUND', text: ({ found }) => (found ? 'yes' : '-') },
      { title: 'FILES', rest: true, text: ({ files }) => files.join(', ') },
    ];
    writeTable(rows, columns, options, cli);
  }
  return exitCodes.ok;
}

function placeOf({ cwd, env }: Cli): ClientFolders {
  return { home: homedir(), project: cwd, env };
}

function unknownHost(host: string): SkillwireError {
  return usageError(`Unknown client "${host}".${didYouMean(host, clientIds)} Use one of ${clientIds.join(', ')}.`, {
    host,
  });
}
