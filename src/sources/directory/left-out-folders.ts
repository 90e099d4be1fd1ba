/**
 * Skills in folders that are not looked into, so that none is missing without a word: one finding for each folder, with their number
 * and how to include them. Links are not followed, and a bounded number of entries is looked at.
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { below, type FolderNode } from './folder-node.ts';
import { agentFolderOf, installedReason } from './hidden-folders.ts';
import { withheldName } from './publish-rules.ts';
import { foldersToLookInto } from './resting-folder.ts';

/** What version control and package managers keep. */
const never = /^\.(?:git|svn|hg|bzr|jj|venv|tox|cache|npm|yarn|pnpm-store|Trash)$/;

export async function leftOutFolders(tree: FolderNode): Promise<readonly Finding[]> {
  const search: Search = { remaining: limits.scan.hiddenEntries, counts: new Map() };
  const installed = new Map<string, number>();
  for (const { shown, folder, reason } of candidates(tree)) {
    if (reason === installedReason) installed.set(dirname(shown), (installed.get(dirname(shown)) ?? 0) + 1);
    else if (!never.test(basename(shown))) await count(folder, shown, '', search);
  }
  return [
    ...[...search.counts].map(([shown, { skills, agent }]) => leftOut(shown, skills, agent, search.remaining <= 0)),
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

function leftOut(shown: string, skills: number, agent: boolean, atLeast: boolean): Finding {
  const message = `${atLeast ? 'at least ' : ''}${number(skills)} in this ${agent ? 'folder of an agent' : 'hidden folder'} ${skills === 1 ? 'is' : 'are'} not read`;
  return agent
    ? finding('agent-folder-left-out', message, {
        file: shown,
        remedy: `add --agent-folders ("agentFolders": true in skillwire.json), or name the folder ${shown}`,
      })
    : finding('hidden-folder-left-out', message, { file: shown, remedy: `name the folder ${shown}, or rename it` });
}

function number(skills: number): string {
  return skills === 1 ? '1 skill' : `${skills} skills`;
}

interface Candidate {
  readonly shown: string;
  readonly folder: string;
  readonly reason: string;
}

/** Entries outside of skills that were left out because they are hidden or installed. */
function* candidates(node: FolderNode): Generator<Candidate> {
  if (node.skillFile !== undefined) return;
  for (const { file, reason } of node.notes.withheld)
    if (reason === 'hidden' || reason === installedReason)
      yield { shown: file, folder: below(node.path.real, basename(file)), reason };
  for (const child of foldersToLookInto(node)) yield* candidates(child);
}

interface Search {
  remaining: number;
  readonly counts: Map<string, { skills: number; agent: boolean }>;
}

/** @param path from the hidden entry, for nothing but the folders of agents */
async function count(real: string, shown: string, path: string, search: Search): Promise<void> {
  if (search.remaining <= 0 || path.split('/').length > limits.scan.hiddenDepth) return;
  const entries = await readdir(real, { withFileTypes: true }).catch(unreadable);
  search.remaining -= entries.length;
  const top = path === '' ? shown : shown.slice(0, -path.length - 1);
  if (entries.some((entry) => entry.isFile() && entry.name.toLowerCase() === skillFileName.toLowerCase())) {
    const own = relative(dirname(top), shown).split(sep).join('/');
    const agent = agentFolderOf(own);
    const folder = agent === undefined ? top : below(dirname(top), agent.split('/').join(sep));
    const known = search.counts.get(folder);
    search.counts.set(folder, { skills: (known?.skills ?? 0) + 1, agent: agent !== undefined });
  }
  for (const entry of entries)
    if (entry.isDirectory() && !never.test(entry.name) && isOrdinary(entry.name))
      await count(
        below(real, entry.name),
        below(shown, entry.name),
        path === '' ? entry.name : `${path}/${entry.name}`,
        search,
      );
}

/** A folder that is not read cannot be counted if it cannot be opened, or is gone. */
function unreadable(error: unknown): [] {
  if (error instanceof Error && 'code' in error) return [];
  throw error;
}

function isOrdinary(name: string): boolean {
  return name.startsWith('.') || withheldName(name, true) === undefined;
}
