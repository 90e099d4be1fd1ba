/**
 * `skillwire search`: finds skills of one or several origins by a few words, best first. Asks servers that offer a search, and reads the
 * listings of the others, with local or cached files. Fetches files only from sites, to list them.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { CachedEmbedder } from '../../gateway/cached-embedder.ts';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import type { Discovery } from '../../host/host.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { earlierApprovals } from '../../store/decisions/approval.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { type SkillState, skillStates } from '../decisions/skill-state.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { originReportText } from '../render/origin-report-text.ts';
import { searchJson } from '../render/reading-json.ts';
import { skillTable } from '../render/skill-table.ts';
import { tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';
import { type OriginHits, searchOrigins } from '../search/search-origins.ts';
import { listExit } from './list.ts';

interface SearchOptions extends GlobalOptions, ConnectionOptions {
  readonly limit?: number;
}

const { hits: usualHits, mostHits } = limits.search;

const help = `
QUERY is a few words about the task; short phrases find more than long ones. A server with the tool "search_skills" is
asked to search, which also finds skills that it does not list. Of other origins, this command searches names,
descriptions and, if local or cached, headings and the start of SKILL.md, in any form of a word. Copies and versions of one skill are one hit. With
"search.embeddings" in skillwire.json, search is by meaning too.

${originHelp}
Without ORIGIN, all origins of skillwire.json and of "skillwire origins list" are searched.

Exit codes:
  0 found, 1 no match or every entry refused, 2 failed or no skills served, 3 not authorized, 4 unreachable,
  6 some origins answered partly or not at all, 7 verification failed, 130 interrupted

Examples:
  skillwire search "fill in a pdf form" ./skills
  skillwire search "database migration" mcp:https://skills.example.com/mcp --limit 3
  skillwire search "code review" --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('QUERY [[LABEL=]ORIGIN...] [options]')
      .argument('<query>', 'A few words about the task')
      .argument('[origin...]', 'Origins to search')
      .option('--limit <number>', `Maximum number of hits (default: ${usualHits})`, parseLimit),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, search));
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= mostHits) return limit;
  throw usageError(`--limit ${quoteText(text)} is not a number from 1 to ${mostHits}.`, { limit: text });
}

function search(query: string, named: readonly string[], options: SearchOptions, cli: Cli): Promise<ExitCode> {
  if (query.trim() === '') throw usageError('The query is empty. Use a few words.');
  return withHost(named, options, cli, async ({ host, store, origins, signal, place, configuration }) => {
    const progress = startProgress(cli, `Contacting ${counted(origins.length, 'origin')}`);
    const discovery = await host.discover({ signal }).finally(() => progress.stop());
    signal.throwIfAborted();
    const embedder = await openEmbedder({ store, place, configuration }, cli);
    const warn = (label: string, error: Error): unknown =>
      cli.stderr.write(
        `warning: The search of ${displayText(shownLabel(label, cli.cwd))} failed: ${displayText(error.message)} Its listing was searched.\n`,
      );
    const found = await searchOrigins(discovery, {
      ...{ host, query, limit: options.limit, embedder, signal, warn },
    }).finally(() => embedder?.close());
    signal.throwIfAborted();
    const stateOf = skillStates(await host.approvals.list(), await earlierApprovals(store.state));
    if (options.json === true) writeJson(cli, searchJson(query, found, discovery, stateOf));
    else show(found, { origins: origins.length, options, cli, stateOf });
    report(found, discovery, options, cli);
    const exit = listExit(discovery.origins);
    return exit === exitCodes.ok && found.total === 0 ? exitCodes.findings : exit;
  });
}

/** The embedder of the configuration, if there is one and the user accepts it. */
async function openEmbedder(
  { store, place, configuration }: Pick<CommandSession, 'store' | 'place' | 'configuration'>,
  cli: Cli,
): Promise<CachedEmbedder | undefined> {
  const embeddings = (await configuration())?.configuration.search?.embeddings;
  if (embeddings === undefined) return undefined;
  const warn = (message: string): unknown => cli.stderr.write(`warning: ${displayText(message)}\n`);
  const judged = (await place()).found?.judged;
  if (judged !== 'own' && judged?.standing('search.embeddings') !== 'own') {
    warn('Search ranks by words only: skillwire.json is not trusted. Review it with "skillwire trust".');
    return undefined;
  }
  const { configuredEmbedder } = await import('../../node/configured-embedder.ts');
  return configuredEmbedder(embeddings, { env: cli.env, store: async () => store, warn });
}

interface Shown {
  readonly origins: number;
  readonly options: SearchOptions;
  readonly cli: Cli;
  stateOf(skill: DiscoveredSkill): SkillState;
}

function show({ hits }: Pick<OriginHits, 'hits'>, { origins, options, cli, stateOf }: Shown): void {
  const colors = colorsFor(cli.stdout, cli, options);
  const shown = (label: string): string => shownLabel(label, cli.cwd);
  cli.stdout.write(
    skillTable(
      hits.map(({ skill }) => skill),
      { width: tableWidth(cli.stdout), colors, stateOf, shown: origins > 1 ? shown : undefined },
    ),
  );
}

function report(
  { hits, total, byServer, listed }: OriginHits,
  { origins }: Discovery,
  options: SearchOptions,
  cli: Cli,
): void {
  const colors = colorsFor(cli.stderr, cli, options);
  const shown = (label: string): string => shownLabel(label, cli.cwd);
  for (const origin of origins) cli.stderr.write(originReportText(origin, { cwd: cli.cwd, colors, shown }));
  if (options.json === true) return;
  const places = (skills: readonly DiscoveredSkill[]): string =>
    skills.map(({ label, uri }) => displayText(`${shown(label)} ${uri}`)).join(', ');
  for (const { skill, copies, twins } of hits) {
    const name = displayText(skill.name);
    if (copies.length > 0) cli.stderr.write(`Copies of ${name}: ${places(copies)}\n`);
    if (twins.length > 0) cli.stderr.write(`Versions of ${name}: ${places(twins)}\n`);
  }
  const searched = searchedText(byServer.map(shown), listed);
  if (total === 0) cli.stderr.write(`No match ${searched}. Try other words.\n`);
  else if (total > hits.length) cli.stderr.write(`Best ${hits.length} of ${total} matches ${searched}\n`);
  else cli.stderr.write(`${counted(total, 'match', 'matches')} ${searched}\n`);
}

/** Which search found the skills: that of a server, or that of this command over listings. */
function searchedText(byServer: readonly string[], listed: number): string {
  const servers = `by the search of ${displayText(byServer.join(', '))}`;
  if (byServer.length === 0) return `in ${counted(listed, 'skill')}`;
  return listed === 0 ? servers : `${servers} and in ${counted(listed, 'listed skill')}`;
}
