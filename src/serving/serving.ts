/**
 * The one authority on what is served. For every skill of every origin it returns `served`, `waiting`, `denied` or
 * `disabled` with the reason. It decides by the policy of the configuration and one reading of people's decisions.
 *
 * Policed origins, the catalog of a server, live routes and the page all ask it. `subscribe` reports decisions of other
 * processes. With a policy, `fresh` also reads decisions before each answer, so an approval or a denial counts from the
 * next request on.
 */
import { createListeners } from '../async/listeners.ts';
import { coalesced } from '../async/shared-work.ts';
import { definedFields } from '../defined-fields.ts';
import { readText } from '../policy/file-facts.ts';
import {
  createServingPolicy,
  type ServingPolicy,
  type ServingRules,
  type ServingVerdict,
} from '../policy/serving-policy.ts';
import type { SignatureFacts } from '../policy/signature-rules.ts';
import type { SignatureBook } from '../signing/signature-book.ts';
import type { SignatureVerdict } from '../signing/verify-signature.ts';
import { type SkillEntry, skillFileName } from '../skill/entry.ts';
import { pathsAround } from '../skill/nested-skills.ts';
import { signerChangeText } from '../skill/signer-change.ts';
import { type SignerIdentity, sameSigner } from '../skill/signer-identity.ts';
import { sameSet, setOf } from '../skill/skill-set.ts';
import { skillFileUri } from '../skill/skill-uri.ts';
import type { Approval, DecisionAddress } from '../store/decisions/approval.ts';
import { type Decisions, noDecisions } from '../store/decisions/decisions.ts';
import type { Store } from '../store/store.ts';
import type { DecisionFeed } from './decision-feed.ts';
import type { KnownContent } from './known-content.ts';
import { contentDigestOf, type JudgedSkill, servingFacts, setDigestOf } from './serving-facts.ts';
import type {
  ApprovedSkill,
  DecidedOrigin,
  OriginDecisions,
  OriginVerdict,
  ShownVerdict,
  Standing,
  Unserved,
  UnservedCounts,
  UnservedSkill,
} from './serving-state.ts';
import type { AddressedSkill } from './skill-address.ts';
import { createWaitingQueue, type QueueOwner } from './waiting-queue.ts';

export interface ServingOptions {
  readonly feed: DecisionFeed;
  /** Has the bytes of approved files, and gets rows about unserved skills. Only policed origins use it. */
  readonly store: () => Promise<Pick<Store, 'state' | 'blobs' | 'audit'>>;
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

/** Verdicts about signatures, and their form for rules. */
export interface ServedSignatures {
  readonly book: SignatureBook;
  facts(verdict: SignatureVerdict): SignatureFacts;
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
  /** Applies all decisions up to now. */
  fresh(): Promise<void>;
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
  let decisions: Decisions = noDecisions;
  let rules: ServingRules = createServingPolicy(policy);
  let decidedBy: { readonly policy: ServingPolicy; readonly decisions: Decisions } | undefined;
  let stamp = 0;
  let unfollow: (() => void) | undefined;

  async function load(): Promise<void> {
    const read = await feed.read();
    const isDue = book?.isDue() === true;
    if (!isDue && decidedBy?.policy === policy && decidedBy.decisions === read) return;
    const isFirst = decidedBy === undefined;
    decidedBy = { policy, decisions: read };
    decisions = read;
    const denials = read.rules.map((rule) => ({ ...rule, by: 'person' as const }));
    rules = createServingPolicy({ ...policy, deny: [...denials, ...(policy.deny ?? [])] });
    stamp++;
    try {
      await Promise.all([...origins].map((origin) => origin.refresh()));
    } catch (error) {
      // The next request tries again.
      decidedBy = undefined;
      throw error;
    }
    if (!isFirst) listeners.call();
  }

  const fresh = coalesced(load);

  function follow(): () => void {
    return feed.subscribe(() => {
      fresh().catch((error: unknown) => onerror(error instanceof Error ? error : new Error(String(error))));
    });
  }

  /** A person's decision about this version, regardless of rules. */
  function personsWord(label: string, entry: SkillEntry): Unserved | undefined {
    const address = { label, uri: entry.uri };
    const off = decisions.disabled(address);
    if (off !== undefined) {
      const reason = off.uri === undefined ? 'its origin is disabled' : 'it is disabled';
      return { state: 'disabled', reason, by: 'person', ...since(off.at) };
    }
    const denial = denialOf(address, entry);
    if (denial === undefined) return undefined;
    const reason = denial.reason === '' ? 'a person denied this version' : denial.reason;
    return { state: 'denied', reason, by: 'person', since: denial.at };
  }

  function denialOf(address: DecisionAddress, entry: SkillEntry) {
    const denial = decisions.denial(address);
    if (denial === undefined || denial.setDigest === setDigestOf(entry, digest)) return denial;
    // Signing a version again does not make it another one.
    return denial.content !== undefined && denial.content === contentDigestOf(entry, digest) ? denial : undefined;
  }

  /** Without trusted signers, every signature is untrusted. */
  function signature(entry: SkillEntry): SignatureFacts | undefined {
    if (options.signatures === undefined) return unsigned;
    const verdict = options.signatures.book.verdict(entry);
    return verdict === undefined ? undefined : options.signatures.facts(verdict);
  }

  /** The verdict for people; `undefined` until the signature was read, and if no signers are trusted. */
  function shownVerdict(entry: SkillEntry): ShownVerdict | undefined {
    const facts = book?.hasSigners() === true ? signature(entry) : undefined;
    if (facts === undefined) return undefined;
    const { state, signers, text } = facts;
    return { state, text, ...(signers.length === 0 ? {} : { signer: signers.join(', ') }) };
  }

  /** How the current signer differs from the approved one; `'unread'` until its signature was read. */
  function signerChange(label: string, entry: SkillEntry): string | undefined {
    if (book === undefined) return undefined;
    const approved = decisions.approval({ label, uri: entry.uri })?.signer;
    if (approved === undefined) return undefined;
    const verdict = book.verdict(entry);
    return verdict === undefined ? 'its signature cannot be read' : signerChangeText(approved, verdict);
  }

  /**
   * The one evaluation.
   * @param about the skill at the URI where it is served
   */
  function judge(label: string, entry: SkillEntry, about: ReturnType<typeof servingFacts>): OriginVerdict {
    const decided = rules.decide(about);
    const unread = (): ServingVerdict | undefined =>
      (rules.judgesContent ? rules.unread(about) : undefined) ??
      (rules.judgesSignatures ? rules.unreadSignature(about) : undefined);
    const verdict = decided.effect === 'deny' ? decided : (unread() ?? decided);
    if (verdict.effect === 'deny') {
      const { reason, denial } = verdict;
      return { effect: 'none', why: { state: 'denied', reason, by: denial?.by ?? 'rule', ...since(denial?.at) } };
    }
    const why = personsWord(label, entry);
    if (why !== undefined) return { effect: 'none', why };
    // Somebody else's version needs a new approval, whatever the mode.
    return verdict.effect === 'serve' && signerChange(label, entry) !== undefined ? { effect: 'approval' } : verdict;
  }

  function approvedOf({ label, entry }: AddressedSkill): Pick<Standing, 'approved' | 'approval' | 'denial'> {
    const address = { label, uri: entry.uri };
    const denial = denialOf(address, entry);
    const denied = denial === undefined ? {} : { denial };
    const set = setOf(entry);
    if (set === undefined) return { approved: 'unverifiable', ...denied };
    const approval = decisions.approval(address);
    if (approval !== undefined) {
      const same = approval.set !== undefined && sameSet(approval.set, set);
      return { approved: same ? 'yes' : 'changed', approval, ...denied };
    }
    const before = decisions.wasApproved(address) || (denial === undefined && decisions.denial(address) !== undefined);
    return { approved: before ? 'changed' : 'no', ...denied };
  }

  /**
   * A policed origin's answer for the skill. If it serves an older version instead of the current one, the skill is
   * served.
   */
  function carriedOut({ label, entry }: AddressedSkill): Unserved | 'unknown' | undefined {
    for (const origin of origins) {
      const why = origin.label === label ? origin.whyUnserved(entry.uri) : 'unknown';
      if (why === 'unknown') continue;
      const current = origin.liveEntry(entry.uri);
      const isOlder = current !== undefined && setDigestOf(current, digest) !== setDigestOf(entry, digest);
      return isOlder ? undefined : why;
    }
    return 'unknown';
  }

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

  /** An approved signer is compared with the signer of the current version. */
  function isPinned(label: string, { uri }: SkillEntry): boolean {
    return decisions.approval({ label, uri })?.signer !== undefined;
  }

  function isResigned(approved: SkillEntry, current: SkillEntry): boolean {
    const [before, now] = [book?.verdict(approved), book?.verdict(current)];
    if (before?.state !== 'signed' || now?.state !== 'signed') return false;
    if (!sameSigner(before.signer.identity, now.signer.identity)) return false;
    return contentDigestOf(approved, digest) === contentDigestOf(current, digest);
  }

  function decisionsFor(label: string, base: string): OriginDecisions {
    const queue = createWaitingQueue(label, {
      store: options.store,
      owner: options.queue,
      setDigest: (entry) => setDigestOf(entry, digest),
      onerror,
    });
    const facts = (skill: JudgedSkill, known?: KnownContent) =>
      servingFacts(skill, { label, base, digest, known, signature });
    return {
      verdict: (skill, known) => judge(label, skill.entry, facts(skill, known)),
      unread(skill, known) {
        const about = facts(skill, known);
        if (rules.decide(about).effect === 'deny') return { text: false };
        const { entry } = skill;
        // People who decide see the signer, even if no rule asks for one.
        const isShown = book?.hasSigners() === true || isPinned(label, entry);
        const isWanted = isShown || rules.unreadSignature(about) !== undefined;
        return {
          text: rules.judgesContent && rules.unread(about) !== undefined,
          signature: isWanted ? book?.unread(entry) : undefined,
        };
      },
      judgesContent: () => rules.judgesContent,
      readsAhead: () => rules.judgesContent || book !== undefined,
      noteSignature: async (entry, bytes) => void (await book?.note(entry, bytes)),
      signatureClaim(entry) {
        const shown = shownVerdict(entry);
        if (shown === undefined || shown.state === 'unsigned') return undefined;
        const { text: _, ...claim } = shown;
        return claim;
      },
      coversResigned: (approved, current) =>
        rules.acceptsResigned(facts({ entry: current })) && isResigned(approved, current),
      signerChange: (entry) => signerChange(label, entry),
      allowsKind: (entry) => rules.decide(facts({ entry })).effect === 'serve',
      deniesFolder: (path) => rules.deniesPath(base === '' ? path : `${base}/${path}`),
      approved: (uri) => approvedSkill(decisions.approval({ label, uri })),
      allApproved: () => decisions.approvalsOf(label).flatMap((approval) => approvedSkill(approval) ?? []),
      bytes: async (wanted) => (await options.store()).blobs.get(wanted),
      hasBytes: async (wanted) => (await options.store()).blobs.has(wanted),
      pin: async (wanted, bytes) => (await options.store()).blobs.put(wanted, bytes),
      pinFailed: (error) => options.onPinFailed?.(label, error),
      unserved: (skills) =>
        queue.replace(
          skills.map((skill) => ({ ...skill, ...definedFields({ signature: shownVerdict(skill.entry) }) })),
        ),
    };
  }

  return {
    isStrict: options.policy !== undefined,
    fresh,
    use(next) {
      policy = next;
    },
    stamp: () => stamp,
    asksApproval: () => policy.mode === 'approved-only',
    restricts: () => decisions.restricts || options.policy !== undefined,
    standing,
    isOriginDisabled: (label) => decisions.isOriginDisabled(label),
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
    decisionsFor,
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
    allowsLive(label, path) {
      const uri = skillFileUri(path, skillFileName);
      const entry: SkillEntry = { uri, frontmatter: { name: '', description: '' }, resources: 'dynamic' };
      // Content is judged when the answer leaves.
      if (rules.decide(servingFacts({ entry }, { label, base: '', digest })).effect !== 'serve') return false;
      const around = [path, ...pathsAround(path)].map((folder) => skillFileUri(folder, skillFileName));
      if (around.some((skill) => decisions.disabled({ label, uri: skill }) !== undefined)) return false;
      return [...origins].every((origin) => origin.label !== label || !origin.isInUnserved(uri));
    },
    acceptsLive(path, answer) {
      if (!rules.judgesContent) return true;
      return pieces(answer).every((piece) => {
        const bytes = encoder.encode(piece);
        const file = { path, size: bytes.length, digest: digest(bytes), text: readText(path, bytes) };
        return rules.deniesFile(file) === undefined;
      });
    },
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

const encoder = new TextEncoder();

const unsigned: SignatureFacts = {
  state: 'untrusted',
  signers: [],
  unserved: false,
  expired: false,
  text: 'no signer is trusted here',
};

const since = (at: string | undefined): { readonly since?: string } => ({ since: at });

/** Stored approvals name every file with its digest; other approvals do not count for a server. */
function approvedSkill(approval: Approval | undefined): ApprovedSkill | undefined {
  return approval === undefined || approval.entry.resources === 'dynamic' ? undefined : (approval as ApprovedSkill);
}

/** The written answer, and every text in it. */
function pieces(answer: unknown): readonly string[] {
  const found: string[] = typeof answer === 'string' ? [] : [JSON.stringify(answer) ?? ''];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) visit(item);
  };
  visit(answer);
  return found;
}
