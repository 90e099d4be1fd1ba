/** The messages of `serve`: what is served and where, findings, how to add it to a client, and later changes. */
import {
  type McpServer,
  type StdioServer,
  shellWord,
  shortClientHint,
  tokenVariable,
} from '../../agents/client-config.ts';
import type { CatalogChange } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { UnservedCounts } from '../../serving/serving-state.ts';
import { displayText } from '../../skill/display-text.ts';
import { countFindings, type Finding, type FindingRule } from '../../skill/finding.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { Colors } from './color.ts';
import { countsText, findingText } from './findings-text.ts';
import { counted } from './values.ts';

/** The name of the server in client configurations. */
export const serverName = 'skills';

export interface ReadyOptions {
  /** `url` and `mcp` are absent over stdio. */
  readonly handle: {
    readonly url?: string;
    readonly mcp?: string;
    readonly pageLink?: () => string | undefined;
    readonly mdp?: { readonly url: string };
    readonly unserved?: () => UnservedCounts;
  };
  /** The command line that reviews waiting skills. */
  readonly review?: string;
  readonly roots: readonly DirectoryRoot[];
  /** Display forms of mirrored origins. */
  readonly mirrors?: readonly string[];
  readonly configuration: string | undefined;
  /** Arguments with which `validate` shows more about the same folders; `undefined` if it cannot. */
  readonly validate: readonly string[] | undefined;
  /** Host names that requests may use, if other machines can send requests. */
  readonly answeredHosts: readonly string[] | undefined;
  /** Whether callers over HTTP need a token. */
  readonly tokens?: boolean;
  /** How a client starts this server; set if a person reads the output. */
  readonly stdioServer: StdioServer | undefined;
  readonly cwd: string;
  readonly colors: Colors;
  readonly version: string;
}

export function readyText(snapshot: Snapshot, options: ReadyOptions): string {
  const { handle, roots, mirrors = [], configuration, cwd, version } = options;
  const places = [...roots.map(({ path }) => shown(path, cwd)), ...mirrors.map((text) => displayText(text))];
  const unlisted = snapshot.skills.length - offeredSkills(snapshot).length;
  const skills = counted(snapshot.skills.length, 'skill') + (unlisted === 0 ? '' : ` (${unlisted} not listed)`);
  const lines = [`skillwire ${version} serves ${skills} from ${places.join(', ')}`];
  if (configuration !== undefined) lines.push(`configuration: ${shown(configuration, cwd)}`);
  const waiting = waitingText(snapshot.skills.length, handle.unserved?.(), options.review, reviewPage(options));
  if (waiting !== undefined) lines.push(options.colors.yellow(waiting));
  const place = handle.mcp === undefined ? stdioPart(options) : addressesPart(handle.mcp, options);
  return [`${lines.join('\n')}\n`, findingsPart(snapshot.findings, options), place].join('\n');
}

/** "Serving 0 of 15 skills. 15 are waiting: run `skillwire review`, or open URL"; `undefined` if nothing waits. */
export function waitingText(
  served: number,
  unserved: UnservedCounts | undefined,
  review = 'skillwire review',
  page?: string,
): string | undefined {
  if (unserved === undefined || unserved.waiting === 0) return undefined;
  const are = unserved.waiting === 1 ? '1 is' : `${unserved.waiting} are`;
  const open = page === undefined ? '' : `, or open ${page}`;
  return `Serving ${served} of ${counted(served + unserved.absent, 'skill')}. ${are} waiting: run \`${review}\`${open}`;
}

function reviewPage({ handle: { url } }: ReadyOptions): string | undefined {
  return url === undefined ? undefined : `${url}/#/review`;
}

function findingsPart(findings: readonly Finding[], { validate, cwd, colors }: ReadyOptions): string {
  if (findings.length === 0) return 'No findings.\n';
  const problems = findings.filter(({ level }) => level === 'problem');
  const first = problems.slice(0, limits.cli.problemsShown);
  const more = countFindings(findings).problems - first.length;
  const words = validate === undefined ? [] : ['skillwire', 'validate', ...validate];
  const command = words.map((word) => displayText(shellWord(word))).join(' ');
  return [
    ...first.map((found) => findingText(found, { cwd, colors })),
    more === 0 ? '' : `and ${counted(more, 'more problem')}\n`,
    `${countsText(findings)}${command === '' ? '' : `; run \`${command}\` for details`}\n`,
  ].join('');
}

function addressesPart(mcp: string, { handle, answeredHosts, tokens = false, colors }: ReadyOptions): string {
  const { url } = handle;
  const link = handle.pageLink?.();
  const signIn = link === undefined ? '' : `      ${link}  (one-time sign-in link for approvals)\n`;
  const page = url === undefined ? '' : `page  ${colors.bold(`${url}/`)}\n${signIn}`;
  const site =
    url === undefined ? '' : `site  ${colors.bold(url)}  (.well-known/agent-skills and .well-known/skills)\n`;
  const answers =
    answeredHosts === undefined
      ? ''
      : `Allowed host names: ${answeredHosts.join(', ')} (add others with --allowed-host)\n`;
  return `${page}MCP   ${colors.bold(mcp)}\n${site}${runtimesPart(handle, colors)}${answers}\n${tokens ? tokenPart(mcp) : pastePart({ name: serverName, url: mcp })}`;
}

function tokenPart(mcp: string): string {
  const hint = shortClientHint({ name: serverName, url: mcp, tokenEnv: tokenVariable });
  return `Clients need a token: \`skillwire token add NAME --profile PROFILE\`. Store it in ${tokenVariable}, then add the server to Claude Code, or paste the JSON into most other clients:\n\n${hint}`;
}

function runtimesPart({ mdp }: ReadyOptions['handle'], colors: Colors): string {
  return mdp === undefined ? '' : `MDP   ${colors.bold(mdp.url)}  (live skills; see \`skillwire runtimes\`)\n`;
}

function stdioPart({ stdioServer, handle, colors }: ReadyOptions): string {
  const speaking = `Speaking MCP over stdin and stdout.\n${runtimesPart(handle, colors)}`;
  return stdioServer === undefined ? speaking : `${speaking}\n${pastePart(stdioServer)}`;
}

function pastePart(server: McpServer): string {
  return `Add it to Claude Code, or paste the JSON into most other clients:\n\n${shortClientHint(server)}`;
}

/** Warnings about the server. Those about skills are shown by `validate`. */
const ofServer: ReadonlySet<FindingRule> = new Set(['watch-limit', 'cache-unwritable']);

/** One line for each new warning about the server itself. */
export function serverWarnings(snapshot: Snapshot, previous: Snapshot | undefined, cwd: string): readonly string[] {
  const known = new Set(previous?.findings.map(identity));
  const fresh = snapshot.findings.filter((found) => ofServer.has(found.rule) && !known.has(identity(found)));
  return fresh.map((found) => `warning: ${inLine(found, cwd)}`);
}

/** One line such as "3 skills changed, 1 new problem: ..."; empty if nothing relevant changed. */
export function changeText(change: CatalogChange, cwd: string): string {
  const known = new Set(change.previous.findings.map(identity));
  const now = new Set(change.snapshot.findings.map(identity));
  const fresh = change.snapshot.findings.filter((found) => found.level === 'problem' && !known.has(identity(found)));
  const solved = change.previous.findings.filter((found) => found.level === 'problem' && !now.has(identity(found)));
  const parts = [
    change.added.length === 0 ? '' : `${counted(change.added.length, 'skill')} added`,
    change.changed.length === 0 ? '' : `${counted(change.changed.length, 'skill')} changed`,
    change.removed.length === 0 ? '' : `${counted(change.removed.length, 'skill')} removed`,
    solved.length === 0 ? '' : `${counted(solved.length, 'problem')} fixed`,
    fresh.length === 0 ? '' : `${counted(fresh.length, 'new problem')}: ${fresh.map((found) => inLine(found, cwd))[0]}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join(', ')}\n`;
}

function inLine({ file, line, message, remedy }: Finding, cwd: string): string {
  const place = file === undefined ? '' : `${shown(file, cwd)}${line === undefined ? '' : `:${line}`}  `;
  return `${place}${displayText(message)}; ${displayText(remedy)}`;
}

/** Ignores the line, which moves when text above it changes. */
function identity({ rule, file, message }: Finding): string {
  return JSON.stringify([rule, file, message]);
}

function shown(path: string, cwd: string): string {
  return displayText(shownPath(cwd, path));
}
