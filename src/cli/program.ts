/**
 * The program: commands, global options and exit codes. Only the module of the used command is loaded, so `--version` and `--help`
 * start fast. Wrong usage exits with 2, never with commander's 1, which means findings here.
 */

import { type Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../errors.ts';
import type { Cli, CommandEntry } from './cli.ts';
import { helpData } from './help/help-data.ts';
import { groups, rare, rareOption } from './help/option-groups.ts';
import { ProgramCommand } from './help/program-command.ts';
import { jsonText } from './render/json-text.ts';
import { wantsJson } from './render/wants-json.ts';

/** Groups and commands in the order of the help. */
const commands: readonly CommandEntry[] = [
  // The six most used verbs.
  ...group('Commands:', {
    serve: ['Serve skills over HTTP or stdio', () => import('./commands/serve.ts')],
    add: ['Install skills for agents and pin them in skillwire.lock', () => import('./commands/add.ts')],
    update: ['Update installed skills to what their origins serve now', () => import('./commands/update.ts')],
    list: ['List the skills of folders, MCP servers, sites and live programs', () => import('./commands/list.ts')],
    validate: ['Check folders of skills and show what would be published', () => import('./commands/validate.ts')],
    verify: [
      'Read every file an origin serves and report what fails verification',
      () => import('./commands/verify.ts'),
    ],
  }),
  ...group('Installing:', {
    install: ['Install exactly what skillwire.lock pins', () => import('./commands/install.ts')],
    remove: ['Remove installed skills', () => import('./commands/remove.ts')],
    ls: ['List installed skills and local edits', () => import('./commands/ls.ts')],
  }),
  ...group('Finding:', {
    search: ['Search skills by a few words about the task', () => import('./commands/search.ts')],
    show: ['Show the files, requests and approval of one skill', () => import('./commands/show.ts')],
    read: ['Print one verified file of a skill', () => import('./commands/read.ts')],
  }),
  ...group('Publishing:', {
    pack: ['Pack one skill into a reproducible archive', () => import('./commands/pack.ts')],
    build: ['Build a static site of skills for any web server or CDN', () => import('./commands/build.ts')],
    keygen: ['Make a key that signs skills', () => import('./commands/keygen.ts')],
    sign: ['Sign the published files of skills', () => import('./commands/sign.ts')],
  }),
  ...group('Trust:', {
    trust: [
      'Let a skillwire.json or lock file that came with a folder act for you',
      () => import('./commands/trust.ts'),
    ],
    review: ['Decide about waiting skills, one at a time', () => import('./commands/review.ts')],
    approve: ["Approve a skill's current content, or all that waits", () => import('./commands/approve.ts')],
    diff: ['Compare a skill with its approved or installed version', () => import('./commands/diff.ts')],
    revoke: ['Revoke an approval', () => import('./commands/revoke.ts')],
    approvals: ['List approvals', () => import('./commands/approvals.ts')],
    enable: ['Show an origin or a skill to models again', () => import('./commands/enable.ts')],
    disable: ['Hide an origin or a skill from models', () => import('./commands/enable.ts')],
    audit: ['Print who decided what, when and why', () => import('./commands/audit.ts')],
    waiting: ['List skills waiting for approval', () => import('./commands/waiting.ts')],
    deny: ['Deny skills by digest, origin or pattern', () => import('./commands/deny.ts')],
    token: ['Manage access tokens of a server', () => import('./commands/token.ts')],
  }),
  ...group('Live skills:', {
    runtimes: ['List live programs connected to a hub', () => import('./commands/runtimes.ts')],
    expose: ['Expose Markdown files or a module as live skills', () => import('./commands/expose.ts')],
    pin: ["Pin a live skill's current content, with digests and an expiry", () => import('./commands/pin.ts')],
    unpin: ['Unpin a live skill', () => import('./commands/unpin.ts')],
  }),
  ...group('Origins and state:', {
    templates: ['List and complete templates of unlisted skills', () => import('./commands/templates.ts')],
    status: ['Show the health of a running server and its origins', () => import('./commands/status.ts')],
    config: ['Check a configuration without serving it', () => import('./commands/config.ts')],
    origins: ['Add, remove and list origins', () => import('./commands/origins.ts')],
    login: ['Log in to an MCP server or a site', () => import('./commands/login.ts')],
    logout: ['End logins and delete their tokens', () => import('./commands/logout.ts')],
    whoami: ['List your logins', () => import('./commands/whoami.ts')],
    cache: ['Manage the cache', () => import('./commands/cache.ts')],
    state: ['Back up, restore and check state', () => import('./commands/state.ts')],
  }),
  ...group('Setting up:', {
    init: ['Write a skillwire.json after three questions', () => import('./commands/init.ts')],
    new: ['Write a new skill', () => import('./commands/new.ts')],
    completion: ['Print the completion of a shell', () => import('./commands/completion.ts')],
    connect: ['Add a skills server to Claude Code, Cursor, VS Code and others', () => import('./commands/connect.ts')],
    doctor: [
      'Check agents, links, installed skills, origins and state; suggest fixes',
      () => import('./commands/doctor.ts'),
    ],
    'agent-help': ['Print a guide to these commands for a model', () => import('./commands/agent-help.ts')],
  }),
];

/** Former names of commands, which still work. Help does not list them. */
const formerNames: ReadonlyMap<string, string> = new Map([
  ['freeze', 'pin'],
  ['unfreeze', 'unpin'],
]);

function group(
  heading: string,
  rows: Readonly<Record<string, readonly [summary: string, load: CommandEntry['load']]>>,
): readonly CommandEntry[] {
  return Object.entries(rows).map(([name, [summary, load]]) => ({ name, summary, group: heading, load }));
}

/** Options of other programs for what is `--http` here. */
const listenOptions = /^unknown option '(?:-p|-H|--(?:port|host|hostname|listen|bind|address))(?:=.*)?'/;

const help = `
Examples:
  skillwire serve ./skills
  skillwire add owner/repo
  skillwire list mcp:http://127.0.0.1:4711/mcp
  skillwire help add

Exit codes:
  0 ok, 1 findings or changes, 2 wrong usage or failure, 3 not authorized, 4 unreachable, 5 not approved or refused,
  6 partial, 7 verification failed, 8 not everything checked, 9 unverifiable, 130 interrupted

Environment:
  NO_COLOR, FORCE_COLOR   Disable colors, or force them
  SKILLWIRE_HOME          Folder for your skillwire.json, state and cache
  SKILLWIRE_DEBUG=1       Print the stack of unexpected errors`;

const overview = `Serve, install and verify Agent Skills.

  skillwire serve ./skills      Serve a folder to every agent, with a page
  skillwire add owner/repo      Install skills for the agents on this machine
  skillwire list owner/repo     List skills of a repository, a site or a server
  skillwire init                Write a skillwire.json for a team
  skillwire doctor              Check agents, links and installed skills

Help: skillwire help, or skillwire help COMMAND
Skillwire sends no telemetry.
`;

/** Runs a command line (without node and script) and returns the exit code. @throws every error of the command */
export async function runProgram(typed: readonly string[], cli: Cli): Promise<ExitCode> {
  if (typed.length === 0) {
    cli.stdout.write(overview);
    return exitCodes.ok;
  }
  if (typed[0] === 'complete' && typed[1] === '--') return printCompletions(typed.slice(2), cli);
  const { argv, used, wantsHelp, all } = readRequest(typed);
  let exitCode: ExitCode = exitCodes.ok;
  let errorText = '';
  const program = createProgram(argv, all, cli).configureOutput({
    writeOut: (text) => cli.stdout.write(text),
    writeErr: (text) => {
      errorText += text;
    },
  });
  const known = commands.some(({ name }) => name === used);
  const helpAsJson = wantsHelp && wantsJson(argv);
  // All commands are needed only for help and for suggestions.
  const alone = argv[0] === used && known;
  const shown = alone ? commands.filter(({ name }) => name === used) : commands;
  const loaded = (name: string): boolean => name === used || (helpAsJson && used === undefined);
  await addCommands(program, shown, loaded, cli, (code) => {
    exitCode = code;
  });
  if (helpAsJson && (known || used === undefined)) {
    cli.stdout.write(`${jsonText(helpData(commandAt(program, argv)))}\n`);
    return exitCodes.ok;
  }
  try {
    // Commander prints the help of the program for an unknown command.
    await program.parseAsync(used === undefined || known ? argv : [used], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    throw usageError(error, used, errorText);
  }
  return exitCode;
}

function createProgram(argv: readonly string[], all: boolean, cli: Cli): ProgramCommand {
  const program = new ProgramCommand('skillwire', all)
    .description('Serve, install and verify Agent Skills.')
    .usage('<command> [options]')
    .optionsGroup(groups.common)
    .version(wantsJson(argv) ? jsonText({ version: cli.version }) : cli.version, '-V, --version', 'Print the version')
    .option('--json', 'Print data and errors as JSON')
    .addOption(rareOption('common', '--no-color', 'Disable colors'))
    .helpOption('-h, --help', 'Print help; with --all, all of it')
    .helpCommand('help [command]', 'Print help for a command')
    .addHelpText('after', help)
    .exitOverride();
  for (const option of program.options) if (option.long === '--version') rare(option);
  return program;
}

/** @param loaded whether a command gets its arguments and options, which loads its module */
async function addCommands(
  program: Command,
  entries: readonly CommandEntry[],
  loaded: (name: string) => boolean,
  cli: Cli,
  finish: (exitCode: ExitCode) => void,
): Promise<void> {
  for (const entry of entries) {
    const command = program.command(entry.name).description(entry.summary).helpGroup(entry.group);
    command.optionsGroup(groups.common);
    if (!loaded(entry.name)) continue;
    const { define } = await entry.load();
    define(command, cli, finish);
  }
}

/** For the scripts of `skillwire completion`. @param words the typed ones; the last one is not complete */
async function printCompletions(words: readonly string[], cli: Cli): Promise<ExitCode> {
  const used = words.slice(0, -1).find((word) => !word.startsWith('-'));
  const program = createProgram(words, false, cli);
  await addCommands(
    program,
    commands,
    (name) => name === used,
    cli,
    () => {},
  );
  const { complete, completionText } = await import('./help/complete.ts');
  const nothing = { values: [], files: true };
  cli.stdout.write(completionText(await complete(program, words, cli).catch(() => nothing)));
  return exitCodes.ok;
}

interface HelpRequest {
  /** The command line with current names; "help X" is "X --help". */
  readonly argv: readonly string[];
  /** The first argument that is not an option. Global options take no values. */
  readonly used: string | undefined;
  readonly wantsHelp: boolean;
  readonly all: boolean;
}

function readRequest(typed: readonly string[]): HelpRequest {
  const end = typed.indexOf('--');
  const options = end === -1 ? typed : typed.slice(0, end);
  const first = typed.findIndex((word) => !word.startsWith('-'));
  const named = typed[first] === 'help' ? [...typed.slice(0, first), ...typed.slice(first + 1), '--help'] : typed;
  const argv = withCurrentName(named);
  const wantsHelp = named !== typed || options.includes('--help') || options.includes('-h');
  return {
    argv,
    used: argv.find((word) => !word.startsWith('-')),
    wantsHelp,
    all: wantsHelp && options.includes('--all'),
  };
}

/** The command that the words name, for example that of "origins add". */
function commandAt(program: Command, argv: readonly string[]): Command {
  let found = program;
  for (const word of argv.filter((one) => !one.startsWith('-')))
    found = found.commands.find((command) => command.name() === word) ?? found;
  return found;
}

function withCurrentName(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  return argv.map((word, index) => (index === at ? (formerNames.get(word) ?? word) : word));
}

function usageError(error: CommanderError, used: string | undefined, text: string): SkillwireError {
  if (error.code === 'commander.help') return new SkillwireError('USAGE', `Missing command.\n\n${text.trimEnd()}`);
  const known = commands.some(({ name }) => name === used);
  const said = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const option = used === 'serve' ? listenOptions.exec(said)?.[0] : undefined;
  const fault = option ?? said.replace(/\.?$/, '').replace(/ \((Did you mean .*\?)\)$/, '. $1');
  const sentence = `${fault.charAt(0).toUpperCase()}${fault.slice(1)}${fault.endsWith('?') ? '' : '.'}`;
  const remedy = option === undefined ? '' : ' Use --http [HOST:]PORT.';
  return new SkillwireError('USAGE', `${sentence}${remedy} Run "skillwire ${known ? `${used} ` : ''}--help".`);
}
