/**
 * A source in which some skills are pinned: the snapshot is served at the URI of the live skill, even after that is gone. The live skill is
 * compared from time to time. A difference is reported as a finding and in the entry's `_meta`; the live content is never served. A live
 * skill inside a pinned one is not served either, since the pinned entry does not name its bytes.
 */
import { createListeners } from '../async/listeners.ts';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { sameJson } from '../skill/json.ts';
import type { Provenance } from '../skill/provenance.ts';
import { type SkillSet, sameSet, setDigest, setOf } from '../skill/skill-set.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import {
  deriveSource,
  type SkillSource,
  type SourceChange,
  type SourceContext,
  type SourceFile,
  type SourcePage,
  type SourceSkill,
  type SourceStatus,
} from '../sources/skill-source.ts';
import { createPinner, type PinRule } from './pin-rules.ts';
import {
  folderOf,
  isActive,
  type PinnedDrift,
  type PinnedSkill,
  type PinnedSkills,
  pinnedSource,
} from './pinned-skill.ts';

export interface WithPinnedOptions {
  /** Milliseconds between reads of the pins, if the source is watched. */
  readonly everyMs?: number;
  /** Milliseconds between comparisons with a live skill that reports no changes. */
  readonly driftMs?: number;
  /** Skills that are pinned as soon as they appear, if the source is watched and pins can be added. */
  readonly rules?: readonly PinRule[];
  /** Provenance of a pinned skill, for its `_meta`. */
  readonly origin?: (skill: PinnedSkill) => Provenance;
  readonly now?: () => number;
}

/** Serves pinned skills in place of the live ones of a source. */
export function withPinned(source: SkillSource, pinned: PinnedSkills, options: WithPinnedOptions = {}): SkillSource {
  const { everyMs = limits.pin.everyMs, driftMs = limits.pin.driftMs, rules = [], now = Date.now } = options;
  const pinWanted = rules.length === 0 ? undefined : createPinner(rules);
  /** Pinned and live skills, by URI. */
  let active = new Map<string, PinnedSkill>();
  const live = new Map<string, SourceSkill>();
  const listeners = createListeners<SourceChange>();
  /** When each live skill was last compared. */
  const checkedAt = new Map<string, number>();
  let sourceFindings: readonly Finding[] = [];
  let refused: readonly Finding[] = [];
  /** Why the pins cannot be read; the last known ones are served. */
  let unusable: string | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let checking: Promise<void> | undefined;

  async function load(): Promise<void> {
    const all = (await pinned.list()).filter((skill) => isActive(skill, now()));
    active = new Map(all.map((skill) => [skill.entry.uri, skill]));
  }

  /** The pinned skill that has this URI inside its folder. */
  function around(uri: string): PinnedSkill | undefined {
    for (const skill of active.values()) if (uri.startsWith(folderOf(skill.entry.uri))) return skill;
    return undefined;
  }

  function isHidden(uri: string): boolean {
    return !active.has(uri) && around(uri) !== undefined;
  }

  function shown(skill: PinnedSkill): SourceSkill {
    return pinnedSource(skill, now(), options.origin?.(skill));
  }

  function served(uri: string): SourceSkill | undefined {
    const skill = active.get(uri);
    if (skill !== undefined) return shown(skill);
    return isHidden(uri) ? undefined : live.get(uri);
  }

  function findings(): readonly Finding[] {
    const own: Finding[] = unusable === undefined ? [...refused] : [finding('pinned-unusable', unusable), ...refused];
    for (const { entry, drift, pinnedAt } of active.values())
      if (drift !== undefined)
        own.push(
          finding(
            'pinned-drift',
            `"${entry.uri}" was pinned at ${pinnedAt}; the live skill differs since ${drift.seenAt}`,
            { skill: entry.uri },
          ),
        );
    for (const uri of live.keys())
      if (isHidden(uri))
        own.push(
          finding(
            'pinned-parent',
            `${quoteText(uri)} is not served: ${quoteText(around(uri)?.entry.uri ?? '')} around it is pinned`,
            { skill: uri },
          ),
        );
    return own.length === 0 ? sourceFindings : [...sourceFindings, ...own];
  }

  function notify(uris: Iterable<string>): void {
    const upserted: SourceSkill[] = [];
    const removed: string[] = [];
    for (const uri of uris) {
      const skill = served(uri);
      if (skill === undefined) removed.push(uri);
      else upserted.push(skill);
    }
    const change = { upserted, removed, findings: findings() };
    listeners.call(change);
  }

  /**
   * The files of the live skill with their current digests. Of a dynamic skill these are the pinned files that it still serves.
   * `undefined` if its origin fails: that says nothing about a change, and readers of the live skill see the failure.
   */
  async function liveSet(pin: PinnedSkill, skill: SourceSkill, context: SourceContext): Promise<SkillSet | undefined> {
    const promised = setOf(skill.entry);
    if (promised !== undefined) return promised;
    const set: { uri: string; digest: string }[] = [];
    for (const { uri } of setOf(pin.entry) ?? []) {
      const isMain = uri === skill.entry.uri;
      try {
        const file = await source.open(uri, context);
        if (file !== undefined) set.push({ uri, digest: await sha256Digest(file.bytes) });
        else if (isMain) return undefined;
      } catch (error) {
        context.signal?.throwIfAborted();
        if (!(error instanceof SkillwireError)) throw error;
        if (isMain || error.code !== 'FILE_NOT_FOUND') return undefined;
      }
    }
    return set;
  }

  /** Compares a live skill with its pin, file by file. True if the drift changed. */
  async function compareWithLive(
    uri: string,
    skill: SourceSkill | undefined,
    context: SourceContext,
  ): Promise<boolean> {
    const pin = active.get(uri);
    if (pin === undefined || skill === undefined) return false;
    const set = await liveSet(pin, skill, context);
    if (set === undefined || active.get(uri) !== pin) return false;
    const digest = await setDigest(set);
    const same = sameSet(set, setOf(pin.entry) ?? []);
    if (same ? pin.drift === undefined : pin.drift?.digest === digest) return false;
    const drift: PinnedDrift | undefined = same ? undefined : { digest, seenAt: new Date(now()).toISOString() };
    active.set(uri, { ...pin, drift });
    await pinned.noteDrift?.(uri, drift);
    return true;
  }

  /** Finds new, removed and expired pins, and live skills that drifted. */
  async function checkPins(): Promise<void> {
    const before = active;
    await load();
    const noted = refused;
    await pinNew();
    const changed = new Set<string>();
    for (const uri of new Set([...before.keys(), ...active.keys()])) {
      if (sameJson(before.get(uri), active.get(uri))) continue;
      changed.add(uri);
      for (const other of live.keys()) if (other.startsWith(folderOf(uri))) changed.add(other);
    }
    for (const uri of [...active.keys()]) {
      const skill = live.get(uri);
      if (skill === undefined || now() < (checkedAt.get(uri) ?? 0) + driftMs) continue;
      checkedAt.set(uri, now());
      if (await compareWithLive(uri, skill, {})) changed.add(uri);
    }
    if (changed.size > 0 || !sameJson(noted, refused)) notify(changed);
  }

  async function pinNew(): Promise<void> {
    const { add } = pinned;
    if (pinWanted === undefined || add === undefined) return;
    const current = [...active.values()];
    refused = await pinWanted({ source, live: live.keys(), pinned: current, now: now(), store: (pin) => add(pin) });
    await load();
  }

  function checkNow(): Promise<void> {
    checking ??= checkPins()
      .then(
        () => undefined,
        (error: unknown) => `the pins cannot be read: ${reasonOf(error)}`,
      )
      .then((fault) => {
        checking = undefined;
        if (fault === unusable) return;
        unusable = fault;
        notify([]);
      });
    return checking;
  }

  async function open(uri: string, context: SourceContext): Promise<SourceFile | undefined> {
    if (timer === undefined) await load();
    const own = tryParseSkillUri(uri)?.uri ?? uri;
    const holder = around(own);
    if (holder === undefined) return source.open(uri, context);
    const file = holder.entry.resources.find((one) => one.uri === own);
    if (file === undefined) return undefined;
    const bytes = await pinned.bytes(file.digest);
    if (bytes !== undefined) return { bytes, digest: file.digest };
    throw new SkillwireError('STATE_UNUSABLE', `Cannot read "${own}": its pinned bytes are lost. Pin it again.`, {
      data: { uri: own, digest: file.digest },
    });
  }

  return deriveSource(source, {
    search: 'pass',
    name: 'pass',
    async *list(context) {
      await load();
      live.clear();
      const found: Finding[] = [];
      const pages: SourcePage[] = [];
      let failure: { readonly error: unknown } | undefined;
      try {
        for await (const listed of source.list(context)) {
          for (const skill of listed.skills) live.set(skill.entry.uri, skill);
          found.push(...listed.findings);
          const skills = listed.skills.filter(({ entry }) => around(entry.uri) === undefined);
          pages.push({ ...listed, skills, findings: [] });
        }
      } catch (error) {
        failure = { error };
      }
      sourceFindings = found;
      // Without a watcher, listing is the time to compare.
      if (timer === undefined) for (const uri of [...active.keys()]) await compareWithLive(uri, live.get(uri), context);
      // Pinned skills are listed even if the source fails.
      yield page([...active.values()].map(shown));
      yield* pages;
      if (failure !== undefined) throw failure.error;
      yield page([], findings());
    },
    status: {
      map: (status) => async (context) => {
        try {
          return await status(context);
        } catch (error) {
          context.signal?.throwIfAborted();
          await load();
          if (active.size === 0 || !(error instanceof SkillwireError)) throw error;
          return pinnedStatus;
        }
      },
    },
    async get(uri, context) {
      const own = tryParseSkillUri(uri)?.uri ?? uri;
      if (timer === undefined) await load();
      if (!active.has(own)) return isHidden(own) ? undefined : source.get(uri, context);
      if (timer === undefined) await compareWithLive(own, await liveSkill(own, context), context);
      return served(own);
    },
    open,
    isCurrent(uri, digest) {
      const holder = around(uri);
      if (holder !== undefined)
        return holder.entry.resources.some((file) => file.uri === uri && file.digest === digest);
      return source.isCurrent?.(uri, digest) ?? true;
    },
    readDirectory: 'pass',
    templates: 'pass',
    readResource: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: {
      map: (watch) => (listener) => {
        const remove = listeners.add(listener, () => {
          clearInterval(timer);
          timer = undefined;
        });
        const stop = watch(onChange);
        timer ??= setInterval(() => void checkNow(), everyMs);
        return () => {
          remove();
          stop();
        };
      },
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      await checking;
      await source.close?.();
    },
  });

  /** `undefined` also if the source does not answer: the pinned skill is still served. */
  async function liveSkill(uri: string, context: SourceContext): Promise<SourceSkill | undefined> {
    try {
      return await source.get(uri, context);
    } catch (error) {
      context.signal?.throwIfAborted();
      if (error instanceof SkillwireError) return undefined;
      throw error;
    }
  }

  function onChange(change: SourceChange): void {
    for (const uri of change.removed) live.delete(uri);
    for (const skill of change.upserted) live.set(skill.entry.uri, skill);
    sourceFindings = change.findings;
    const concerned = [...change.removed, ...change.upserted.map(({ entry }) => entry.uri)];
    notify(concerned.filter((uri) => !active.has(uri)));
    for (const uri of concerned) checkedAt.delete(uri);
    if (pinWanted !== undefined || concerned.some((uri) => active.has(uri))) void checkNow();
  }
}

/** For a source that does not answer but has pinned skills. */
const pinnedStatus: SourceStatus = { skills: true, directoryRead: false };

function page(skills: readonly SourceSkill[], findings: readonly Finding[] = []): SourcePage {
  return { skills, findings };
}
