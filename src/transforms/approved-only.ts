/**
 * An origin as a policy lets it be served. What needs approval is served exactly as it was approved: the entry that an approver
 * accepted, with bytes that the store holds for it, also when the origin has changed meanwhile; what is new waits and is told, and
 * nothing of it leaves. What the policy refuses does not exist for readers. A skill that its origin has given up is given up here.
 *
 * Decisions are looked at in `refresh()`, which whoever serves this calls before each answer: so an approval or a recall of another
 * process counts from the next request on.
 */
import { SkillwireError } from '../errors.ts';
import type { ServingVerdict } from '../policy/serving-policy.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { executableMetaKey, metaPrefix, type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceChange, SourceContext, SourceFile, SourceSkill } from '../sources/skill-source.ts';
import { waitingSkills } from './waiting-skills.ts';

/** `_meta` key: when the skill was approved, and whether its origin has another version by now. */
const approvedMetaKey: string = `${metaPrefix}approved`;

export interface ApprovedSkill {
  readonly entry: SkillEntry & { readonly resources: readonly SkillResource[] };
  /** ISO 8601. */
  readonly at: string;
}

/** What an origin has and is not served: `new` and `changed` wait for an approver. */
export interface HeldSkill {
  readonly skill: SourceSkill;
  readonly state: 'new' | 'changed' | 'refused';
  readonly reason: string;
}

/** What was decided about the skills of one origin, as far as it was loaded. */
export interface OriginDecisions {
  verdict(skill: Pick<SourceSkill, 'entry'>): ServingVerdict;
  approved(uri: string): ApprovedSkill | undefined;
  /** All of the origin. */
  allApproved(): readonly ApprovedSkill[];
  /** Bytes of an approved file. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  holds(digest: string): Promise<boolean>;
  pin(digest: string, bytes: Uint8Array): Promise<void>;
  /** Told of what kept bytes from being pinned, other than an origin that does not answer. Nobody waits for it, so nobody else hears. */
  pinFailed(error: unknown): void;
  /** Told after each look: all that is held back now. */
  held(skills: readonly HeldSkill[]): void;
}

export interface PolicedSource extends SkillSource {
  /** Takes over what was decided since the last look. */
  refresh(): Promise<void>;
  /** What waits for an approver, as the origin has it now. */
  readonly waiting: SkillSource;
  /** The entry that the origin has at a URI now, whatever is served there. */
  liveEntry(uri: string): SkillEntry | undefined;
}

/** `approved`: the entry and the bytes of an approval. */
interface Served {
  readonly skill: SourceSkill;
  readonly approved: boolean;
}

export function withPolicy(source: SkillSource, decisions: OriginDecisions): PolicedSource {
  const live = new Map<string, SourceSkill>();
  const served = new Map<string, Served>();
  /** Approvals whose bytes are all there; the state pins them. */
  const whole = new WeakSet<ApprovedSkill>();
  const listeners = new Set<(change: SourceChange) => void>();
  const waiting = waitingSkills(source);
  let below: readonly Finding[] = [];
  let pinning: Promise<void> | undefined;
  let deciding: Promise<unknown> = Promise.resolve();
  let closed = false;

  /** One decision after the other: an older one must never come after a newer one. Nothing in a turn asks the origin. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = deciding.then(work);
    deciding = turn.catch(() => undefined);
    return turn;
  }

  /** Whether all bytes of an approval are in the store. */
  async function isWhole(approval: ApprovedSkill): Promise<boolean> {
    if (whole.has(approval)) return true;
    for (const { digest } of approval.entry.resources) if (!(await decisions.holds(digest))) return false;
    whole.add(approval);
    return true;
  }

  async function pinAll(approval: ApprovedSkill): Promise<void> {
    for (const { uri, digest, size } of approval.entry.resources)
      if (!(await decisions.holds(digest)) && !(await pinFrom(uri, digest, size, {}))) return;
    whole.add(approval);
  }

  async function pinFrom(uri: string, digest: string, size: number, context: SourceContext): Promise<boolean> {
    const file = await source.open(uri, { ...context, maxBytes: size });
    if (file === undefined || file.bytes.length !== size || (await sha256Digest(file.bytes)) !== digest) return false;
    await decisions.pin(digest, file.bytes);
    return true;
  }

  /** What is served at a URI: undefined for nothing. */
  async function decide(uri: string): Promise<Served | undefined> {
    const skill = live.get(uri);
    if (skill === undefined) return undefined;
    const verdict = decisions.verdict(skill);
    if (verdict.effect === 'serve') return { skill, approved: false };
    const approval = decisions.approved(uri);
    // Without an approval that still is accepted there is nothing to fall back to.
    if (approval === undefined) return undefined;
    const same = sameFiles(skill.entry, approval.entry);
    const accepted = approvedSource(skill, approval, same);
    if (decisions.verdict(accepted).effect !== 'approval') return undefined;
    return same || (await isWhole(approval)) ? { skill: accepted, approved: true } : undefined;
  }

  function findings(): readonly Finding[] {
    const own: Finding[] = [];
    for (const [uri, skill] of live) {
      const verdict = decisions.verdict(skill);
      const name = quoteText(uri);
      const about = { skill: uri };
      if (verdict.effect === 'refuse')
        own.push(finding('policy-refused', `${name} is not served: ${verdict.reason}`, about));
      if (verdict.effect !== 'approval') continue;
      const approval = decisions.approved(uri);
      if (sameFiles(skill.entry, approval?.entry)) continue;
      if (approval === undefined) own.push(finding('policy-waiting', `${name} waits for approval`, about));
      else if (served.has(uri))
        own.push(
          finding('policy-waiting', `${name} has changed and waits for approval; it is served as it was`, about),
        );
      else own.push(finding('approved-lost', `${name} is not served: bytes that were approved are not there`, about));
    }
    return own.length === 0 ? below : [...below, ...own];
  }

  function held(): readonly HeldSkill[] {
    const all: HeldSkill[] = [];
    for (const [uri, skill] of live) {
      const verdict = decisions.verdict(skill);
      if (verdict.effect === 'refuse') all.push({ skill, state: 'refused', reason: verdict.reason });
      if (verdict.effect !== 'approval') continue;
      const approval = decisions.approved(uri);
      if (approval === undefined) all.push({ skill, state: 'new', reason: 'nobody has approved it' });
      else if (!sameFiles(skill.entry, approval.entry))
        all.push({ skill, state: 'changed', reason: 'it was approved as something else' });
    }
    return all;
  }

  function tellHeld(): void {
    const now = held();
    decisions.held(now);
    waiting.replace(now.filter(({ state }) => state !== 'refused').map(({ skill }) => skill));
  }

  /** Decides again about these, and tells what is different. */
  function renew(uris: () => Iterable<string>): Promise<void> {
    return inTurn(async () => {
      const upserted: SourceSkill[] = [];
      const removed: string[] = [];
      for (const uri of new Set(uris())) {
        const now = await decide(uri);
        const before = served.get(uri);
        if (now === undefined) {
          if (served.delete(uri)) removed.push(uri);
        } else if (before === undefined || !sameSource(before.skill, now.skill)) {
          served.set(uri, now);
          upserted.push(now.skill);
        }
      }
      const change = { upserted, removed, findings: findings() };
      for (const listener of [...listeners]) listener(change);
      tellHeld();
      pinSoon();
    });
  }

  /** Copies the bytes of what is approved as it is now, so that they are there when the origin changes. */
  function pinSoon(): void {
    pinning ??= (async () => {
      for (const approval of decisions.allApproved()) {
        if (closed) return;
        if (whole.has(approval) || !sameFiles(live.get(approval.entry.uri)?.entry, approval.entry)) continue;
        try {
          await pinAll(approval);
        } catch (error) {
          // An origin that does not answer now is asked again when its approvals are looked at next.
          if (!(error instanceof SkillwireError)) decisions.pinFailed(error);
        }
      }
    })().finally(() => {
      pinning = undefined;
    });
  }

  /** The served skill that has this file. */
  function ownerOf(uri: string): Served | undefined {
    for (let end = uri.lastIndexOf('/'); end > 0; end = uri.lastIndexOf('/', end - 1)) {
      const found = served.get(`${uri.slice(0, end)}/${skillFileName}`);
      if (found === undefined) continue;
      const { resources } = found.skill.entry;
      if (resources === 'dynamic' || resources.some((file) => file.uri === uri)) return found;
    }
    return undefined;
  }

  async function openApproved(uri: string, entry: SkillEntry, context: SourceContext): Promise<SourceFile | undefined> {
    const file = entry.resources === 'dynamic' ? undefined : entry.resources.find((one) => one.uri === uri);
    if (file === undefined) return undefined;
    const kept = await decisions.bytes(file.digest);
    if (kept !== undefined) return { bytes: kept, digest: file.digest };
    if (await pinFrom(uri, file.digest, file.size, context)) {
      const pinned = await decisions.bytes(file.digest);
      if (pinned !== undefined) return { bytes: pinned, digest: file.digest };
    }
    throw new SkillwireError('STATE_UNUSABLE', `cannot read "${uri}": its approved bytes are lost; approve it again`, {
      data: { uri, digest: file.digest },
    });
  }

  // What an origin says beside its skills goes past every decision.
  const { readDirectory: _directories, readResource: _resources, ...skills } = source;
  return {
    ...skills,
    async *list(context) {
      const found: Finding[] = [];
      const now = new Map<string, SourceSkill>();
      for await (const page of source.list(context)) {
        for (const skill of page.skills) now.set(skill.entry.uri, skill);
        found.push(...page.findings);
      }
      yield await inTurn(async () => {
        live.clear();
        for (const [uri, skill] of now) live.set(uri, skill);
        below = found;
        served.clear();
        for (const uri of live.keys()) {
          const decided = await decide(uri);
          if (decided !== undefined) served.set(uri, decided);
        }
        tellHeld();
        pinSoon();
        return { skills: [...served.values()].map(({ skill }) => skill), findings: findings() };
      });
    },
    async get(uri, context) {
      const skill = await source.get(uri, context);
      const own = skill?.entry.uri ?? tryParseSkillUri(uri)?.uri ?? uri;
      return inTurn(async () => {
        if (skill === undefined) live.delete(own);
        else live.set(own, skill);
        const decided = await decide(own);
        if (decided === undefined) served.delete(own);
        else served.set(own, decided);
        return decided?.skill;
      });
    },
    async open(uri, context) {
      const own = tryParseSkillUri(uri)?.uri ?? uri;
      const owner = ownerOf(own);
      if (owner === undefined) return undefined;
      return owner.approved ? openApproved(own, owner.skill.entry, context) : source.open(uri, context);
    },
    isCurrent(uri, digest) {
      const owner = ownerOf(uri);
      if (owner === undefined) return false;
      const { resources } = owner.skill.entry;
      if (owner.approved)
        return resources !== 'dynamic' && resources.some((file) => file.uri === uri && file.digest === digest);
      return source.isCurrent === undefined || source.isCurrent(uri, digest);
    },
    ...(source.templates === undefined
      ? {}
      : {
          async templates(context: SourceContext) {
            const all = (await source.templates?.(context)) ?? [];
            return all.filter(({ uriTemplate, name, description }) => {
              const entry = { uri: uriTemplate, frontmatter: { name, description }, resources: 'dynamic' } as const;
              return decisions.verdict({ entry }).effect === 'serve';
            });
          },
        }),
    watch(listener) {
      listeners.add(listener);
      const stop = source.watch?.((change) => {
        for (const uri of change.removed) live.delete(uri);
        for (const skill of change.upserted) live.set(skill.entry.uri, skill);
        below = change.findings;
        const concerned = [...change.removed, ...change.upserted.map(({ entry }) => entry.uri)];
        // Where the store fails, what was decided before stays; the next request tells of the failure.
        renew(() => concerned).catch(() => undefined);
      });
      return () => {
        listeners.delete(listener);
        stop?.();
      };
    },
    watched: source.watched ?? source.watch !== undefined,
    refresh: () => renew(() => [...live.keys(), ...served.keys()]),
    waiting: waiting.source,
    liveEntry: (uri) => live.get(uri)?.entry,
    async close() {
      closed = true;
      listeners.clear();
      await pinning;
      await source.close?.();
    },
  };
}

function sameFiles(a: SkillEntry | undefined, b: SkillEntry | undefined): boolean {
  if (a === undefined || b === undefined || a.resources === 'dynamic' || b.resources === 'dynamic') return false;
  if (a.resources.length !== b.resources.length) return false;
  const digests = new Map(b.resources.map(({ uri, digest }) => [uri, digest]));
  return a.resources.every(({ uri, digest }) => digests.get(uri) === digest);
}

function sameSource(a: SourceSkill, b: SourceSkill): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** An approved skill as it is served: its own files, and of the live one what is about the origin and not about the content. */
function approvedSource(live: SourceSkill, { entry, at }: ApprovedSkill, same: boolean): SourceSkill {
  const executable = entry._meta?.[executableMetaKey];
  const { [executableMetaKey]: _, ...meta } = live.entry._meta ?? {};
  const served: SkillEntry = {
    uri: entry.uri,
    frontmatter: entry.frontmatter,
    resources: entry.resources,
    _meta: {
      ...meta,
      ...(executable === undefined ? {} : { [executableMetaKey]: executable }),
      [approvedMetaKey]: { at, current: same },
    },
  };
  if (same) return { ...live, entry: served };
  const { listed, mediaTypes, ttlMs, cacheScope } = live;
  return {
    entry: served,
    listed,
    ...(mediaTypes === undefined ? {} : { mediaTypes }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(cacheScope === undefined ? {} : { cacheScope }),
  };
}
