/**
 * Folders on disk as a source of skills. Metadata is in memory, bytes stay on disk. A change is published when the files
 * have come to rest, as one change, and costs the reading of what changed; a half-written file is never published.
 *
 * The scan itself is in `folder-tree.ts`, what it means in `publish-skills.ts`; this file keeps the state, decides when to
 * look again, and answers reads from it.
 */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceSkill } from '../skill-source.ts';
import type { AssembledFile } from './assemble-skill.ts';
import { type DirectoryReport, toReport } from './directory-report.ts';
import {
  type DirectoryRoot,
  hasMoved,
  type RootState,
  relocate,
  resolveRoots,
  rootPlace,
  unusable,
} from './directory-root.ts';
import { createSlices } from './disk-speed.ts';
import { createFileFacts } from './file-facts.ts';
import { isPassingCode } from './file-stamp.ts';
import { dirtyFolders, type FolderNode, FolderUnreadable, growTree, renewTree, type Walk } from './folder-tree.ts';
import { createFolderWatcher, type FolderWatcher } from './folder-watcher.ts';
import { isInside } from './links.ts';
import { createPublisher, fileOf, type Publication } from './publish-skills.ts';
import { createRestTimer } from './rest-timer.ts';

export interface DirectoryOptions {
  /** False: changes are noticed only when a file is read. Default true. */
  readonly watch?: boolean;
  /** Folders that are watched at most; beyond it, and where the system allows fewer, the source polls. */
  readonly maxWatchers?: number;
}

export interface DirectorySource extends SkillSource {
  /** Exactly what would be published, what is withheld, and every finding. */
  report(signal?: AbortSignal): Promise<DirectoryReport>;
}

/**
 * A source of the skills in one or several folders.
 *
 * @example
 * ```ts
 * const source = directorySource(['./skills', { path: '../team/skills', label: 'team' }]);
 * ```
 */
export function directorySource(
  folders: string | readonly (string | DirectoryRoot)[],
  options: DirectoryOptions = {},
): DirectorySource {
  const given = (typeof folders === 'string' ? [folders] : folders).map((folder) =>
    typeof folder === 'string' ? { path: folder } : folder,
  );
  const wantsWatch = options.watch !== false;
  const cache = createFileFacts(isLocal);
  const slices = createSlices();
  const publisher = createPublisher(cache);
  const listeners = new Set<(change: SourceChange) => void>();
  const dirty = new Set<string>();
  let roots: RootState[] | undefined;
  let current: Publication | undefined;
  let watcher: FolderWatcher | undefined;
  let watchNote: Finding | undefined;
  let round: NodeJS.Timeout | undefined;
  let links: { readonly from: string; readonly target: string }[] = [];
  let brokenLinks: { readonly folder: string; readonly link: string }[] = [];
  let lastScanMs = 0;
  const passing = new Set<string>();
  let closed = false;
  let work: Promise<unknown> = Promise.resolve();

  const rest = createRestTimer(() => queue(settle));

  function isLocal(path: string): boolean {
    return roots?.find(({ real }) => isInside(real, path))?.local === true;
  }

  /** Scans run one after the other. */
  function queue<T>(step: () => Promise<T>): Promise<T> {
    const next = work.then(step);
    work = next.catch(() => undefined);
    return next;
  }

  function markDirty(folder: string): void {
    dirty.add(folder);
    // What lies behind a link is seen through the folder in which the link stands.
    for (const { from, target } of links) if (isInside(target, folder) || isInside(folder, target)) dirty.add(from);
    rest.disturb();
  }

  function markAll(): void {
    for (const state of roots ?? []) {
      dirty.add(state.real);
      if (state.tree !== undefined) for (const folder of foldersOf(state.tree)) dirty.add(folder);
    }
    rest.disturb();
  }

  function walk({ local }: RootState, signal?: AbortSignal): Walk {
    return {
      local,
      slices,
      roots: (roots ?? []).map((state) => state.real),
      onFolder: (folder, isNew) => watcher?.add(folder, isNew),
      onPassing: (folder) => passing.add(folder),
      remaining: limits.scan.entries,
      links: limits.scan.links,
      ...(signal === undefined ? {} : { signal }),
    };
  }

  async function scanRoot(state: RootState, changed: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    try {
      if (current !== undefined && (state.tree === undefined || changed.has(state.real))) await relocate(state);
      state.tree =
        state.tree === undefined
          ? await growTree(rootPlace(state), walk(state, signal))
          : await renewTree(state.tree, dirtyFolders(changed), walk(state, signal));
      delete state.unavailable;
    } catch (error) {
      if (!(error instanceof FolderUnreadable)) throw error;
      if (current === undefined) throw unusable(state.root, error.code);
      if (state.tree !== undefined && isPassingCode(error.code)) {
        // The root is as it was until it can be read again.
        for (const folder of changed) passing.add(folder);
        return;
      }
      delete state.tree;
      const message = `the served folder cannot be read (${error.code}); its skills are not served`;
      state.unavailable = finding('root-unavailable', message, { file: state.root.path });
    }
  }

  async function scan(signal?: AbortSignal): Promise<Publication> {
    roots ??= await resolveRoots(given);
    // What changes from here on is for the next scan.
    const changed = new Set(dirty);
    dirty.clear();
    passing.clear();
    const startedMs = performance.now();
    const { skills, findings, retry } = await publishRoots(roots, changed, signal).catch((error: unknown) => {
      // What this scan did not get to is looked at by a later one.
      for (const folder of changed) passing.add(folder);
      scheduleRound();
      throw error;
    });
    for (const folder of retry) passing.add(folder);
    lastScanMs = performance.now() - startedMs;
    const lost = roots.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]));
    return { skills, findings: [...lost, ...(watchNote === undefined ? [] : [watchNote]), ...findings], retry };
  }

  async function publishRoots(
    states: readonly RootState[],
    changed: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<Publication> {
    await Promise.all(states.map((state) => scanRoot(state, changed, signal)));
    return publisher.publish(
      states.flatMap(({ tree, root }) =>
        tree === undefined
          ? []
          : [{ tree, nested: root.nested !== false, ...(root.label === undefined ? {} : { label: root.label }) }],
      ),
    );
  }

  /** Takes over a scan: tells the listeners what is different. */
  function publish(next: Publication): void {
    const previous = current;
    current = next;
    housekeeping(next);
    if (previous === undefined) return;
    const upserted: SourceSkill[] = [];
    const removed: string[] = [];
    for (const [uri, { skill }] of next.skills) if (previous.skills.get(uri)?.skill !== skill) upserted.push(skill);
    for (const uri of previous.skills.keys()) if (!next.skills.has(uri)) removed.push(uri);
    if (upserted.length + removed.length === 0 && sameFindings(previous.findings, next.findings)) return;
    for (const listener of [...listeners]) listener({ upserted, removed, findings: next.findings });
  }

  function housekeeping(next: Publication): void {
    if (roots === undefined) return;
    const folders = new Set<string>();
    brokenLinks = [];
    links = [];
    for (const { tree, real } of roots) {
      folders.add(real);
      if (tree === undefined) continue;
      for (const node of nodesOf(tree)) {
        folders.add(node.real);
        for (const link of node.broken) brokenLinks.push({ folder: node.real, link });
        for (const { target } of node.links) links.push({ from: node.real, target });
      }
    }
    watcher?.retain(folders);
    const files = [...next.skills.values()].flatMap(({ assembled }) => assembled.files);
    if (cache.size > 2 * files.length + 1_000) cache.retain(new Set(files.map(({ node }) => node.real)));
    scheduleRound();
  }

  /** Scans what is dirty and publishes it if it has come to rest; else waits for the next rest. */
  async function settle(): Promise<void> {
    if (closed || current === undefined) return;
    let next: Publication;
    let unrest: readonly string[];
    try {
      next = await scan();
      unrest = await restless(current, next);
    } catch (error) {
      const failed = finding('scan-failed', `the folder could not be scanned: ${(error as Error).message}`);
      const before = current.findings.filter(({ rule }) => rule !== 'scan-failed');
      next = { skills: current.skills, findings: [failed, ...before], retry: [] };
      unrest = [];
    }
    // Folders that changed while they were read, or files that look half-written, are looked at again first.
    if (!closed && !rest.isOverdue() && (dirty.size > 0 || unrest.length > 0)) {
      for (const folder of unrest) dirty.add(folder);
      rest.disturb();
      return;
    }
    if (!closed) publish(next);
    rest.settled();
    if (dirty.size > 0) rest.disturb();
  }

  /** Folders in which something is probably still being written. */
  async function restless(before: Publication, next: Publication): Promise<readonly string[]> {
    const folders = new Set<string>();
    for (const [uri, { skill, assembled }] of next.skills) {
      const old = before.skills.get(uri);
      if (old?.skill === skill) continue;
      for (const file of assembled.files) {
        const was = old === undefined ? undefined : fileOf(old, file.path)?.facts;
        if (was?.digest === file.facts.digest) continue;
        const emptied = was !== undefined && was.size > 0 && file.facts.size === 0;
        if (emptied || !(await cache.isCurrent(file.node.real, file.facts.digest)))
          folders.add(dirname(file.node.real));
      }
    }
    // A skill that was fine and is broken now: most likely its SKILL.md is being saved.
    for (const [uri, { assembled }] of before.skills)
      if (!next.skills.has(uri) && (await exists(assembled.folder.real))) folders.add(assembled.folder.real);
    return [...folders];
  }

  /** Looks now and then for what no watch tells: a root that moved or is back, a link that leads somewhere again. */
  function scheduleRound(): void {
    const lost = roots?.some((state) => state.tree === undefined) === true;
    if (closed || round !== undefined || !(lost || watcher !== undefined || passing.size > 0)) return;
    // Where everything is polled, most of the time is left to other work.
    const pauseMs = watchNote === undefined ? limits.watch.pollMs : Math.max(limits.watch.pollMs, 10 * lastScanMs);
    round = setTimeout(() => {
      makeRound().catch((error: unknown) => {
        watchNote = finding('watch-limit', `folders cannot be watched: ${(error as Error).message}`);
      });
    }, pauseMs);
    round.unref();
  }

  async function makeRound(): Promise<void> {
    try {
      if (watchNote !== undefined) markAll();
      for (const folder of [...passing]) markDirty(folder);
      for (const state of roots ?? []) if (await hasMoved(state)) markDirty(state.real);
      for (const { folder, link } of brokenLinks) if (await exists(link)) markDirty(folder);
    } finally {
      round = undefined;
      scheduleRound();
    }
  }

  function startWatching(): void {
    if (watcher !== undefined || !wantsWatch || closed) return;
    watcher = createFolderWatcher({
      most: options.maxWatchers ?? limits.watch.watchers,
      onChange: markDirty,
      onLimit(reason) {
        watchNote = finding('watch-limit', `folders cannot be watched (${reason}), so they are polled`);
        markAll();
      },
    });
    for (const { tree } of roots ?? [])
      if (tree !== undefined) for (const folder of foldersOf(tree)) watcher.add(folder, false);
  }

  async function load(signal?: AbortSignal): Promise<Publication> {
    if (closed) throw new SkillwireError('CLOSED', 'cannot list the folder: its source was closed');
    return queue(async () => {
      if (current !== undefined) markAll();
      const next = await scan(signal);
      publish(next);
      return next;
    });
  }

  /** The published file with this URI. In canonical spelling the URI of a skill begins those of its files. */
  function fileAt(uri: string): AssembledFile | undefined {
    const parsed = tryParseSkillUri(uri);
    if (parsed === undefined) return undefined;
    const canonical = parsed.uri;
    let depth = parsed.segments.length - 1;
    for (let slash = canonical.lastIndexOf('/'); depth > 0; slash = canonical.lastIndexOf('/', slash - 1), depth--) {
      const published = current?.skills.get(`${canonical.slice(0, slash)}/${skillFileName}`);
      const file = published === undefined ? undefined : fileOf(published, parsed.segments.slice(depth).join('/'));
      if (file !== undefined) return file;
    }
    return undefined;
  }

  return {
    name: given.map((root) => root.path).join(', '),
    watched: wantsWatch,
    async *list({ signal }) {
      const { skills, findings } = await load(signal);
      yield { skills: [...skills.values()].map(({ skill }) => skill), findings };
    },
    async get(uri) {
      const canonical = tryParseSkillUri(uri)?.uri ?? uri;
      const known = current?.skills.get(canonical);
      if (known === undefined) return undefined;
      for (const folder of foldersOf(known.assembled.folder)) dirty.add(folder);
      dirty.add(dirname(known.assembled.folder.real));
      await rest.settledAfterNow();
      return current?.skills.get(canonical)?.skill;
    },
    async open(uri) {
      const file = fileAt(uri);
      if (file === undefined) return undefined;
      const read = await cache.read(file.node.real, file.isSkillFile);
      return 'fault' in read ? undefined : { bytes: read.bytes, digest: read.facts.digest };
    },
    async isCurrent(uri, digest) {
      const file = fileAt(uri);
      return file !== undefined && cache.isCurrent(file.node.real, digest);
    },
    watch(listener) {
      listeners.add(listener);
      startWatching();
      return () => {
        listeners.delete(listener);
      };
    },
    async report(signal) {
      const { skills, findings } = await load(signal);
      return { skills: [...skills.values()].map(toReport), findings };
    },
    async close() {
      closed = true;
      clearTimeout(round);
      rest.close();
      watcher?.close();
      await work;
    },
  };
}

function* nodesOf(node: FolderNode): Generator<FolderNode> {
  yield node;
  for (const child of node.folders) yield* nodesOf(child);
}

function* foldersOf(node: FolderNode): Generator<string> {
  for (const { real } of nodesOf(node)) yield real;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // A folder that may not be looked into is still there.
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

function sameFindings(a: readonly Finding[], b: readonly Finding[]): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b);
}
