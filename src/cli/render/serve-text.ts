/** What `serve` tells a person: what is served and where, what is wrong, how to add it to a host, and later what changed. */
import { shortHostHint } from '../../agents/host-config.ts';
import type { CatalogChange } from '../../catalog/catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { Colors } from './color.ts';
import { counted } from './counted.ts';
import { countsText, findingText } from './findings-text.ts';
import { shownPath } from './shown-path.ts';

export interface ReadyOptions {
  /** The addresses; both are absent over stdio. */
  readonly handle: { readonly url?: string; readonly mcp?: string };
  readonly roots: readonly DirectoryRoot[];
  readonly configuration: string | undefined;
  readonly cwd: string;
  readonly colors: Colors;
  readonly version: string;
}

export function readyText(snapshot: Snapshot, options: ReadyOptions): string {
  const { handle, roots, configuration, cwd, colors, version } = options;
  const unlisted = snapshot.skills.length - snapshot.listed.length;
  const skills = counted(snapshot.skills.length, 'skill') + (unlisted === 0 ? '' : ` (${unlisted} not listed)`);
  const lines = [`skillwire ${version} serves ${skills} from ${roots.map(({ path }) => shown(path, cwd)).join(', ')}`];
  if (configuration !== undefined) lines.push(`configuration: ${shown(configuration, cwd)}`);
  const parts = [`${lines.join('\n')}\n`, findingsPart(snapshot.findings, options)];
  if (handle.mcp === undefined) parts.push('speaking MCP over stdin and stdout\n');
  else parts.push(addressesPart(handle.url, handle.mcp, colors));
  return parts.filter((part) => part !== '').join('\n');
}

function findingsPart(findings: readonly Finding[], { roots, cwd, colors }: ReadyOptions): string {
  if (findings.length === 0) return '';
  const problems = findings.filter(({ level }) => level === 'problem');
  const first = problems.slice(0, limits.cli.problemsShown);
  const more = problems.length - first.length;
  const folders = [...new Set(roots.map(({ path }) => shellPath(shown(path, cwd))))].join(' ');
  return [
    ...first.map((found) => findingText(found, { cwd, colors })),
    more === 0 ? '' : `and ${counted(more, 'more problem')}\n`,
    `${countsText(countFindings(findings))}; run \`skillwire validate ${folders}\` for details\n`,
  ].join('');
}

function addressesPart(url: string | undefined, mcp: string, colors: Colors): string {
  const hint = shortHostHint({ name: 'skills', url: mcp });
  const page = url === undefined ? '' : `page  ${colors.bold(url)}\n`;
  return `${page}MCP   ${colors.bold(mcp)}\n\nadd it to Claude Code, or the JSON to most other hosts:\n\n${hint}`;
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

function shellPath(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
