/** What `serve` tells a person: what is served and where, what is wrong, how to add it to a host, and later what changed. */
import { type McpServer, type StdioServer, shellWord, shortClientHint } from '../../agents/client-config.ts';
import type { CatalogChange } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { Colors } from './color.ts';
import { countsText, findingText } from './findings-text.ts';
import { counted } from './values.ts';

/** The name under which hosts are told about the server. */
export const serverName = 'skills';

/** Where hosts find the token of a server that asks for one. */
const tokenVariable = 'SKILLS_TOKEN';

export interface ReadyOptions {
  /** The addresses; both are absent over stdio. */
  readonly handle: {
    readonly url?: string;
    readonly mcp?: string;
    readonly pageLink?: () => string | undefined;
    readonly mdp?: { readonly url: string };
  };
  readonly roots: readonly DirectoryRoot[];
  /** Origins that are mirrored, as they are shown. */
  readonly mirrors?: readonly string[];
  readonly configuration: string | undefined;
  /** The arguments with which `validate` tells more about the same folders; undefined where it would not. */
  readonly validate: readonly string[] | undefined;
  /** The hosts that requests may name, where others than this machine can send some. */
  readonly answeredHosts: readonly string[] | undefined;
  /** Whether callers over HTTP need a token. */
  readonly tokens?: boolean;
  /** How a host starts this server, where a person is looking and not a host. */
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
  const place = handle.mcp === undefined ? stdioPart(options) : addressesPart(handle.mcp, options);
  return [`${lines.join('\n')}\n`, findingsPart(snapshot.findings, options), place].join('\n');
}

function findingsPart(findings: readonly Finding[], { validate, cwd, colors }: ReadyOptions): string {
  if (findings.length === 0) return 'no findings\n';
  const problems = findings.filter(({ level }) => level === 'problem');
  const first = problems.slice(0, limits.cli.problemsShown);
  const more = countFindings(findings).problems - first.length;
  const words = validate === undefined ? [] : ['skillwire', 'validate', ...validate];
  const command = words.map((word) => displayText(shellWord(word))).join(' ');
  return [
    ...first.map((found) => findingText(found, { cwd, colors })),
    more === 0 ? '' : `and ${counted(more, 'more problem')}\n`,
    `${countsText(countFindings(findings))}${command === '' ? '' : `; run \`${command}\` for details`}\n`,
  ].join('');
}

function addressesPart(mcp: string, { handle, answeredHosts, tokens = false, colors }: ReadyOptions): string {
  const { url } = handle;
  const link = handle.pageLink?.();
  const signIn = link === undefined ? '' : `      ${link}  (may approve skills; good once)\n`;
  const page = url === undefined ? '' : `page  ${colors.bold(`${url}/`)}\n${signIn}`;
  const site =
    url === undefined ? '' : `site  ${colors.bold(url)}  (.well-known/agent-skills and .well-known/skills)\n`;
  const answers =
    answeredHosts === undefined
      ? ''
      : `answers requests for ${answeredHosts.join(', ')}; --allowed-host NAME adds a name\n`;
  return `${page}MCP   ${colors.bold(mcp)}\n${site}${runtimesPart(handle, colors)}${answers}\n${tokens ? tokenPart(mcp) : pastePart({ name: serverName, url: mcp })}`;
}

function tokenPart(mcp: string): string {
  const hint = shortClientHint({ name: serverName, url: mcp, tokenEnv: tokenVariable });
  return `callers need a token (\`skillwire token add NAME --profile PROFILE\`); for Claude Code, and the JSON for most other hosts, it is in ${tokenVariable}:\n\n${hint}`;
}

function runtimesPart({ mdp }: ReadyOptions['handle'], colors: Colors): string {
  return mdp === undefined ? '' : `MDP   ${colors.bold(mdp.url)}  (live skills; see \`skillwire runtimes\`)\n`;
}

function stdioPart({ stdioServer, handle, colors }: ReadyOptions): string {
  const speaking = `speaking MCP over stdin and stdout\n${runtimesPart(handle, colors)}`;
  return stdioServer === undefined ? speaking : `${speaking}\n${pastePart(stdioServer)}`;
}

function pastePart(server: McpServer): string {
  return `add it to Claude Code, or the JSON to most other hosts:\n\n${shortClientHint(server)}`;
}

/** One line on what is new, for example "3 skills changed, 1 new problem: ..."; empty where nothing a person cares for is. */
export function changeText(change: CatalogChange, cwd: string): string {
  const known = new Set(change.previous.findings.map(identity));
  const now = new Set(change.snapshot.findings.map(identity));
  const fresh = change.snapshot.findings.filter((found) => found.level === 'problem' && !known.has(identity(found)));
  const solved = change.previous.findings.filter((found) => found.level === 'problem' && !now.has(identity(found)));
  const parts = [
    change.added.length === 0 ? '' : `${counted(change.added.length, 'skill')} added`,
    change.changed.length === 0 ? '' : `${counted(change.changed.length, 'skill')} changed`,
    change.removed.length === 0 ? '' : `${counted(change.removed.length, 'skill')} removed`,
    solved.length === 0 ? '' : `${counted(solved.length, 'problem')} solved`,
    fresh.length === 0 ? '' : `${counted(fresh.length, 'new problem')}: ${fresh.map((found) => inLine(found, cwd))[0]}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join(', ')}\n`;
}

function inLine({ file, line, message, remedy }: Finding, cwd: string): string {
  const place = file === undefined ? '' : `${shown(file, cwd)}${line === undefined ? '' : `:${line}`}  `;
  return `${place}${displayText(message)}; ${displayText(remedy)}`;
}

/** Without the line, which moves when something above it changes. */
function identity({ rule, file, message }: Finding): string {
  return JSON.stringify([rule, file, message]);
}

function shown(path: string, cwd: string): string {
  return displayText(shownPath(cwd, path));
}
