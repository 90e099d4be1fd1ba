/**
 * A catalog from which skills can be switched off while it is served: they leave listings, entries and files alike, as if they were not
 * there, and come back as they are. A skill that carries the files of one that is off is off with it. Which ones are off is asked
 * anew when told to; until the first answer nothing is handed out. Where nothing is off, everything is that of the catalog itself.
 */
import { SkillwireError } from '../errors.ts';
import type { SourceContext } from '../sources/skill-source.ts';
import type { Catalog, CatalogChange, FileContent } from './catalog.ts';
import { changeWithin, visibleRecords } from './nested-records.ts';
import { indexSkills } from './skill-index.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

export interface SwitchedCatalog extends Catalog {
  /** Asks again what is off, and tells listeners of what that changes. */
  renew(): Promise<void>;
}

/** @param switchedOff URIs of skills of the snapshot that are off */
export function switchedCatalog(
  catalog: Catalog,
  switchedOff: (snapshot: Snapshot) => Promise<ReadonlySet<string>>,
): SwitchedCatalog {
  const listeners = new Set<(change: CatalogChange) => void>();
  let views = new WeakMap<Snapshot, Snapshot>();
  let off: ReadonlySet<string> = new Set();
  let renewals = 0;
  let first: Promise<void> | undefined;
  let isReady = false;
  let last: Promise<void> = Promise.resolve();
  let unsubscribe: (() => void) | undefined;

  /** Grows with each snapshot and each renewal, so that no two views have one number. */
  function viewOf(snapshot: Snapshot): Snapshot {
    if (renewals === 0) return snapshot;
    const known = views.get(snapshot);
    if (known !== undefined) return known;
    const generation = snapshot.generation + renewals;
    const kept = visibleRecords(snapshot.skills, ({ entry }) => !off.has(entry.uri));
    const same = kept.length === snapshot.skills.length;
    const view = same ? { ...snapshot, generation } : snapshotOf(generation, indexSkills(kept), snapshot.findings);
    views.set(snapshot, view);
    return view;
  }

  async function ask(): Promise<void> {
    const snapshot = await catalog.snapshot();
    const next = await switchedOff(snapshot);
    if (sameSet(off, next)) return;
    const previous = viewOf(snapshot);
    off = next;
    renewals++;
    views = new WeakMap();
    const view = viewOf(snapshot);
    const missingIn = (other: Snapshot, { skills }: Snapshot): readonly string[] =>
      skills.map(({ entry }) => entry.uri).filter((uri) => other.skill(uri) === undefined);
    const removed = missingIn(view, previous);
    const added = missingIn(previous, view);
    const files = [...removed.map((uri) => previous.skill(uri)), ...added.map((uri) => view.skill(uri))].flatMap(
      (skill) => [...(skill?.files.values() ?? [])].map(({ uri }) => uri),
    );
    if (removed.length + added.length === 0) return;
    for (const listener of [...listeners])
      listener({ snapshot: view, previous, added, removed, changed: [], files: files.sort() });
  }

  /** One after the other: an earlier answer must not come after a later one. */
  function renew(): Promise<void> {
    last = last.then(ask, ask);
    return last;
  }

  function ready(): Promise<void> {
    first ??= renew().then(() => {
      isReady = true;
    });
    return first;
  }

  function pass(change: CatalogChange): void {
    const [snapshot, previous] = [viewOf(change.snapshot), viewOf(change.previous)];
    const nothing = { snapshot, previous, added: [], removed: [], changed: [], files: [] };
    const told = off.size === 0 ? { ...change, snapshot, previous } : changeWithin(change, snapshot, previous);
    for (const listener of [...listeners]) listener(told ?? nothing);
  }

  function isOff(snapshot: Snapshot, uri: string): boolean {
    if (off.size === 0) return false;
    const owner = snapshot.skill(uri) ?? snapshot.file(uri)?.skill;
    return owner !== undefined && isSkillOff(snapshot, owner.entry.uri);
  }

  function isSkillOff(snapshot: Snapshot, uri: string): boolean {
    return off.has(uri) || (snapshot.skill(uri) !== undefined && viewOf(snapshot).skill(uri) === undefined);
  }

  async function read(uri: string, context: SourceContext): Promise<FileContent> {
    await ready();
    if (off.size > 0 && isOff(await catalog.snapshot(context.signal), uri))
      throw new SkillwireError('FILE_NOT_FOUND', `cannot read "${uri}": the skill is disabled`, { data: { uri } });
    return catalog.read(uri, context);
  }

  return {
    watched: catalog.watched,
    renew,
    async snapshot(signal) {
      await ready();
      return viewOf(await catalog.snapshot(signal));
    },
    now() {
      const snapshot = isReady ? catalog.now?.() : undefined;
      return snapshot === undefined ? undefined : viewOf(snapshot);
    },
    async refresh(signal) {
      await ready();
      return viewOf(await catalog.refresh(signal));
    },
    async find(uri, context) {
      await ready();
      const found = await catalog.find(uri, context);
      if (found === undefined || off.size === 0) return found;
      return isSkillOff(await catalog.snapshot(context.signal), found.entry.uri) ? undefined : found;
    },
    async templates(context) {
      await ready();
      return catalog.templates(context);
    },
    read,
    readNow: (uri) => (isReady && off.size === 0 ? catalog.readNow?.(uri) : undefined),
    async peek(uri, signal) {
      await ready();
      const content = await catalog.peek(uri, signal);
      if (content === undefined || off.size === 0) return content;
      return isSkillOff(await catalog.snapshot(signal), content.file.skill.entry.uri) ? undefined : content;
    },
    subscribeReads: (listener) =>
      catalog.subscribeReads((content) => {
        if (!off.has(content.file.skill.entry.uri)) listener(content);
      }),
    ...(catalog.freshUntil === undefined ? {} : { freshUntil: (uri) => catalog.freshUntil?.(uri) }),
    subscribe(listener) {
      unsubscribe ??= catalog.subscribe(pass);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      };
    },
    close: () => catalog.close(),
    [Symbol.asyncDispose]: () => catalog.close(),
  };
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((uri) => b.has(uri));
}
