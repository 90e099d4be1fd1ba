/**
 * Applies the serving decisions (`serving/`) to one origin.
 *
 * - A skill that needs approval is served exactly as approved: the accepted entry, with bytes from the store, even after the origin
 *   changed. A new version waits, and none of its bytes are served.
 * - Denied and disabled skills do not exist for readers. A skill that its origin removed is removed here.
 * - A skill is served only if every skill inside it is, because it has their files too.
 * - Content rules are judged on bytes. `SKILL.md` is read before a skill is served if a rule needs it. Every other file is judged when it is
 *   read, and if a rule denies it, its skill is denied.
 *
 * `serving/` calls `refresh()` whenever its decisions change.
 */

import { isDoneWithin } from '../async/deadline.ts';
import { createListeners } from '../async/listeners.ts';
import { limits } from '../limits.ts';
import { createKnownContent } from '../serving/known-content.ts';
import type { JudgedSkill } from '../serving/serving-facts.ts';
import type { DecidedOrigin, OriginDecisions, Unserved } from '../serving/serving-state.ts';
import { sha256Digest } from '../skill/digest.ts';
import { skillFileName } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { folderPath, pathsAround } from '../skill/nested-skills.ts';
import { originMetaKey } from '../skill/provenance.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import {
  deriveSource,
  type SkillSource,
  type SourceChange,
  type SourceFile,
  type SourceSkill,
} from '../sources/skill-source.ts';
import { approvedSource, createApprovedBytes, sameFiles, withFilesOf } from './approved-skill.ts';
import { createInspection, type SkillToRead } from './inspection.ts';
import { createStandings, type OwnStanding, type Served } from './serving-standings.ts';
import { waitingSkills } from './waiting-skills.ts';

export interface PolicedSource extends SkillSource, Omit<DecidedOrigin, 'label'> {
  /** Skills that a person may still decide about, in the origin's current version: waiting, disabled, or denied by a person. */
  readonly waiting: SkillSource;
}

const encoder = new TextEncoder();

export function withPolicy(source: SkillSource, decisions: OriginDecisions): PolicedSource {
  const live = new Map<string, SourceSkill>();
  const listeners = createListeners<SourceChange>();
  const known = createKnownContent();
  const inspection = createInspection({
    source,
    known,
    bytes: (digest) => decisions.bytes(digest),
    noteSignature: (entry, bytes) => decisions.noteSignature(entry, bytes),
  });
  const approvedBytes = createApprovedBytes(source, decisions, (uri) => live.get(uri)?.entry);
  const standings = createStandings();
  const waiting = waitingSkills(source);
  /** Changes during each running listing. */
  const listings = new Set<Map<string, SourceSkill | undefined>>();
  let sourceFindings: readonly Finding[] = [];
  let deciding: Promise<unknown> = Promise.resolve();
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  /** Decisions run one after the other, so an older one never overrides a newer one. They never wait for the origin. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = deciding.then(work);
    deciding = turn.catch(() => undefined);
    return turn;
  }

  function setLive(uri: string, skill: SourceSkill | undefined): void {
    if (skill === undefined) live.delete(uri);
    else live.set(uri, skill);
    for (const late of listings) late.set(uri, skill);
  }

  /** The decision about a skill on its own; `undefined` if the origin does not have it. */
  async function judge(uri: string): Promise<OwnStanding | undefined> {
    const skill = live.get(uri);
    if (skill === undefined) return undefined;
    const verdict = decisions.verdict(skill, known);
    if (verdict.effect === 'serve') return { skill, served: { skill: claimed(skill), approved: false } };
    const why = verdict.effect === 'none' ? verdict.why : undefined;
    const approval = decisions.approved(uri);
    // Without a valid approval there is no older version to serve.
    if (approval === undefined) return { skill, why: why ?? waitingFor('new') };
    const resigned = why === undefined && decisions.coversResigned(approval.entry, skill.entry);
    const same = resigned || sameFiles(skill.entry, approval.entry);
    const accepted = approvedSource(skill, resigned ? withFilesOf(approval, skill.entry) : approval, same);
    const unserved = why ?? (same ? undefined : waitingFor('changed', decisions.signerChange(skill.entry)));
    const { effect } = decisions.verdict(accepted, known);
    // In open mode only a changed signer makes an approval necessary, and the approved version needs none.
    if (effect === 'none' || (effect === 'serve' && why !== undefined)) return { skill, why: unserved };
    if (!same && !(await approvedBytes.isWhole(approval))) return { skill, why: unserved, lost: true };
    return { skill, why: unserved, served: { skill: claimed(accepted), approved: true } };
  }

  /** With this gateway's verdict about the signature in the provenance. */
  function claimed(skill: SourceSkill): SourceSkill {
    const { entry } = skill;
    const signature = decisions.signatureClaim(entry);
    const origin = entry._meta?.[originMetaKey];
    if (signature === undefined || typeof origin !== 'object' || origin === null) return skill;
    return { ...skill, entry: { ...entry, _meta: { ...entry._meta, [originMetaKey]: { ...origin, signature } } } };
  }

  function findings(): readonly Finding[] {
    const own = standings.findings();
    return own.length === 0 ? sourceFindings : [...sourceFindings, ...own];
  }

  function reportUnserved(): void {
    const now = standings.unserved();
    decisions.unserved(now.map(({ skill: { entry }, ...why }) => ({ entry, ...why })));
    waiting.replace(now.filter(({ state, by }) => state !== 'denied' || by === 'person').map(({ skill }) => skill));
    if (known.isDue()) forgetGone();
    approvedBytes.copySoon();
    retryLater();
  }

  function forgetGone(): void {
    known.retain([...live.values(), ...decisions.allApproved()].map(({ entry }) => entry));
  }

  function notify(upserted: readonly SourceSkill[], removed: readonly string[]): void {
    const change = { upserted, removed, findings: findings() };
    listeners.call(change);
  }

  /** Decides again about these skills and reports the differences. */
  function renew(uris: () => Iterable<string>): Promise<void> {
    return inTurn(async () => {
      const own = new Map<string, OwnStanding | undefined>();
      for (const uri of new Set(uris())) own.set(uri, await judge(uri));
      const { upserted, removed } = standings.settle(own);
      notify(upserted, removed);
      reportUnserved();
    });
  }

  /** The files that rules need: those never read, and the text of a dynamic skill that was denied and may have changed. */
  function toRead(skill: JudgedSkill): readonly SkillToRead[] {
    const { entry } = skill;
    const needed = decisions.unread(skill, known);
    if (needed.text || needed.signature !== undefined) return [{ entry, ...needed }];
    if (entry.resources !== 'dynamic' || !decisions.judgesContent()) return [];
    if (decisions.verdict(skill, known).effect !== 'none' || !decisions.allowsKind(entry)) return [];
    return [{ entry, text: true }];
  }

  function unread(skills: Iterable<SourceSkill>): readonly SkillToRead[] {
    if (!decisions.readsAhead()) return [];
    const wanted: SkillToRead[] = [];
    for (const skill of skills) {
      wanted.push(...toRead(skill));
      const approval = decisions.approved(skill.entry.uri);
      if (approval === undefined) continue;
      const needed = decisions.unread(approval, known);
      if (needed.text || needed.signature !== undefined) wanted.push({ entry: approval.entry, ...needed });
    }
    return wanted;
  }

  /** Decides about these skills after reading the files that a rule needs. */
  async function renewRead(uris: readonly string[], skills: readonly SkillToRead[]): Promise<void> {
    if (skills.length > 0) await inspection.read(skills);
    if (!closed) await renew(() => uris);
  }

  /** If the store fails, the previous decisions stay, and the next request reports the failure. */
  function inBackground(work: Promise<void>): void {
    work.catch(() => undefined);
  }

  async function refresh(): Promise<void> {
    const entries = unread(live.values());
    if (entries.length > 0) {
      const reading = inspection.read(entries);
      if (!(await isDoneWithin(reading, limits.policy.readPatienceMs)))
        inBackground(reading.then(() => (closed ? undefined : renew(() => [...live.keys()]))));
    }
    await renew(() => [...live.keys(), ...standings.uris()]);
  }

  /** A denied dynamic skill may change, and an origin that failed may recover. */
  function retryLater(): void {
    if (retryTimer !== undefined || closed || !decisions.readsAhead()) return;
    const worth = standings.unserved().filter(({ skill, by }) => by === 'rule' && toRead(skill).length > 0);
    if (worth.length === 0) return;
    const uris = worth.map(({ skill }) => skill.entry.uri);
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      inBackground(renewRead(uris, unread(uris.flatMap((uri) => live.get(uri) ?? []))));
    }, limits.policy.readAgainMs);
    retryTimer.unref?.();
  }

  /** The served skill that has this file. */
  function ownerOf(uri: string): Served | undefined {
    for (const folder of pathsAround(uri)) {
      const found = standings.served(`${folder}/${skillFileName}`);
      if (found === undefined) continue;
      const { resources } = found.skill.entry;
      if (resources === 'dynamic' || resources.some((file) => file.uri === uri)) return found;
    }
    return undefined;
  }

  /** The file if its bytes may be served, whatever its entry says. */
  async function judged({ skill }: Served, uri: string, file: SourceFile): Promise<SourceFile | undefined> {
    const { entry } = skill;
    const judges = decisions.judgesContent();
    if (!judges && entry.resources === 'dynamic') return file;
    const digest = judges ? await sha256Digest(file.bytes) : file.digest;
    const sent = judges && file.madeFrom !== undefined ? await sha256Digest(encoder.encode(file.madeFrom)) : undefined;
    if (digest !== undefined) known.note(entry, uri, file.bytes, digest, sent);
    if (!judges || decisions.verdict(skill, known).effect !== 'none') return file;
    await renew(() => [entry.uri]);
    return undefined;
  }

  const served = deriveSource(source, {
    search: 'drop',
    name: 'pass',
    async *list(context) {
      const found: Finding[] = [];
      const now = new Map<string, SourceSkill>();
      const late = new Map<string, SourceSkill | undefined>();
      listings.add(late);
      try {
        for await (const page of source.list(context)) {
          for (const skill of page.skills) now.set(skill.entry.uri, skill);
          found.push(...page.findings);
        }
        const entries = unread(now.values());
        if (entries.length > 0) await inspection.read(entries);
      } finally {
        listings.delete(late);
      }
      yield await inTurn(async () => {
        for (const [uri, skill] of late) {
          if (skill === undefined) now.delete(uri);
          else now.set(uri, skill);
        }
        live.clear();
        for (const [uri, skill] of now) live.set(uri, skill);
        sourceFindings = found;
        forgetGone();
        const own = new Map<string, OwnStanding | undefined>();
        for (const uri of live.keys()) own.set(uri, await judge(uri));
        standings.clear();
        standings.settle(own);
        reportUnserved();
        return { skills: standings.allServed(), findings: findings() };
      });
    },
    async get(uri, context) {
      const skill = await source.get(uri, context);
      const own = skill?.entry.uri ?? tryParseSkillUri(uri)?.uri ?? uri;
      const entries = skill === undefined ? [] : unread([skill]);
      if (entries.length > 0) await inspection.read(entries, context);
      return inTurn(async () => {
        setLive(own, skill);
        const { upserted, removed } = standings.settle(new Map([[own, await judge(own)]]));
        const around = upserted.filter(({ entry }) => entry.uri !== own);
        const gone = removed.filter((one) => one !== own);
        // Listeners learn about the skills around it; the caller gets the skill itself.
        if (around.length + gone.length > 0) notify(around, gone);
        return standings.served(own)?.skill;
      });
    },
    async open(uri, context) {
      const own = tryParseSkillUri(uri)?.uri ?? uri;
      const owner = ownerOf(own);
      if (owner === undefined) return undefined;
      const { entry } = owner.skill;
      if (entry.resources === 'dynamic' && isInDeniedFolder(own, entry.uri, decisions)) return undefined;
      const file = owner.approved ? await approvedBytes.open(own, entry, context) : await source.open(uri, context);
      return file === undefined ? undefined : judged(owner, own, file);
    },
    isCurrent(uri, digest) {
      const owner = ownerOf(uri);
      // Cached bytes of another origin with the same digest were not judged here.
      if (owner === undefined || known.textOf(uri, digest) === undefined) return false;
      const { resources } = owner.skill.entry;
      if (owner.approved)
        return resources !== 'dynamic' && resources.some((file) => file.uri === uri && file.digest === digest);
      return source.isCurrent?.(uri, digest) ?? true;
    },
    templates: {
      map: (templates) => async (context) =>
        (await templates(context)).filter(({ uriTemplate, name, description }) => {
          const entry = { uri: uriTemplate, frontmatter: { name, description }, resources: 'dynamic' } as const;
          return decisions.allowsKind(entry);
        }),
    },
    // These bypass the decisions.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'pass',
    freshUntil: 'pass',
    watch(listener) {
      const remove = listeners.add(listener);
      const stop = source.watch?.((change) => {
        for (const uri of change.removed) setLive(uri, undefined);
        for (const skill of change.upserted) setLive(skill.entry.uri, skill);
        sourceFindings = change.findings;
        const concerned = [...change.removed, ...change.upserted.map(({ entry }) => entry.uri)];
        const entries = unread(change.upserted);
        if (entries.length > 0) inBackground(renew(() => change.removed));
        inBackground(renewRead(concerned, entries));
      });
      return () => {
        remove();
        stop?.();
      };
    },
    watched: { get: () => source.watched ?? source.watch !== undefined },
    async close() {
      closed = true;
      clearTimeout(retryTimer);
      listeners.clear();
      await approvedBytes.close();
      await source.close?.();
    },
  });

  return Object.assign(served, {
    refresh,
    waiting: waiting.source,
    liveEntry: (uri: string) => live.get(uri)?.entry,
    unservedCounts() {
      const counts = { waiting: 0, denied: 0, disabled: 0, absent: 0 };
      for (const { skill, state } of standings.unserved()) {
        counts[state]++;
        if (standings.served(skill.entry.uri) === undefined) counts.absent++;
      }
      return counts;
    },
    absent: () =>
      standings
        .unserved()
        .filter(({ skill }) => standings.served(skill.entry.uri) === undefined)
        .map(({ skill: { entry }, ...why }) => ({ entry, ...why })),
    whyUnserved: (uri: string) => (live.has(uri) ? standings.whyUnserved(uri) : 'unknown'),
    isInUnserved(uri: string) {
      for (const folder of pathsAround(uri)) {
        const around = `${folder}/${skillFileName}`;
        if (live.has(around)) return standings.served(around) === undefined;
      }
      return false;
    },
  });
}

function waitingFor(change: 'new' | 'changed', signer?: string): Unserved {
  const known = change === 'new' ? 'no approval yet' : 'changed since approval';
  const reason = signer === undefined ? known : `${known}; ${signer}`;
  return { state: 'waiting', change, reason, by: 'rule' };
}

/** Whether a folder between a dynamic skill and its file is denied. The origin does not have to say which folders are skills. */
function isInDeniedFolder(uri: string, skillUri: string, decisions: Pick<OriginDecisions, 'deniesFolder'>): boolean {
  const own = folderPath(skillUri);
  const folder = folderPath(uri);
  for (const path of [folder, ...pathsAround(folder)]) {
    if (path.length <= own.length) return false;
    if (decisions.deniesFolder(path)) return true;
  }
  return false;
}
