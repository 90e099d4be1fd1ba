/** Creates a catalog; `catalog.ts` has the guarantees. */

import { createBoundedCache } from '../async/bounded-cache.ts';
import { createListeners } from '../async/listeners.ts';
import { andThen, type MaybePromise } from '../async/maybe-promise.ts';
import { sharedWork } from '../async/shared-work.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { checkArgument, checkOptions, count } from '../skill/checked-options.ts';
import { type SkillResource, skillFileName } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { sameJson } from '../skill/json.ts';
import {
  type SkillSource,
  type SourceChange,
  type SourceContext,
  type SourceSkill,
  skillSource,
} from '../sources/skill-source.ts';
import {
  type Catalog,
  type CatalogChange,
  type FileContent,
  fileNotFound,
  type ReadContext,
  unstable,
  type Waiting,
} from './catalog.ts';
import { defaultListing, type ListingMode, listingMode } from './offered-skills.ts';
import { changedIndex, indexSkills, recordAt, type SkillIndex } from './skill-index.ts';
import { createRecord, type FileRecord, type SkillRecord } from './skill-record.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** A file may change again while its change is applied; after this many attempts a read fails. */
const readAttempts = 4;

/** If a source changes during every listing, the last listing is used with the changes applied. */
const listAttempts = 3;

export interface CatalogOptions {
  /** Size of the cache of read files; 0 if each file is read once. Default: `limits.cache.bytes`. */
  readonly cachedBytes?: number;
  /**
   * Which skills `skills/list` shows. `'compatible'`, the default, leaves out skills for which the official MCP client
   * rejects the whole listing; search and URIs still find them. `'all'` shows them too.
   */
  readonly listing?: ListingMode | undefined;
}

/**
 * Creates a catalog of a source. Nothing is read until it is needed.
 *
 * @example
 * ```ts
 * const catalog = createCatalog(memorySource({ 'git-workflow': { 'SKILL.md': text } }));
 * const { listed } = await catalog.snapshot();
 * ```
 *
 * @throws SkillwireError USAGE
 */
export function createCatalog(source: SkillSource, options: CatalogOptions = {}): Catalog {
  checkArgument('createCatalog()', 'source', source, skillSource);
  checkOptions('createCatalog()', options, { cachedBytes: count, listing: listingMode });
  const { cachedBytes = limits.cache.bytes, listing = defaultListing } = options;
  const cache = createBoundedCache<string, Uint8Array>(cachedBytes, cachedBytes / 4);
  const opening = sharedWork('read a file');
  const listeners = createListeners<CatalogChange>();
  const readers = createListeners<FileContent>();
  let index: SkillIndex = indexSkills([]);
  let current: Snapshot | undefined;
  let loading: Promise<Snapshot> | undefined;
  let pending: SourceChange[] | undefined;
  let unwatch: (() => void) | undefined;
  let closed = false;

  function assertOpen(): void {
    if (closed)
      throw new SkillwireError('CLOSED', `Cannot use the catalog of "${source.name}": it is closed. Create a new one.`);
  }

  /** Sets the first snapshot. */
  function begin(records: ReadonlyMap<string, SkillRecord>, findings: readonly Finding[]): Snapshot {
    index = indexSkills(records.values());
    current = snapshotOf(0, index, findings, listing);
    return current;
  }

  /** Sets a new snapshot and calls the listeners, if anything differs. Records are by URI, `undefined` if removed. */
  function publish(
    previous: Snapshot,
    records: ReadonlyMap<string, SkillRecord | undefined>,
    findings: readonly Finding[],
  ): Snapshot {
    const added: string[] = [];
    const removed: string[] = [];
    const changed: string[] = [];
    const files = new Set<string>();
    const changes = new Map<string, SkillRecord | undefined>();
    for (const [uri, after] of records) {
      const before = recordAt(index, uri);
      if (before === undefined && after === undefined) continue;
      if (before !== undefined && after !== undefined && sameSkill(before, after)) continue;
      changes.set(uri, after);
      if (before === undefined) added.push(uri);
      else if (after === undefined) removed.push(uri);
      else changed.push(uri);
      for (const file of changedFiles(before, after)) files.add(file);
    }
    if (changes.size === 0 && sameJson(previous.findings, findings)) return previous;
    if (changes.size > 0) index = changedIndex(index, changes);
    const snapshot = snapshotOf(previous.generation + 1, index, findings, listing);
    current = snapshot;
    listeners.call({ snapshot, previous, added, removed, changed, files: [...files].sort() });
    return snapshot;
  }

  function apply(change: SourceChange): void {
    if (closed) return;
    if (pending !== undefined) {
      pending.push(change);
      return;
    }
    // After a failed listing, a change is not complete: the next caller lists again.
    if (current === undefined) return;
    const records = new Map<string, SkillRecord | undefined>();
    for (const uri of change.removed) records.set(uri, undefined);
    for (const skill of change.upserted) records.set(skill.entry.uri, createRecord(skill));
    publish(current, records, change.findings);
  }

  /** Lists the source. A change reported meanwhile may be older or newer than the listing, so it is listed again. */
  async function load(): Promise<Snapshot> {
    unwatch ??= source.watch?.(apply);
    for (let attempt = 1; ; attempt++) {
      pending = [];
      try {
        const next = new Map<string, SkillRecord>();
        const findings: Finding[] = [];
        for await (const page of source.list({})) {
          for (const skill of page.skills) next.set(skill.entry.uri, createRecord(skill));
          findings.push(...page.findings);
        }
        assertOpen();
        if (pending.length > 0 && attempt < listAttempts) continue;
        const late = pending;
        pending = undefined;
        const loaded = current === undefined ? begin(next, findings) : publish(current, replacing(next), findings);
        for (const change of late) apply(change);
        return current ?? loaded;
      } finally {
        pending = undefined;
      }
    }
  }

  /** A whole listing as a change: skills that are not in it are removed. */
  function replacing(next: ReadonlyMap<string, SkillRecord>): ReadonlyMap<string, SkillRecord | undefined> {
    const records = new Map<string, SkillRecord | undefined>(next);
    for (const { entry } of index.skills) if (!records.has(entry.uri)) records.set(entry.uri, undefined);
    return records;
  }

  function refresh({ signal }: Waiting = {}): Promise<Snapshot> {
    assertOpen();
    // Concurrent callers share one listing, so the signal of one must not cancel it for the others.
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return unlessAborted(loading, signal);
  }

  function snapshot(waiting?: Waiting): MaybePromise<Snapshot> {
    assertOpen();
    return current ?? refresh(waiting);
  }

  /** Reads one skill again from the source. */
  async function renew(uri: string, context: SourceContext): Promise<SourceSkill | undefined> {
    const fresh = await source.get(uri, plain(context));
    assertOpen();
    const findings = current?.findings ?? [];
    if (fresh !== undefined) apply({ upserted: [fresh], removed: [], findings });
    else if (recordAt(index, uri) !== undefined) apply({ upserted: [], removed: [uri], findings });
    return fresh;
  }

  async function readDynamic(file: FileRecord, context: SourceContext): Promise<FileContent> {
    const opened = await source.open(file.uri, plain(context));
    if (opened === undefined) throw fileNotFound(file.uri);
    return { file, bytes: opened.bytes };
  }

  /** The `SKILL.md` of an unlisted skill, if the source has templates. */
  async function fileOfTemplate(uri: string, context: SourceContext): Promise<FileRecord | undefined> {
    if (source.templates === undefined || !uri.endsWith(`/${skillFileName}`)) return undefined;
    const skill = await find(uri, context);
    return skill?.files.get(skillFileName);
  }

  async function find(uri: string, context: SourceContext): Promise<SkillRecord | undefined> {
    const known = (await snapshot(context)).skill(uri);
    if (known !== undefined) return known;
    const fresh = await source.get(uri, plain(context));
    if (fresh === undefined) return undefined;
    apply({ upserted: [{ ...fresh, listed: false }], removed: [], findings: current?.findings ?? [] });
    return current?.skill(fresh.entry.uri);
  }

  function read(uri: string, context: ReadContext, attempt = 1): MaybePromise<FileContent> {
    if (attempt > readAttempts) throw unstable(uri);
    return andThen(snapshot(context), (latest) => {
      const known = latest.file(uri);
      if (context.localOnly === true) return readLocal(uri, known, context);
      return andThen(known ?? fileOfTemplate(uri, context), (file) => {
        if (file === undefined) throw fileNotFound(uri);
        const { resource } = file;
        if (resource === undefined) return readDynamic(file, context);
        const again = async (): Promise<FileContent> =>
          (await readAnew(file, resource, context)) ?? read(uri, context, attempt + 1);
        const bytes = cache.get(resource.digest);
        if (bytes === undefined) return again();
        const isCurrent = source.isCurrent?.(file.uri, resource.digest) ?? true;
        return andThen(isCurrent, (same) => (same ? handOut({ file, bytes }) : again()));
      });
    });
  }

  /** `undefined` if the source has other bytes; the skill was then read again. */
  async function readAnew(
    file: FileRecord,
    resource: SkillResource,
    context: ReadContext,
  ): Promise<FileContent | undefined> {
    const bytes = await openShared(file.uri, resource, context);
    if (bytes !== undefined) {
      cache.put(resource.digest, bytes, bytes.length);
      return handOut({ file, bytes });
    }
    context.signal?.throwIfAborted();
    await renew(file.skill.entry.uri, context);
    return undefined;
  }

  /** The bytes that the entry names; `undefined` if the source has others now. */
  async function open(
    uri: string,
    { digest, size }: SkillResource,
    context: SourceContext,
  ): Promise<Uint8Array | undefined> {
    const opened = await source.open(uri, plain(context));
    return opened?.digest === digest && opened.bytes.length === size ? opened.bytes : undefined;
  }

  /** Large files are opened once for all callers that come meanwhile, so that each of them is in memory once. */
  function openShared(uri: string, resource: SkillResource, context: SourceContext): Promise<Uint8Array | undefined> {
    if (resource.size <= limits.reads.wholeBytes) return open(uri, resource, context);
    return opening.run(`${resource.digest} ${uri}`, context.signal, (signal) =>
      open(uri, resource, { ...context, signal }),
    );
  }

  async function readLocal(uri: string, file: FileRecord | undefined, context: ReadContext): Promise<FileContent> {
    if (file?.resource === undefined) throw fileNotFound(uri);
    const { digest, size } = file.resource;
    const isLocal = file.skill.source.isLocal === true;
    const bytes =
      cache.get(digest) ??
      (isLocal ? await open(file.uri, file.resource, { ...plain(context), maxBytes: size }) : undefined);
    if (bytes === undefined) throw fileNotFound(uri);
    return { file, bytes };
  }

  function handOut(content: FileContent): FileContent {
    if (readers.size > 0 && content.file.path === skillFileName) readers.call(content);
    return content;
  }

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    unwatch?.();
    listeners.clear();
    readers.clear();
    await source.close?.();
  }

  return {
    watched: source.watched ?? source.watch !== undefined,
    snapshot,
    refresh,
    find,
    async templates(context) {
      // The templates of a source are known once it was listed.
      await snapshot(context);
      return source.templates?.(plain(context));
    },
    read,
    freshUntil: source.freshUntil === undefined ? undefined : (uri) => source.freshUntil?.(uri),
    subscribeReads(listener) {
      return readers.add(listener);
    },
    subscribe(listener) {
      return listeners.add(listener);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A plain copy: spreading a class instance would lose its signal. The signal is still created lazily. */
function plain(context: SourceContext): SourceContext {
  return {
    ...context,
    get signal() {
      return context.signal as AbortSignal;
    },
  };
}

function manifest(skill: SkillRecord | undefined): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const resources = skill?.entry.resources;
  if (resources !== undefined && resources !== 'dynamic')
    for (const { uri, digest } of resources) files.set(uri, digest);
  return files;
}

/** URIs of files that only one of the two has, or whose bytes differ. */
function changedFiles(before: SkillRecord | undefined, after: SkillRecord | undefined): readonly string[] {
  const old = manifest(before);
  const now = manifest(after);
  const changed: string[] = [];
  for (const [uri, digest] of now) if (old.get(uri) !== digest) changed.push(uri);
  for (const uri of old.keys()) if (!now.has(uri)) changed.push(uri);
  return changed;
}

/** True if nothing that a surface shows differs. */
function sameSkill(before: SkillRecord, after: SkillRecord): boolean {
  return sameJson(before.source, after.source);
}
