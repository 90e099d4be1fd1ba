/**
 * `skillwire list`: lists the skills of one or several origins. Reads listings only. The exception: sites and servers of older dialects
 * whose index has no frontmatter or digests must be read to be listed.
 */
import type { Command } from 'commander';
import { type ExitCode, errorTable, exitCodes } from '../../errors.ts';
import type { Discovery, OriginReport } from '../../host/host.ts';
import { displayText } from '../../skill/display-text.ts';
import { earlierApprovals } from '../../store/decisions/approval.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { howVerified, skillStates } from '../decisions/skill-state.ts';
import { originFailure } from '../find-skill.ts';
import { withoutCopies } from '../installed/skill-copies.ts';
import { listedSignatures } from '../listed-signatures.ts';
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
Without ORIGIN, all origins of skillwire.json and of "skillwire origins list" are listed.

States:
  local          in your own folder; needs no approval
  approved       the listed version is approved
  changed        changed since approval
  not approved   not approved yet
  unverifiable   the origin promises no digests
  disabled       disabled with "skillwire disable"

If "signers" in skillwire.json names somebody, SIGNED shows who signed all files of a skill, or what is wrong with its
signature. This reads one file of each signed skill.

The last line shows the dialect of each server or site, and how much can be verified:
  full           every file, or the archive, has a digest
  skill-md-only  only SKILL.md has a digest
  none           no digests

--dialect and --forbid-dialect choose the dialect of an MCP server; nimblebrain is read only if chosen.
Several skills share a name marked with *. Use a URI, a path or LABEL:NAME for them.

Exit codes:
  0 listed, 1 every entry refused, 2 failed or no skills served, 3 not authorized, 4 unreachable,
  6 some origins answered partly or not at all, 7 verification failed, 130 interrupted

Examples:
  skillwire list ./skills
  skillwire list https://docs.example.com
  skillwire list mcp:https://skills.example.com/mcp --token-env SKILLWIRE_TOKEN
  skillwire list "stdio:npx my-server" docs=./docs/skills
  skillwire list --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(command.usage('[[LABEL=]ORIGIN...] [options]').argument('[origin...]', 'Origins to list'))
    .addHelpText('after', help)
    .action(runs(cli, finish, list));
}

function list(named: readonly string[], options: ListOptions, cli: Cli): Promise<ExitCode> {
  return withHost(named, options, cli, async ({ host, store, signatures: gate, origins, signal }) => {
    const progress = startProgress(cli, `Contacting ${counted(origins.length, 'origin')}`);
    const discovery = await host.discover({ signal }).finally(() => progress.stop());
    signal.throwIfAborted();
    const skills = byName(discovery.skills);
    const stateOf = skillStates(await host.approvals.list(), await earlierApprovals(store.state));
    const signatures = await listedSignatures(skills, gate, host, signal);
    if (options.json === true) {
      writeJson(cli, listJson({ ...discovery, skills }, stateOf, signatures));
    } else {
      const colors = colorsFor(cli.stdout, cli, options);
      const shown = (label: string): string => shownLabel(label, cli.cwd);
      cli.stdout.write(
        skillTable(skills, {
          width: tableWidth(cli.stdout),
          colors,
          stateOf,
          signatures,
          shown: origins.length > 1 ? shown : undefined,
        }),
      );
    }
    report(discovery, options, cli);
    return listExit(discovery.origins);
  });
}

/** Origins list by path, which is not shown. Skills of one name stay in the order of their origins. */
function byName(skills: Discovery['skills']): Discovery['skills'] {
  return [...skills].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function report(discovery: Discovery, options: ListOptions, cli: Cli): void {
  const colors = colorsFor(cli.stderr, cli, options);
  const shown = (label: string): string => shownLabel(label, cli.cwd);
  for (const origin of discovery.origins) {
    cli.stderr.write(originReportText(origin, { cwd: cli.cwd, colors, shown }));
  }
  if (options.json === true) return;
  cli.stderr.write(collisionsText(discovery, shown));
  const places = discovery.origins.map((origin) => originText(origin, discovery.skills, shown)).join(', ');
  const ofAgents = discovery.skills.filter(({ inAgentFolder }) => inAgentFolder === true).length;
  const note = ofAgents === 0 ? '' : `; ${ofAgents} of them only in agent folders, which "serve" and "build" leave out`;
  cli.stderr.write(`${counted(discovery.skills.length, 'skill')} from ${places}${note}\n`);
}

/** One line for each name of different skills, and one for all names whose skills are copies. */
function collisionsText({ collisions, skills, origins }: Discovery, shown: (label: string) => string): string {
  const known = new Map(skills.map((skill) => [JSON.stringify([skill.label, skill.uri]), skill]));
  let copied = 0;
  const lines: string[] = [];
  for (const collision of collisions) {
    const same = collision.skills.flatMap(({ label, uri }) => known.get(JSON.stringify([label, uri])) ?? []);
    if (same.length === collision.skills.length && withoutCopies(same).length === 1) {
      copied++;
      continue;
    }
    const places = collision.skills.map(({ label, uri }) => (origins.length === 1 ? uri : `${shown(label)} ${uri}`));
    const all = places.map((place) => displayText(place)).join(', ');
    lines.push(`* ${counted(places.length, 'skill')} named ${displayText(collision.name)}: ${all}\n`);
  }
  if (copied > 0) lines.push(`* ${counted(copied, 'name')} of copies: the same files at several paths\n`);
  return lines.join('');
}

/** The origin; for a site or server also its dialect and how much of its skills can be verified. */
function originText(
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

/** The exit code for the answers of all origins. Failed verification outweighs everything. */
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
