/**
 * Reports skills in hidden folders that are not read: one finding for each folder, with the number of skills and how to include
 * them. Links are not followed, and the number of entries is limited.
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { ListedEntry } from './folder-listing.ts';
import { below, type FolderNode } from './folder-node.ts';
import { agentFolderOf, installedReason } from './hidden-folders.ts';
import { foldersToLookInto } from './lazy-folder.ts';
import { unpublishedName } from './publish-rules.ts';

/** Folders of version control and package managers. */
const never = /^\.(?:git|svn|hg|bzr|jj|venv|tox|cache|npm|yarn|pnpm-store|Trash)$/;

/** The entries of a folder; none if it cannot be read. */
type ListEntries = (real: string) => Promise<readonly Pick<ListedEntry, 'name' | 'kind'>[]>;

/** @param inside lists the folders of an archive or a commit; by default they are on the disk, and a user can name them */
export async function leftOutFolders(tree: FolderNode, inside?: ListEntries): Promise<readonly Finding[]> {
  const search: Search = { remaining: limits.scan.hiddenEntries, counts: new Map(), list: inside ?? onDisk };
  const installed = new Map<string, number>();
  for (const { shown, folder, reason } of candidates(tree)) {
    if (reason === installedReason) installed.set(dirname(shown), (installed.get(dirname(shown)) ?? 0) + 1);
    else if (!never.test(basename(shown))) await count(folder, shown, '', search);
  }
  return [
    ...[...search.counts].map(([shown, { skills, agent }]) => leftOut(shown, skills, agent, search)),
    ...[...installed].map(([shown, skills]) =>
      finding(
        'installed-copies',
        `${number(skills)} here ${skills === 1 ? 'is' : 'are'} listed in a lock file and not read`,
        {
          file: shown,
        },
      ),
    ),
  ];
}

function leftOut(shown: string, skills: number, agent: boolean, { remaining, list }: Search): Finding {
  const atLeast = remaining <= 0 ? 'at least ' : '';
  const message = `${atLeast}${number(skills)} in this ${agent ? 'folder of an agent' : 'hidden folder'} ${skills === 1 ? 'is' : 'are'} not read`;
  const canBeNamed = list === onDisk;
  const remedy = agent
    ? `add --agent-folders ("agentFolders": true in skillwire.json)${canBeNamed ? `, or name the folder ${shown}` : ''}`
    : `${canBeNamed ? `name the folder ${shown}, or ` : ''}rename it`;
  return finding(agent ? 'agent-folder-left-out' : 'hidden-folder-left-out', message, { file: shown, remedy });
}

function number(skills: number): string {
  return skills === 1 ? '1 skill' : `${skills} skills`;
}

interface Candidate {
  readonly shown: string;
  readonly folder: string;
  readonly reason: string;
}

/** Entries outside of skills that are not published because they are hidden or installed. */
function* candidates(node: FolderNode): Generator<Candidate> {
  if (node.skillFile !== undefined) return;
  for (const { file, reason } of node.notes.unpublished)
    if (reason === 'hidden' || reason === installedReason)
      yield { shown: file, folder: below(node.path.real, basename(file)), reason };
  for (const child of foldersToLookInto(node)) yield* candidates(child);
}

interface Search {
  remaining: number;
  readonly list: ListEntries;
  readonly counts: Map<string, { skills: number; agent: boolean }>;
}

/** @param path below the hidden entry */
async function count(real: string, shown: string, path: string, search: Search): Promise<void> {
  if (search.remaining <= 0 || path.split('/').length > limits.scan.hiddenDepth) return;
  const entries = await search.list(real);
  search.remaining -= entries.length;
  const top = path === '' ? shown : shown.slice(0, -path.length - 1);
  if (entries.some(({ name, kind }) => kind === 'file' && name.toLowerCase() === skillFileName.toLowerCase())) {
    const own = relative(dirname(top), shown).split(sep).join('/');
    const agent = agentFolderOf(own);
    const folder = agent === undefined ? top : below(dirname(top), agent.split('/').join(sep));
    const known = search.counts.get(folder);
    search.counts.set(folder, { skills: (known?.skills ?? 0) + 1, agent: agent !== undefined });
  }
  for (const entry of entries)
    if (entry.kind === 'folder' && !never.test(entry.name) && isOrdinary(entry.name))
      await count(
        below(real, entry.name),
        below(shown, entry.name),
        path === '' ? entry.name : `${path}/${entry.name}`,
        search,
      );
}

async function onDisk(real: string): ReturnType<ListEntries> {
  try {
    const entries = await readdir(real, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'special',
    }));
  } catch (error) {
    // A missing or unreadable folder cannot be counted.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

function isOrdinary(name: string): boolean {
  return name.startsWith('.') || unpublishedName(name, true) === undefined;
}
