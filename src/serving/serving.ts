/**
 * The one authority on what is served. For every skill of every origin it returns `served`, `waiting`, `denied` or
 * `disabled` with the reason. It decides by the policy of the configuration and one reading of people's decisions.
 *
 * Policed origins, the catalog of a server, live routes and the page all ask it. `subscribe` reports decisions of other
 * processes. With a policy, `fresh` also reads decisions before each answer, so an approval or a denial counts from the
 * next request on.
 *
 * This file has the state. `judgment.ts` judges one version, `origin-decisions.ts` answers policed origins, and `live-calls.ts` decides about
 * calls that go past the catalog.
 */
import { createListeners } from '../async/listeners.ts';
import type { MaybePromise } from '../async/maybe-promise.ts';
import { coalesced } from '../async/shared-work.ts';
import { definedFields } from '../defined-fields.ts';
import { createServingPolicy, type ServingPolicy } from '../policy/serving-policy.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { SignerIdentity } from '../skill/signer-identity.ts';
import { type Decisions, noDecisions } from '../store/decisions/decisions.ts';
import type { Store } from '../store/store.ts';
import type { DecisionFeed } from './decision-feed.ts';
import { followWrites } from './follow-writes.ts';
import { type CurrentRules, createJudgment, type ServedSignatures } from './judgment.ts';
import { acceptsLive, allowsLive } from './live-calls.ts';
import { originDecisions } from './origin-decisions.ts';
import { type JudgedSkill, servingFacts, setDigestOf } from './serving-facts.ts';
import type {
  DecidedOrigin,
  OriginDecisions,
  ShownVerdict,
  Standing,
  Unserved,
  UnservedCounts,
  UnservedSkill,
} from './serving-state.ts';
import type { AddressedSkill } from './skill-address.ts';
import type { QueueOwner } from './waiting-queue.ts';

export interface ServingOptions {
  readonly feed: DecisionFeed;
  /** Has the bytes of approved files, and gets rows about unserved skills. Only policed origins use it. */
  readonly store: () => Promise<Pick<Store, 'state' | 'blobs' | 'audit' | 'members'>>;
  /** The policy of the configuration. Default: every skill is served that nobody denied or disabled. */
  readonly policy?: ServingPolicy | undefined;
  /** Verdicts about signatures, if the configuration has signers. */
  readonly signatures?: ServedSignatures | undefined;
  /** SHA-256, synchronously. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Receives failures to write rows or to read decisions. */
  readonly onerror: (error: Error) => void;
  /** The id of this server's rows in the waiting queue. Absent: no rows are written. */
  readonly queue?: QueueOwner;
  /** Receives approved files that could not be stored. */
  readonly onPinFailed?: (label: string, error: unknown) => void;
}

export interface SeenSigner {
  /** Absent unless a trusted signer signed every file. */
  readonly signer?: SignerIdentity;
  /** How it differs from the approved signer. */
  readonly change?: string;
  /** Absent until the signature was read, and if no signers are trusted. */
  readonly signature?: ShownVerdict;
}

export interface Serving {
  /** True if decisions are read before each answer. */
  readonly isStrict: boolean;
  /** Applies all decisions up to now; synchronously if there are no new ones. */
  fresh(): MaybePromise<void>;
  /** Replaces the policy of the configuration. It counts from the next `fresh()` on. */
  use(policy: ServingPolicy): void;
  /** Changes with every change of the answers below. */
  stamp(): number;
  /** True if any skill may be unserved. */
  restricts(): boolean;
  /** True if only approved versions are served. */
  asksApproval(): boolean;
  /** @param served the skill at the URI where it is served. Default: at its origin's URI */
  standing(skill: AddressedSkill, served?: JudgedSkill): Standing;
  isOriginDisabled(label: string): boolean;
  /** Of all policed origins. */
  unservedCounts(): UnservedCounts;
  /** The skills of all policed origins that are not served in any version. */
  absent(): readonly (UnservedSkill & { readonly label: string })[];
  /** Digest of all files; `undefined` if the skill cannot be verified. */
  setDigest(entry: SkillEntry): string | undefined;
  /**
   * For a transform that carries out decisions.
   * @param base the path below which the skills of the origin are served
   */
  decisionsFor(label: string, base: string): OriginDecisions;
  /** Adds a policed origin until the returned function is called. */
  attach(origin: DecidedOrigin): () => void;
  /** The trusted signer of a version, how it differs from the approved one, and the verdict for people. */
  signerOf(skill: AddressedSkill): SeenSigner;
  /** True if a path of a live program may be called past the catalog. */
  allowsLive(label: string, path: string): boolean;
  /**
   * True if an answer of a live program may leave. The answer is judged as a file of this name, and so is each text in
   * it.
   */
  acceptsLive(path: string, answer: unknown): boolean;
  /** The current entry of a policed origin, with the origin's own URI. */
  liveEntry(label: string, uri: string): SkillEntry | undefined;
  /** Calls back after answers changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

export function createServing(options: ServingOptions): Serving {
  const { feed, digest, onerror } = options;
  const { book } = options.signatures ?? {};
  const origins = new Set<DecidedOrigin>();
  const listeners = createListeners();
  let policy = options.policy ?? {};
  let current: CurrentRules = { decisions: noDecisions, rules: createServingPolicy(policy) };
  let decidedBy: { readonly policy: ServingPolicy; readonly decisions: Decisions } | undefined;
  /** The same once all origins have applied it. */
  let appliedBy: typeof decidedBy;
  let stamp = 0;
  let unfollow: (() => void) | undefined;

  async function load(): Promise<void> {
    const read = await feed.read();
    const isDue = book?.takeDue() === true;
    if (!isDue && decidedBy?.policy === policy && decidedBy.decisions === read) return;
    const isFirst = decidedBy === undefined;
    appliedBy = undefined;
    decidedBy = { policy, decisions: read };
    const denials = read.rules.map((rule) => ({ ...rule, by: 'person' as const }));
    const rules = createServingPolicy({ ...policy, deny: [...denials, ...(policy.deny ?? [])] });
    current = { decisions: read, rules };
    stamp++;
    try {
      await Promise.all([...origins].map((origin) => origin.refresh()));
    } catch (error) {
      // The next request tries again.
      decidedBy = undefined;
      throw error;
    }
    appliedBy = decidedBy;
    if (!isFirst) listeners.call();
  }

  const rules = (): CurrentRules => current;
  const judgment = createJudgment({ signatures: options.signatures, digest }, rules);
  const liveCalls = { current: rules, digest, origins };
  const reload = coalesced(load);

  function fresh(): MaybePromise<void> {
    const isApplied = appliedBy !== undefined && appliedBy.policy === policy && book?.isDue() !== true;
    return isApplied && feed.current() === appliedBy?.decisions ? undefined : reload();
  }

  const follow = (): (() => void) => followWrites((listener) => feed.subscribe(listener), reload, onerror);

  /**
   * A policed origin's answer for the skill. If it serves an older version instead of the current one, the skill is
   * served.
   */
  function carriedOut({ label, entry }: AddressedSkill): Unserved | 'unknown' | undefined {
    for (const origin of origins) {
      const why = origin.label === label ? origin.whyUnserved(entry.uri) : 'unknown';
      if (why === 'unknown') continue;
      const live = origin.liveEntry(entry.uri);
      const isOlder = live !== undefined && setDigestOf(live, digest) !== setDigestOf(entry, digest);
      return isOlder ? undefined : why;
    }
    return 'unknown';
  }

  const { judge, signature, approvedOf, signerChange, shownVerdict } = judgment;

  function standing(skill: AddressedSkill, served: JudgedSkill = skill): Standing {
    const { label, entry } = skill;
    const done = carriedOut(skill);
    const verdict =
      done === 'unknown'
        ? judge(label, entry, servingFacts(served, { label, base: '', digest, signature }))
        : undefined;
    const why = verdict?.effect === 'none' ? verdict.why : done === 'unknown' ? undefined : done;
    if (why === undefined) return { state: 'served', ...approvedOf(skill) };
    const { state, ...rest } = why;
    return { state, why: rest, ...approvedOf(skill) };
  }

  return {
    isStrict: options.policy !== undefined,
    fresh,
    use(next) {
      policy = next;
    },
    stamp: () => stamp,
    asksApproval: () => policy.mode === 'approved-only',
    restricts: () => current.decisions.restricts || options.policy !== undefined,
    standing,
    isOriginDisabled: (label) => current.decisions.isOriginDisabled(label),
    unservedCounts() {
      const sum = { waiting: 0, denied: 0, disabled: 0, absent: 0 };
      for (const origin of origins) {
        const counts = origin.unservedCounts();
        for (const key of ['waiting', 'denied', 'disabled', 'absent'] as const) sum[key] += counts[key];
      }
      return sum;
    },
    absent: () => [...origins].flatMap((origin) => origin.absent().map((skill) => ({ label: origin.label, ...skill }))),
    setDigest: (entry) => setDigestOf(entry, digest),
    decisionsFor: (label, base) =>
      originDecisions(label, base, {
        current: rules,
        judgment,
        digest,
        onerror,
        signatures: options.signatures,
        store: options.store,
        queue: options.queue,
        onPinFailed: options.onPinFailed,
      }),
    attach(origin) {
      origins.add(origin);
      return () => origins.delete(origin);
    },
    signerOf({ label, entry }) {
      const verdict = book?.verdict(entry);
      const change = signerChange(label, entry);
      return {
        ...(verdict?.state === 'signed' ? { signer: verdict.signer.identity } : {}),
        change,
        ...definedFields({ signature: shownVerdict(entry) }),
      };
    },
    allowsLive: (label, path) => allowsLive(liveCalls, label, path),
    acceptsLive: (path, answer) => acceptsLive(liveCalls, path, answer),
    liveEntry(label, uri) {
      for (const origin of origins) {
        const found = origin.label === label ? origin.liveEntry(uri) : undefined;
        if (found !== undefined) return found;
      }
      return undefined;
    },
    subscribe(listener) {
      unfollow ??= follow();
      return listeners.add(listener, () => {
        unfollow?.();
        unfollow = undefined;
      });
    },
  };
}
