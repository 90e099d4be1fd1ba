/**
 * The program: its commands, its global options, its exit codes. Only the module of the command that is used is loaded, so
 * `--version` and `--help` start fast. Wrong usage exits with 2 and never with commander's 1, which here means findings.
 */
import { Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../errors.ts';
import type { Cli, CommandEntry } from './cli.ts';
import { jsonText } from './render/json-text.ts';

const groups = {
  first: 'Commands:',
  install: 'Installing:',
  find: 'Finding:',
  publish: 'Publishing:',
  trust: 'Trust:',
  live: 'Live skills:',
  state: 'Origins and state:',
  setup: 'Setting up:',
} as const;

/** In the order of the help: what is used most, then what is decided about skills, then what is kept. */
const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve folders of skills to every agent, over HTTP or stdio',
    group: groups.first,
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'validate',
    summary: 'check folders of skills and tell what would be published',
    group: groups.first,
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'list',
    summary: 'list the skills of folders, MCP servers and live programs',
    group: groups.first,
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'show',
    summary: 'show one skill: files, digests, what it asks for, whether it is approved',
    group: groups.first,
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'read',
    summary: 'print a file of a skill, verified',
    group: groups.first,
    load: () => import('./commands/read.ts'),
  },
  {
    name: 'verify',
    summary: 'read everything an origin serves and tell what does not hold',
    group: groups.first,
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'add',
    summary: 'install skills of any origin for agents, pinned in skillwire.lock',
    group: groups.install,
    load: () => import('./commands/add.ts'),
  },
  {
    name: 'install',
    summary: 'install exactly what skillwire.lock says',
    group: groups.install,
    load: () => import('./commands/install.ts'),
  },
  {
    name: 'update',
    summary: 'take what the origins of installed skills have now',
    group: groups.install,
    load: () => import('./commands/update.ts'),
  },
  {
    name: 'remove',
    summary: 'take installed skills away',
    group: groups.install,
    load: () => import('./commands/remove.ts'),
  },
  {
    name: 'ls',
    summary: 'list what is installed and whether it was edited',
    group: groups.install,
    load: () => import('./commands/ls.ts'),
  },
  {
    name: 'search',
    summary: 'find skills by a few words about the task',
    group: groups.find,
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'pack',
    summary: 'make one archive of one skill, the same bytes on every machine',
    group: groups.publish,
    load: () => import('./commands/pack.ts'),
  },
  {
    name: 'build',
    summary: 'build a static site of skills for any web server or CDN',
    group: groups.publish,
    load: () => import('./commands/build.ts'),
  },
  {
    name: 'trust',
    summary: 'Let a skillwire.json or lock file that came with a folder act for you',
    group: groups.trust,
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'approve',
    summary: 'approve a skill exactly as it is now',
    group: groups.trust,
    load: () => import('./commands/approve.ts'),
  },
  {
    name: 'diff',
    summary: 'compare a skill with what was approved',
    group: groups.trust,
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'revoke',
    summary: 'end an approval',
    group: groups.trust,
    load: () => import('./commands/revoke.ts'),
  },
  {
    name: 'approvals',
    summary: 'list what was approved',
    group: groups.trust,
    load: () => import('./commands/approvals.ts'),
  },
  {
    name: 'enable',
    summary: 'let models see an origin or a skill again',
    group: groups.trust,
    load: () => import('./commands/enable.ts'),
  },
  {
    name: 'disable',
    summary: 'take an origin or a skill away from models',
    group: groups.trust,
    load: () => import('./commands/disable.ts'),
  },
  {
    name: 'audit',
    summary: 'print who decided what, when and why',
    group: groups.trust,
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'waiting',
    summary: 'list skills that are waiting for approval',
    group: groups.trust,
    load: () => import('./commands/waiting.ts'),
  },
  {
    name: 'deny',
    summary: 'recall skills by digest, origin or pattern',
    group: groups.trust,
    load: () => import('./commands/deny.ts'),
  },
  {
    name: 'token',
    summary: 'add, revoke and list tokens for a server and its profiles',
    group: groups.trust,
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'runtimes',
    summary: 'list the live programs that are connected to a hub',
    group: groups.live,
    load: () => import('./commands/runtimes.ts'),
  },
  {
    name: 'expose',
    summary: 'expose Markdown files or the skills of a module at a hub',
    group: groups.live,
    load: () => import('./commands/expose.ts'),
  },
  {
    name: 'pin',
    summary: 'pin a live skill as it is now, with digests and an end',
    group: groups.live,
    load: () => import('./commands/pin.ts'),
  },
  {
    name: 'unpin',
    summary: 'let a live skill be live again',
    group: groups.live,
    load: () => import('./commands/unpin.ts'),
  },
  {
    name: 'templates',
    summary: 'list templates of skills that are not listed, and complete them',
    group: groups.state,
    load: () => import('./commands/templates.ts'),
  },
  {
    name: 'status',
    summary: 'tell how a running server and its origins do',
    group: groups.state,
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'config',
    summary: 'check a configuration without serving it',
    group: groups.state,
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'origins',
    summary: 'add, remove and list origins by label',
    group: groups.state,
    load: () => import('./commands/origins.ts'),
  },
  {
    name: 'cache',
    summary: 'list, verify, tidy up and clear what is kept of remote skills',
    group: groups.state,
    load: () => import('./commands/cache.ts'),
  },
  {
    name: 'connect',
    summary: 'tell a host (Claude Code, Cursor, VS Code and others) about a server with skills',
    group: groups.setup,
    load: () => import('./commands/connect.ts'),
  },
  {
    name: 'doctor',
    summary: 'look at agents, links, installed skills, origins and state, and tell what to do',
    group: groups.setup,
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'agent-help',
    summary: 'print a guide to these commands for a model',
    group: groups.setup,
    load: () => import('./commands/agent-help.ts'),
  },
  {
    name: 'state',
    summary: 'export, import and check what must not be lost',
    group: groups.state,
    load: () => import('./commands/state.ts'),
  },
];

/** What people know from other programs, with what says it here. */
const elsewhere: Readonly<Record<string, { readonly option: RegExp; readonly instead: string }>> = {
  serve: {
    option: /^unknown option '(?:-p|-H|--(?:port|host|hostname|listen|bind|address))(?:=.*)?'/,
    instead: 'to say where it listens, use --http [HOST:]PORT',
  },
};

const help = `
Examples:
  skillwire serve ./skills
  skillwire validate ./skills --files
  skillwire list mcp:http://127.0.0.1:4711/mcp
  skillwire approve mcp:http://127.0.0.1:4711/mcp pdf-tools

Exit codes:
  0 ok, 1 findings or changes, 2 wrong usage or the command could not run, 3 not authorized, 4 unreachable,
  5 not approved or refused, 6 partial, 7 verification failed, 8 not everything checked, 9 unverifiable, 130 interrupted

Environment:
  NO_COLOR, FORCE_COLOR   no colors, colors also where the output is not a terminal
  SKILLWIRE_HOME          folder of the user's own skillwire.json, of the state and of the cache
  SKILLWIRE_DEBUG=1       print the stack of unexpected errors`;

/** Runs a command line (without node and script) and returns the exit code. Throws what went wrong. */
export async function runProgram(argv: readonly string[], cli: Cli): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  let errorText = '';
  const program = new Command('skillwire')
    .description(
      'Puts Agent Skills on the wire: serves folders of skills to every agent, and reads and proves those of others.',
    )
    .usage('COMMAND [options]')
    .version(wantsJson(argv) ? jsonText({ version: cli.version }) : cli.version, '-V, --version', 'print the version')
    .option('--json', 'print data and errors as JSON')
    .option('--no-color', 'print no colors')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', help)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => cli.stdout.write(text),
      writeErr: (text) => {
        errorText += text;
      },
    })
    .exitOverride();

  const used = usedCommand(argv);
  // The others are needed for help and for what nobody can mean.
  const alone = argv[0] === used && commands.some(({ name }) => name === used);
  for (const { name, summary, group, load } of commands) {
    if (alone && name !== used) continue;
    const command = program.command(name).description(summary).helpGroup(group);
    if (name !== used) continue;
    const { define } = await load();
    define(command, cli, (code) => {
      exitCode = code;
    });
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    throw usageError(error, used, errorText);
  }
  return exitCode;
}

/** The first argument that is no option; the global options take no values. */
function usedCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  return words[0] === 'help' ? words[1] : words[0];
}

function usageError(error: CommanderError, used: string | undefined, text: string): SkillwireError {
  if (error.code === 'commander.help') {
    return new SkillwireError('USAGE', `no command is given; choose one of these\n\n${text.trimEnd()}`);
  }
  const known = commands.some(({ name }) => name === used);
  const said = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const other = used === undefined || !Object.hasOwn(elsewhere, used) ? undefined : elsewhere[used];
  const meant = other === undefined ? undefined : other.option.exec(said)?.[0];
  const told = meant === undefined ? said : `${meant}; ${other?.instead}`;
  return new SkillwireError('USAGE', `${told}; run "skillwire ${known ? `${used} ` : ''}--help"`);
}

/** True where errors shall be JSON too. Looks at the bare arguments, since the error may be that they cannot be read. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.some(
    (option, index) =>
      option === '--json' || option === '--format=json' || (option === '--format' && options[index + 1] === 'json'),
  );
}
