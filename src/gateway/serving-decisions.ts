/**
 * What was decided about the skills that a server passes on, from its state: approvals as `skillwire approve` writes them, denials as
 * `skillwire deny` does, and the policy of the configuration. Before each answer the state is looked at; where anything was
 * written to it, every origin is decided about again, so a decision of another process counts from the next request on.
 *
 * What is held back stands in the state under `['held', label, uri]`, for whoever approves; that it is, and why, is in the audit.
 */
import { readApproval } from '../host/approval.ts';
import { readText } from '../policy/file-facts.ts';
import { createServingPolicy, type ServingPolicy, type ServingRules } from '../policy/serving-policy.ts';
import { type JsonValue, type SkillEntry, skillFileName } from '../skill/entry.ts';
import { skillFileUri } from '../skill/skill-uri.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { StateEntry, Store } from '../store/store.ts';
import {
  type ApprovedSkill,
  type JudgedSkill,
  type OriginDecisions,
  type PolicedSource,
  withPolicy,
} from '../transforms/approved-only.ts';
import type { KnownContent } from '../transforms/known-content.ts';
import { placed } from '../transforms/placed.ts';
import type { UpstreamEvent } from '../transforms/upstream.ts';
import { shortReason } from '../transforms/upstream-report.ts';
import { waitingOfAll } from '../transforms/waiting-skills.ts';
import { storedDenial } from './denials.ts';
import { createHeldQueue } from './held-queue.ts';
import { servingFacts, setDigestOf } from './serving-facts.ts';

export interface ServingDecisionsOptions {
  readonly store: Pick<Store, 'state' | 'blobs' | 'audit'>;
  readonly policy: ServingPolicy;
  /** SHA-256 at once. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Hears of what could not be written down. */
  readonly onerror: (error: Error) => void;
  /** Whether what is held back is written to the state, for those who approve. Default true. */
  readonly queued?: boolean;
  /** Hears of approved files that could not be kept. */
  readonly onEvent: (event: UpstreamEvent) => void;
}

export interface ServingDecisions {
  /**
   * The origin as it may be served. Its entries have the URIs under which they were approved.
   *
   * @param base below which path its skills are served, its label by default; empty where its URIs are those that are served
   */
  police(source: SkillSource, label: string, base?: string): PolicedSource;
  /** Takes over what was decided until now. To be awaited before each answer. */
  fresh(): Promise<void>;
  /** Replaces the policy of the configuration; it counts from the next `fresh()` on. */
  use(policy: ServingPolicy): void;
  /** Whether a live path may be called past the catalog. */
  allowsLive(label: string, path: string): boolean;
  /** Whether what a runtime answered may leave: judged as a file of this name, and each text in it likewise. */
  acceptsLive(path: string, answer: unknown): boolean;
  /** What waits for an approver, of all origins, under the URIs at which it would be served. Nobody else is given it. */
  readonly waiting: SkillSource;
  /** The entry that an origin has now, under the URI that the origin gives it. */
  liveEntry(label: string, uri: string): SkillEntry | undefined;
}

export function createServingDecisions(options: ServingDecisionsOptions): ServingDecisions {
  const { state, blobs } = options.store;
  const sources = new Map<PolicedSource, string>();
  const waiting = waitingOfAll();
  const parsed = new WeakMap<object, ApprovedSkill>();
  let { policy } = options;
  let rules: ServingRules = createServingPolicy(policy);
  let approvals: ReadonlyMap<string, ReadonlyMap<string, ApprovedSkill>> = new Map();
  let known: number | undefined;
  let decidedBy: { readonly policy: ServingPolicy; readonly entries: readonly StateEntry[] } | undefined;
  let loading: Promise<void> | undefined;

  /** Values that were not written anew are the same objects, and need not be read again. */
  async function approvalOf(key: readonly string[], value: JsonValue): Promise<ApprovedSkill | undefined> {
    if (typeof value !== 'object' || value === null) return undefined;
    const before = parsed.get(value);
    if (before !== undefined) return before;
    const approval = await readApproval(key, value);
    if (approval === undefined || approval.entry.resources === 'dynamic') return undefined;
    const { entry, at } = approval;
    const read: ApprovedSkill = { entry: entry as ApprovedSkill['entry'], at };
    parsed.set(value, read);
    return read;
  }

  /** Whether what decides is the same as before; most of what is written to a state decides nothing. */
  function isKnown(entries: readonly StateEntry[]): boolean {
    const same =
      decidedBy?.policy === policy &&
      entries.length === decidedBy.entries.length &&
      entries.every(({ key, value }, at) => {
        const before = decidedBy?.entries[at];
        return before?.value === value && before.key.every((part, index) => part === key[index]);
      });
    decidedBy = { policy, entries };
    return same;
  }

  async function load(): Promise<void> {
    const stored = await state.entries(['approval']);
    const denials = await state.entries(['deny']);
    if (isKnown([...stored, ...denials])) return;
    const byLabel = new Map<string, Map<string, ApprovedSkill>>();
    for (const { key, value } of stored) {
      const [, label = '', uri = ''] = key;
      const approval = await approvalOf(key, value);
      if (approval === undefined) continue;
      const ofLabel = byLabel.get(label) ?? new Map<string, ApprovedSkill>();
      byLabel.set(label, ofLabel.set(uri, approval));
    }
    const denied = denials.flatMap(({ key, value }) => storedDenial(key, value) ?? []);
    approvals = byLabel;
    rules = createServingPolicy({ ...policy, deny: [...denied, ...(policy.deny ?? [])] });
    await Promise.all([...sources.keys()].map((source) => source.refresh()));
  }

  async function fresh(): Promise<void> {
    const revision = await state.revision();
    if (revision === known) return loading;
    known = revision;
    const before = loading;
    const now = (before ?? Promise.resolve()).then(load).catch((error: unknown) => {
      // The next request tries again.
      known = undefined;
      decidedBy = undefined;
      throw error;
    });
    loading = now;
    try {
      await now;
    } finally {
      if (loading === now) loading = undefined;
    }
  }

  function decisionsOf(label: string, base: string): OriginDecisions {
    const queue = createHeldQueue(label, { ...options, setDigest: (entry) => setDigestOf(entry, options.digest) });
    const { digest } = options;
    const facts = (skill: JudgedSkill, known?: KnownContent) => servingFacts(skill, { label, base, digest, known });
    return {
      verdict(skill, known) {
        const about = facts(skill, known);
        const verdict = rules.decide(about);
        return verdict.effect === 'refuse' || !rules.judgesContent ? verdict : (rules.unread(about) ?? verdict);
      },
      isUnread(skill, known) {
        const about = facts(skill, known);
        return rules.decide(about).effect !== 'refuse' && rules.unread(about) !== undefined;
      },
      judgesContent: () => rules.judgesContent,
      allowsKind: (entry) => rules.decide(facts({ entry })).effect === 'serve',
      deniesFolder: (path) => rules.deniesPath(base === '' ? path : `${base}/${path}`),
      approved: (uri) => approvals.get(label)?.get(uri),
      allApproved: () => [...(approvals.get(label)?.values() ?? [])],
      bytes: (digest) => blobs.get(digest),
      holds: (digest) => blobs.has(digest),
      pin: (digest, bytes) => blobs.put(digest, bytes),
      pinFailed: (error) =>
        options.onEvent({
          event: 'cache.failed',
          label,
          reason: shortReason(error instanceof Error ? error.message : String(error)),
        }),
      held(skills) {
        if (options.queued !== false) queue.replace(skills);
      },
    };
  }

  return {
    police(source, label, base = label) {
      const policed = withPolicy(source, decisionsOf(label, base));
      const leave = waiting.add(base === '' ? policed.waiting : placed(policed.waiting, base));
      const close = async (): Promise<void> => {
        sources.delete(own);
        leave();
        await policed.close?.();
      };
      const own: PolicedSource = {
        ...policed,
        async *list(context) {
          // Whoever lists before the first answer must not get what nobody has decided about.
          await fresh();
          yield* policed.list(context);
        },
        close,
      };
      sources.set(own, label);
      return own;
    },
    fresh,
    use(next) {
      policy = next;
      known = undefined;
    },
    allowsLive(label, path) {
      const about = { origin: label, paths: [path], dynamic: true, files: [], bytes: 0, runs: false } as const;
      if (rules.decide(about).effect !== 'serve') return false;
      const uri = skillFileUri(path, skillFileName);
      return [...sources].every(([source, own]) => own !== label || !source.isHeldAround(uri));
    },
    acceptsLive(path, answer) {
      if (!rules.judgesContent) return true;
      return pieces(answer).every((piece) => {
        const bytes = encoder.encode(piece);
        const text = readText(path, bytes);
        const file = { path, size: bytes.length, digest: options.digest(bytes), text };
        return rules.refusesFile(file) === undefined;
      });
    },
    waiting: waiting.source,
    liveEntry(label, uri) {
      for (const [source, own] of sources) {
        const found = own === label ? source.liveEntry(uri) : undefined;
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

const encoder = new TextEncoder();

/** An answer as it is written, and every text in it. */
function pieces(answer: unknown): readonly string[] {
  const found: string[] = typeof answer === 'string' ? [] : [JSON.stringify(answer) ?? ''];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) visit(item);
  };
  visit(answer);
  return found;
}
