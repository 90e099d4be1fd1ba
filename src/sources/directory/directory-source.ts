/**
 * Serves skills from folders on disk. Metadata is in memory, bytes stay on disk. Changes are published
 * together after a quiet period. Only changed files are read, and a half-written file is never published.
 *
 * `folder-tree.ts` scans, `publish-skills.ts` interprets the scan. This file has the state, decides when to scan again,
 * and answers reads.
 */

import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { createBoundedCache } from '../../async/bounded-cache.ts';
import { createListeners } from '../../async/listeners.ts';
import { createSlices, monotonicMs } from '../../async/slices.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { sameJson } from '../../skill/json.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceSkill } from '../skill-source.ts';
import { createDebounce } from './debounce.ts';
import { createDigestCache } from './digest-cache.ts';
import { checkDirectoryCall, type DirectoryOptions } from './directory-options.ts';
import { type DirectoryReport, toReport } from './directory-report.ts';
import {
  type DirectoryRoot,
  type RootState,
  relocate,
  resolveRoots,
  rootPlace,
  unusable,
  unusedNames,
} from './directory-root.ts';
import { createEntryNames } from './entry-names.ts';
import { createFileReader } from './file-facts.ts';
import { isPassing, isPassingCode } from './file-stamp.ts';
import { FolderUnreadable } from './folder-listing.ts';
import type { AssembledFile, FolderNode } from './folder-node.ts';
import { dirtyFolders, growTree, renewTree } from './folder-tree.ts';
import { createFollower, exists, isJustWritten } from './follow-folders.ts';
import { nodesOf } from './lazy-folder.ts';
import { leftOutFolders } from './left-out-folders.ts';
import { isInside } from './links.ts';
import { namedFiles } from './publish-rules.ts';
import { createPublisher, fileAt, fileOf, type Proposal } from './publish-skills.ts';
import type { Walk } from './walk.ts';

/** Changes that seem unfinished. */
interface Unfinished {
  readonly folders: readonly string[];
  /** A skill would disappear only because its `SKILL.md`, which was just written, cannot be read. */
  readonly saving: boolean;
}

/** A source over folders, which can also report what it found. */
export interface DirectorySource extends SkillSource {
  /** Returns exactly what would be published, what is not published, and every finding. */
  report(signal?: AbortSignal): Promise<DirectoryReport>;
}

/**
 * A source of the skills in one or several folders.
 *
 * @example
 * ```ts
 * const source = directorySource(['./skills', { path: '../team/skills', label: 'team' }]);
 * ```
 *
 * @throws SkillwireError USAGE
 */
export function directorySource(
  folders: string | readonly (string | DirectoryRoot)[],
  options: DirectoryOptions = {},
): DirectorySource {
  checkDirectoryCall(folders, options);
  const configured = (typeof folders === 'string' ? [folders] : folders).map((folder) =>
    typeof folder === 'string' ? { path: folder } : folder,
  );
  const wantsWatch = options.watch !== false;
  const slices = createSlices();
  const names = createEntryNames();
  const named = namedFiles(configured);
  const dirty = new Set<string>();
  const passing = new Set<string>();
  const listeners = createListeners<SourceChange>();
  let roots: RootState[] | undefined;
  let loaded = false;
  let reported: readonly Finding[] = [];
  let cacheNote: Finding | undefined;
  let leftOut: readonly Finding[] = [];
  let closed = false;
  let work: Promise<unknown> = Promise.resolve();

  const quiet = createDebounce(() => queue(settle));
  const cache = createDigestCache({
    cache: options.cache ?? true,
    slices,
    trees: () => publisher.trees,
    onFailure(found) {
      cacheNote = found;
      if (!closed) notify([], [], allFindings(publisher.findings));
    },
  });
  const reader = createFileReader(cache.onNews, options.onRead);
  const publisher = createPublisher(reader, named);
  const found = createBoundedCache<string, AssembledFile>(limits.cache.foundUris);
  const follower = createFollower({
    most: options.maxWatchers ?? limits.watch.watchers,
    slices,
    roots: () => roots ?? [],
    passing,
    mark: markDirty,
    markAll,
  });

  function isLocal(path: string): boolean {
    return roots?.find(({ real }) => isInside(real, path))?.disk.local === true;
  }

  /** Scans run one at a time. */
  function queue<T>(step: () => Promise<T>): Promise<T> {
    const next = work.then(step);
    work = next.catch(() => undefined);
    return next;
  }

  function markDirty(folder: string): void {
    dirty.add(folder);
    // A linked folder is seen through the folder that contains the link.
    for (const from of follower.linksTo(folder)) dirty.add(from);
    quiet.disturb();
  }

  function markAll(): void {
    for (const state of roots ?? []) {
      dirty.add(state.real);
      if (state.tree !== undefined) for (const folder of foldersOf(state.tree)) dirty.add(folder);
    }
    quiet.disturb();
  }

  function walk({ disk, root }: RootState, signal?: AbortSignal): Walk {
    return {
      isLocal,
      slices,
      names,
      named,
      agentFolders: root.agentFolders !== undefined && root.agentFolders !== false,
      trustsStamps: disk.stampsFolders,
      roots: (roots ?? []).map((state) => state.real),
      onFolder: follower.add,
      onNews: cache.onNews,
      onPassing: (folder) => passing.add(folder),
      remaining: limits.scan.entries,
      links: limits.scan.links,
      signal,
    };
  }

  async function scanRoot(state: RootState, changed: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    try {
      if (loaded && (state.tree === undefined || changed.has(state.real))) await relocate(state);
      state.tree =
        state.tree === undefined
          ? await growTree(rootPlace(state), walk(state, signal), loaded ? undefined : cache.load(state.real))
          : await renewTree(state.tree, dirtyFolders(changed), walk(state, signal));
      delete state.unavailable;
    } catch (error) {
      if (!(error instanceof FolderUnreadable)) throw error;
      if (!loaded) throw unusable(state.root, error.code);
      if (state.tree !== undefined && isPassingCode(error.code)) {
        // The root stays unchanged until it can be read again.
        for (const folder of changed) passing.add(folder);
        return;
      }
      delete state.tree;
      const message = `the served folder cannot be read (${error.code}); its skills are not served`;
      state.unavailable = finding('root-unavailable', message, { file: state.root.path });
    }
  }

  async function scan(signal?: AbortSignal): Promise<Proposal> {
    roots ??= await resolveRoots(configured);
    // Later changes belong to the next scan.
    const changed = new Set(dirty);
    dirty.clear();
    passing.clear();
    const startedMs = monotonicMs();
    try {
      const proposal = await proposeRoots(roots, changed, signal);
      for (const folder of proposal.retry) passing.add(folder);
      return proposal;
    } catch (error) {
      // A later scan covers what this one did not reach.
      for (const folder of changed) passing.add(folder);
      follower.scheduleRound();
      throw error;
    } finally {
      follower.scanTook(monotonicMs() - startedMs);
    }
  }

  async function proposeRoots(
    states: readonly RootState[],
    changed: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<Proposal> {
    await Promise.all(states.map((state) => scanRoot(state, changed, signal)));
    return publisher.propose(
      states.flatMap(({ tree, root: { nested, label, agentFolders } }) =>
        tree === undefined
          ? []
          : [{ tree, nested: nested !== false, label, marksAgentFolders: agentFolders === 'read' }],
      ),
    );
  }

  /** Adds the findings that the trees do not contain. */
  function allFindings(found: readonly Finding[]): readonly Finding[] {
    const lost = (roots ?? []).flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]));
    const notes = [follower.note(), cacheNote, ...unusedNames(roots ?? []), ...leftOut].filter(
      (note) => note !== undefined,
    );
    const all = lost.length + notes.length === 0 ? found : [...lost, ...notes, ...found];
    // Returns the same list if nothing differs, so that comparisons are cheap.
    return sameJson(reported, all) ? reported : all;
  }

  /** Accepts a scan and notifies the listeners of the differences. */
  function publish(next: Proposal): void {
    const before = publisher.trees;
    publisher.accept(next);
    found.clear();
    follower.treesChanged(before, publisher.trees);
    const removed = next.removed.map(({ skill }) => skill.entry.uri);
    notify(
      next.upserted.map(({ skill }) => skill),
      removed,
      allFindings(next.findings),
    );
  }

  function notify(upserted: readonly SourceSkill[], removed: readonly string[], findings: readonly Finding[]): void {
    const differs = upserted.length + removed.length > 0 || findings !== reported;
    reported = findings;
    if (!loaded || !differs) return;
    listeners.call({ upserted, removed, findings });
  }

  /** Scans dirty folders and publishes them after a quiet period; else waits for the next one. */
  async function settle(): Promise<void> {
    if (closed || !loaded) return;
    let next: Proposal | undefined;
    let failed: Finding | undefined;
    let unfinished: Unfinished = { folders: [], saving: false };
    try {
      next = await scan();
      unfinished = await findUnfinished(next);
    } catch (error) {
      failed = finding('scan-failed', `the folder could not be scanned: ${(error as Error).message}`);
    }
    // Folders that changed during the scan, and files that look half-written, are scanned again first.
    const longestMs = unfinished.saving ? limits.watch.longestSaveMs : limits.watch.longestWaitMs;
    if (!closed && !quiet.isOverdue(longestMs) && (dirty.size > 0 || unfinished.folders.length > 0)) {
      for (const folder of unfinished.folders) dirty.add(folder);
      quiet.disturb();
      return;
    }
    if (!closed) {
      if (next !== undefined) publish(next);
      else if (failed !== undefined) notify([], [], [failed, ...reported.filter(({ rule }) => rule !== 'scan-failed')]);
    }
    quiet.settled();
    if (dirty.size > 0) quiet.disturb();
  }

  async function findUnfinished({ upserted, removed }: Proposal): Promise<Unfinished> {
    const folders = new Set<string>();
    for (const { skill, assembled } of upserted) {
      const old = publisher.skills.get(skill.entry.uri);
      for (const file of assembled.files) {
        const was = old === undefined ? undefined : fileOf(old, file.path)?.facts;
        if (was?.digest === file.facts.digest) continue;
        const emptied = was !== undefined && was.size > 0 && file.facts.size === 0;
        if (emptied || !(await reader.isCurrent(file.node, file.facts.digest))) folders.add(dirname(file.node.real));
      }
    }
    // A good skill that is broken now: most likely its SKILL.md is being saved.
    let saving = false;
    for (const { assembled } of removed) {
      const { path, skillFile } = assembled.folder;
      if (!(await exists(path.real))) continue;
      folders.add(path.real);
      saving ||= skillFile !== undefined && (await isJustWritten(skillFile.real));
    }
    return { folders: [...folders], saving };
  }

  async function load(signal?: AbortSignal): Promise<void> {
    if (closed) throw new SkillwireError('CLOSED', 'Cannot list the folder: its source is closed. Create a new one.');
    await queue(async () => {
      if (loaded) markAll();
      const next = await scan(signal);
      leftOut = (await Promise.all(next.roots.map(({ tree }) => leftOutFolders(tree)))).flat();
      publish(next);
      loaded = true;
      if (listeners.size > 0 && wantsWatch) follower.armSoon();
      cache.writeSoon();
    });
  }

  function publishedFile(uri: string): AssembledFile | undefined {
    const known = found.get(uri);
    if (known !== undefined) return known;
    const file = fileAt(publisher.skills, uri);
    if (file !== undefined) found.put(uri, file, 1);
    return file;
  }

  return {
    name: configured.map((root) => root.path).join(', '),
    watched: wantsWatch,
    async *list({ signal }) {
      await load(signal);
      yield { skills: [...publisher.skills.values()].map(({ skill }) => skill), findings: reported };
    },
    async get(uri) {
      const canonical = tryParseSkillUri(uri)?.uri ?? uri;
      const known = publisher.skills.get(canonical);
      if (known === undefined) return undefined;
      const { folder } = known.assembled;
      for (const real of foldersOf(folder)) dirty.add(real);
      // The parent folder changed only if this one was replaced or removed.
      if (!isStillThere(folder)) dirty.add(dirname(folder.path.real));
      await quiet.settledAfterNow();
      return publisher.skills.get(canonical)?.skill;
    },
    async open(uri) {
      const file = publishedFile(uri);
      if (file === undefined) return undefined;
      const read = await reader.read(file.node, file.isSkillFile);
      if (!('fault' in read)) return { bytes: read.bytes, digest: read.facts.digest };
      if (read.fault === 'unreadable' && isPassing(read)) throw unreadableNow(uri, read.error);
      return undefined;
    },
    isCurrent(uri, digest) {
      const file = publishedFile(uri);
      return file !== undefined && reader.isCurrent(file.node, digest);
    },
    watch(listener) {
      const remove = listeners.add(listener);
      if (loaded && wantsWatch && !closed) follower.armSoon();
      return remove;
    },
    async report(signal) {
      await load(signal);
      return { skills: [...publisher.skills.values()].map(toReport), findings: reported };
    },
    async close() {
      if (closed) return;
      closed = true;
      quiet.close();
      follower.close();
      await work;
      await cache.close();
    },
  };
}

/** The failure says nothing about the file, so it does not count as changed. */
function unreadableNow(uri: string, reason: string): SkillwireError {
  return new SkillwireError('FILE_UNREADABLE', `Cannot read "${uri}" at the moment (${reason}). Try again.`, {
    data: { uri, reason },
  });
}

function isStillThere({ path, dev, ino }: FolderNode): boolean {
  const now = lstatSync(path.real, { throwIfNoEntry: false });
  return now?.isDirectory() === true && now.dev === dev && now.ino === ino;
}

function* foldersOf(node: FolderNode): Generator<string> {
  for (const { path } of nodesOf(node)) yield path.real;
}
