/**
 * Decides which hidden folders are read. `skills/.curated`, `.experimental` and `.system` always are, because catalogs store skills there.
 * Agent folders (`.claude/skills`) contain personal and installed skills beside those of the project. So they are read only on request,
 * without the copies that a lock file lists. Hidden entries inside a skill are never published.
 */
import { agents } from '../../agents/agent-table.ts';
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { ListedEntry } from './folder-listing.ts';
import { type AgentWay, below, type FolderPath } from './folder-node.ts';
import { readStable } from './stable-read.ts';
import type { TreePosition } from './walk.ts';

const catalogs: ReadonlySet<string> = new Set(['.curated', '.experimental', '.system']);

/** Agent folders of a project that are inside hidden folders. */
const agentPaths: ReadonlySet<string> = new Set(
  agents.flatMap(({ projectFolder, alsoReads = [] }) =>
    [projectFolder ?? '', ...alsoReads].filter((path) => path.startsWith('.')),
  ),
);

/** The agent folders and their parents. */
const agentWays: ReadonlySet<string> = new Set(
  [...agentPaths].flatMap((path) => path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'))),
);

/** The context for decisions about hidden entries. */
export interface HiddenContext {
  /** Name of the folder. */
  readonly folder: string;
  /** The folder is a skill, or inside one. */
  readonly insideSkill: () => boolean;
  readonly agentFolders: boolean;
  readonly way: AgentWay | undefined;
  /** Of the lock files in the folder. */
  readonly installed: string | undefined;
}

/** `opened`: read although it is hidden. */
export type Reach = { readonly opened: AgentWay | 'catalog' } | { readonly leftOut: string } | undefined;

const hidden = { leftOut: 'hidden' };
export const installedReason = 'an installed copy, listed in a lock file';

/** `undefined` if the entry's name alone decides. */
export function reachOf(name: string, place: HiddenContext): Reach {
  const { way } = place;
  if (way !== undefined) {
    if (!agentPaths.has(way.path)) {
      const path = `${way.path}/${name}`;
      return agentWays.has(path) ? { opened: { path, installed: way.installed } } : hidden;
    }
    if (way.installed?.includes(`\n${name}\n`) === true) return { leftOut: installedReason };
  }
  if (!name.startsWith('.')) return undefined;
  if (place.folder === 'skills' && catalogs.has(name)) return place.insideSkill() ? hidden : { opened: 'catalog' };
  if (!place.agentFolders || !agentWays.has(name) || place.insideSkill()) return hidden;
  return { opened: { path: name, installed: place.installed } };
}

export function hiddenPlace(
  { name, inherited }: TreePosition,
  entries: readonly ListedEntry[],
  agentFolders: boolean,
  installed?: string,
): HiddenContext {
  return {
    folder: name,
    insideSkill: () => inherited.insideSkill || entries.some((entry) => isSkillFile(entry)),
    agentFolders,
    way: inherited.way,
    installed,
  };
}

function isSkillFile({ name, kind }: ListedEntry): boolean {
  return kind !== 'folder' && name.toLowerCase() === 'skill.md';
}

/** Whether a folder with this way is an agent folder. */
export function isAgentFolder(way: AgentWay | undefined): boolean {
  return way !== undefined && agentPaths.has(way.path);
}

/** The agent folder that contains a path of a project. */
export function agentFolderOf(path: string): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (agentPaths.has(path.slice(0, end))) return path.slice(0, end);
  return undefined;
}

const lockFiles: ReadonlySet<string> = new Set(['skillwire.lock', 'skills-lock.json']);

export function isLockFile(name: string): boolean {
  return lockFiles.has(name);
}

/** The names in the lock files of a folder. An unusable file counts as empty. */
export async function installedIn(path: FolderPath, entries: readonly ListedEntry[]): Promise<string | undefined> {
  let names: string | undefined;
  for (const { name, kind } of entries) {
    if (!isLockFile(name) || kind !== 'file') continue;
    const options = { maxBytes: limits.sync.foreignLockBytes, local: path.local };
    const read = await readStable(below(path.real, name), options, ({ bytes }) => ({ text: decodeUtf8(bytes) }));
    if ('text' in read) names = lockedNames(read.text, names);
  }
  return names;
}

/** Both kinds have an object of names under `skills`. */
export function lockedNames(text: string | undefined, before: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const names = isJsonObject(value) && isJsonObject(value.skills) ? Object.keys(value.skills) : [];
    return names.length === 0 ? before : `${before ?? '\n'}${names.join('\n')}\n`;
  } catch (error) {
    if (error instanceof SyntaxError) return before;
    throw error;
  }
}

export function sameWay(a: AgentWay | undefined, b: AgentWay | undefined): boolean {
  return a?.path === b?.path && a?.installed === b?.installed;
}
