/**
 * `skillwire list`: the skills of one or several origins, with what is known about each. Reads listings only, never a file;
 * except of sites and of servers of older dialects, whose index has no frontmatter or no digests of files: their skills are read
 * to be listed.
 */
import type { Command } from 'commander';
import { type ExitCode, errorTable, exitCodes } from '../../errors.ts';
import type { Discovery, OriginReport } from '../../host/host.ts';
import { displayText } from '../../skill/display-text.ts';
import { earlierApprovals } from '../../store/decisions/approval.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { howVerified, skillStates } from '../decisions/skill-state.ts';
import { originFailure } from '../find-held.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { originReportText } from '../render/origin-report-text.ts';
import { listJson } from '../render/reading-json.ts';
import { skillTable } from '../render/skill-table.ts';
import { tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';

type ListOptions = GlobalOptions & ConnectionOptions;

const help = `
${originHelp}
Without ORIGIN everything in skillwire.json and everything that was added is listed.

States:
  local          in a folder of yours; needs no approval
  approved       approved exactly as it is listed now
  changed        approved, but something in it is different now
  not approved   nobody has approved it
  unverifiable   its origin promises nothing about its bytes
  disabled       disabled with "skillwire disable"
After the number of skills stands what each server or site speaks, and how far its skills can be verified:
  full           every file has a digest, or comes in an archive that has one
  skill-md-only  SKILL.md has a digest, its other files have none
  none           nothing is promised
--dialect and --forbid-dialect choose what an MCP server is read in; nimblebrain is read only where it is chosen.
A name with * is shared by several skills; say which one you mean by its URI, its path or LABEL:NAME.

Exit codes:
  0 listed, 1 every entry was refused, 2 could not run, or the origin serves no skills, 3 not authorized,
  4 unreachable, 6 some origins answered in part or not at all, 7 something that a site publishes does not have the
  digest that its index promises, 130 interrupted

Examples:
  skillwire list ./skills
  skillwire list https://docs.example.com
  skillwire list mcp:https://skills.example.com/mcp --token-env SKILLS_TOKEN
  skillwire list "stdio:npx my-server" docs=./docs/skills
  skillwire list --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(command.usage('[[LABEL=]ORIGIN...] [options]').argument('[origin...]', 'where the skills are'))
    .addHelpText('after', help)
    .action(async (given: readonly string[], _: unknown, self: Command) => {
      finish(await list(given, self.optsWithGlobals<ListOptions>(), cli));
    });
}

function list(given: readonly string[], options: ListOptions, cli: Cli): Promise<ExitCode> {
  return withHost(given, options, cli, async ({ host, store, origins, signal }) => {
    const progress = startProgress(cli, `asking ${counted(origins.length, 'origin')}`);
    const discovery = await host.discover({ signal }).finally(() => progress.stop());
    signal.throwIfAborted();
    const stateOf = skillStates(await host.approvals.list(), await earlierApprovals(store.state));
    if (options.json === true) {
      writeJson(cli, listJson(discovery, stateOf));
    } else {
      const colors = colorsFor(cli.stdout, cli, options);
      const shown = (label: string): string => shownLabel(label, cli.cwd);
      cli.stdout.write(
        skillTable(discovery.skills, {
          width: tableWidth(cli.stdout),
          colors,
          stateOf,
          shown: origins.length > 1 ? shown : undefined,
        }),
      );
    }
    report(discovery, options, cli);
    return listExit(discovery.origins);
  });
}

function report(discovery: Discovery, options: ListOptions, cli: Cli): void {
  const colors = colorsFor(cli.stderr, cli, options);
  const shown = (label: string): string => shownLabel(label, cli.cwd);
  for (const origin of discovery.origins) {
    cli.stderr.write(originReportText(origin, { cwd: cli.cwd, colors, shown }));
  }
  if (options.json === true) return;
  for (const { name, skills } of discovery.collisions) {
    const places = skills.map(({ label, uri }) => `${shown(label)} ${uri}`).map((place) => displayText(place));
    cli.stderr.write(
      `* ${displayText(name)} is the name of ${counted(skills.length, 'skill')}: ${places.join(', ')}\n`,
    );
  }
  const places = discovery.origins.map((origin) => placeText(origin, discovery.skills, shown)).join(', ');
  cli.stderr.write(`${counted(discovery.skills.length, 'skill')} from ${places}\n`);
}

/** The origin; of a site or server also the form in which it publishes and how far its skills can be verified. */
function placeText(
  { label, status }: OriginReport,
  skills: Discovery['skills'],
  shown: (label: string) => string,
): string {
  const name = displayText(shown(label));
  if (status?.dialect === undefined) return name;
  const verified = new Set(skills.filter((skill) => skill.label === label).map(howVerified));
  const how = verified.size === 0 ? '' : `, verified: ${[...verified].join(' and ')}`;
  return `${name} (${displayText(status.dialect)}${how})`;
}

/** What the answers of all origins amount to; content that does not hold outweighs everything. */
export function listExit(origins: readonly OriginReport[]): ExitCode {
  const tampered = origins.some(({ refused }) => refused.some(({ code }) => code === 'VERIFICATION_FAILED'));
  if (tampered) return exitCodes.verificationFailed;
  const exits = origins.map(exitOf);
  const [first = exitCodes.ok, ...others] = exits;
  if (others.every((exit) => exit === first)) return first;
  return exits.includes(exitCodes.ok) || exits.includes(exitCodes.partial) ? exitCodes.partial : exitCodes.failed;
}

function exitOf(origin: OriginReport): ExitCode {
  if (origin.state === 'partial') return exitCodes.partial;
  if (origin.state === 'all-refused') return exitCodes.findings;
  if (origin.state === 'disabled') return exitCodes.ok;
  const failure = originFailure(origin);
  return failure === undefined ? exitCodes.ok : errorTable[failure.code].exit;
}
