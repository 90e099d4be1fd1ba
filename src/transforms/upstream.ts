/**
 * One upstream of a gateway. It is asked for its listing again and again, as often as it says, and what changed is told. While it
 * does not answer, what it listed last is served for a configured time and marked as stale, also after a restart (`kept-listing.ts`); an
 * answer that says "nothing" or "not for you" counts at once. Whatever it does, it costs nobody else anything (`call-guard.ts`). Bytes leave only as the entry promises
 * them (`verified-file.ts`). What others are told of its failures names its label and never its address.
 */
import { unlessAborted } from '../async/unless-aborted.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { sameJson } from '../skill/json.ts';
import {
  deriveSource,
  type SkillSource,
  type SourceChange,
  type SourceContext,
  type SourceSkill,
} from '../sources/skill-source.ts';
import { type BreakerOptions, createBreaker } from './breaker.ts';
import { createCallGuard } from './call-guard.ts';
import { createListingMemory, type ListingKeeper } from './kept-listing.ts';
import { listingPause } from './listing-pause.ts';
import { outwardError } from './outward-error.ts';
import { createEntries, type EntryMarks } from './upstream-entries.ts';
import {
  answeredStanding,
  asSkillwireError,
  isAnswer,
  type Standing,
  shortReason,
  standingOf,
  type UpstreamReport,
} from './upstream-report.ts';
import { type KeptBytes, verifiedFiles } from './verified-file.ts';

export interface UpstreamOptions {
  /** Given by the operator. */
  readonly label: string;
  /** For its provenance. */
  readonly kind: string;
  /** Id of the gateway. */
  readonly gateway: string;
  /** Ask for the listing this often, whatever it says. */
  readonly ttlMs?: number;
  readonly deadlineMs?: number;
  readonly staleMs?: number;
  readonly concurrency?: number;
  /** Whether it is asked with credentials. */
  readonly isPrivate?: boolean;
  /** Verified bytes that outlive the process and the upstream. */
  readonly kept?: KeptBytes;
  /** Its last good listing, likewise. */
  readonly keeper?: ListingKeeper;
  /** Where it does not answer at first, that is an error of the listing. */
  readonly strict?: boolean;
  readonly breaker?: Omit<BreakerOptions, 'now'>;
  readonly retryMs?: number;
  /** Takes secrets out of what is told of failures. */
  readonly redact?: (text: string) => string;
  readonly onEvent?: (event: UpstreamEvent) => void;
  readonly now?: () => number;
}

/** What an operator should know; never holds text of a skill. */
export type UpstreamEvent =
  | {
      readonly event: 'origin.state';
      readonly label: string;
      readonly from: string;
      readonly to: string;
      readonly reason?: string;
    }
  | {
      readonly event: 'origin.listed';
      readonly label: string;
      readonly ms: number;
      readonly changed: number;
      readonly removed: number;
      readonly refused: number;
    }
  | {
      readonly event: 'origin.mismatch' | 'origin.close-failed' | 'cache.failed' | 'cache.unusable';
      readonly label: string;
      readonly reason: string;
    };

export interface Upstream extends SkillSource {
  readonly label: string;
  report(): UpstreamReport;
}

export function upstream(source: SkillSource, options: UpstreamOptions): Upstream {
  const { label, kind, strict = false, now = Date.now, onEvent, redact = (text: string) => text } = options;
  const { staleMs = limits.gateway.staleMs, retryMs = limits.gateway.retryMs } = options;
  const guard = createCallGuard({
    label,
    deadlineMs: options.deadlineMs ?? limits.gateway.deadlineMs,
    concurrency: options.concurrency ?? limits.gateway.concurrency,
    breaker: createBreaker({ ...options.breaker, now }),
    now,
  });
  const entries = createEntries({ label, kind, gateway: options.gateway, isPrivate: options.isPrivate === true, now });
  const ending = new AbortController();
  const listeners = new Set<(change: SourceChange) => void>();
  const follows = source.watch !== undefined && (source.watched ?? true);
  let findings: readonly Finding[] = [];
  let standing: Standing = { state: 'pending' };
  let since = now();
  let refused = 0;
  let listedAt: number | undefined;
  let nextAt: number | undefined;
  let marks: EntryMarks = {};
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let refreshing: Promise<SkillwireError | undefined> | undefined;
  let unwatch: (() => void) | undefined;
  let mismatches = 0;
  let failed: SkillwireError | undefined;
  let staleAt: number | undefined;
  let starting: Promise<void> | undefined;
  const isClosed = (): boolean => ending.signal.aborted;
  const memory =
    options.keeper === undefined
      ? undefined
      : createListingMemory({
          keeper: options.keeper,
          staleMs,
          now,
          isClosed,
          current: () => ({ skills: entries.kept(), dialect: marks.dialect, listedAt: listedAt ?? now(), staleAt }),
          onFailed: ({ message }) => onEvent?.({ event: 'cache.failed', label, reason: shortReason(message) }),
          onUnusable: ({ message }) => onEvent?.({ event: 'cache.unusable', label, reason: shortReason(message) }),
        });

  function stand(next: Standing, at: number = now()): void {
    const before = standing.state;
    standing = next;
    if (before === next.state) return;
    since = at;
    onEvent?.({ event: 'origin.state', label, from: before, to: next.state, reason: next.reason });
  }

  function tell(upserted: readonly SourceSkill[], removed: readonly string[]): void {
    const change = { upserted, removed, findings };
    for (const listener of [...listeners]) listener(change);
  }

  /** Reads the whole listing within its deadlines. */
  async function read(): Promise<{ skills: SourceSkill[]; found: Finding[]; refusals: string[]; seen: EntryMarks }> {
    const skills: SourceSkill[] = [];
    const found: Finding[] = [];
    const refusals: string[] = [];
    let seen: EntryMarks = {};
    const work = async (signal: AbortSignal, alive: () => void): Promise<void> => {
      const status = await source.status?.({ signal });
      seen = { dialect: status?.dialect ?? status?.protocolVersion };
      alive();
      for await (const page of source.list({ signal, fresh: listedAt !== undefined })) {
        alive();
        // Which way a server is read may be known only when it was asked.
        if (page.dialect !== undefined) seen = { dialect: page.dialect };
        skills.push(...page.skills);
        found.push(...page.findings);
        for (const { uri, name, faults } of page.refused ?? [])
          refusals.push(`${quoteText(uri ?? name ?? 'an entry')}: ${faults[0] ?? 'it cannot be used'}`);
      }
    };
    await guard.run('list its skills', ending.signal, work, limits.origin.listingMs);
    return { skills, found, refusals, seen };
  }

  /** The error where it failed. */
  async function refreshNow(): Promise<SkillwireError | undefined> {
    const started = now();
    try {
      const { skills, found, refusals, seen } = await read();
      if (isClosed()) return undefined;
      failures = 0;
      failed = undefined;
      staleAt = undefined;
      marks = seen;
      listedAt = now();
      const change = entries.replace(skills, marks);
      const mine = change.refused.map((why) => finding('origin-entry-refused', `the entry ${why}`));
      const before = findings;
      findings = [...found, ...mine];
      refused = refusals.length + change.refused.length;
      stand(answeredStanding(entries.size, [...change.refused, ...refusals], findings));
      const { upserted, removed } = change;
      onEvent?.({
        event: 'origin.listed',
        label,
        ms: listedAt - started,
        changed: upserted.length,
        removed: removed.length,
        refused,
      });
      const changed = upserted.length + removed.length > 0;
      if (changed || !sameJson(before, findings)) tell(upserted, removed);
      memory?.listed(changed);
      if (follows) follow();
      else plan(options.ttlMs ?? listingPause(skills));
      return undefined;
    } catch (error) {
      if (isClosed()) return undefined;
      const failure = asSkillwireError(error);
      failed = failure;
      fail(failure);
      return failure;
    }
  }

  /** What is shown of an upstream that does not answer. */
  function fail(failure: SkillwireError): void {
    failures++;
    const keptMs = listedAt === undefined ? 0 : listedAt + staleMs - now();
    const stays = entries.size > 0 && keptMs > 0 && !isAnswer(failure);
    const told = redact(failure.message);
    const why = { ...standingOf(failure), reason: shortReason(told) };
    if (stays) serveStale({ ...why, state: 'stale' }, told);
    else {
      stand(why);
      staleAt = undefined;
      findings = [finding('origin-stale', shortReason(`nothing of ${quoteText(label)} is served: ${told}`))];
      tell([], entries.clear());
      if (isAnswer(failure) || listedAt !== undefined) memory?.forget();
    }
    const again = Math.min(retryMs * 2 ** Math.min(failures - 1, 16), limits.gateway.longestRetryMs);
    const open = (guard.breaker.retryAt ?? 0) - now();
    plan(stays ? Math.min(Math.max(again, open), Math.max(keptMs, retryMs)) : Math.max(again, open));
  }

  function serveStale(standing: Standing, told: string): void {
    const first = staleAt === undefined;
    staleAt ??= now();
    stand(standing, staleAt);
    const message = `${quoteText(label)} does not answer, so its skills are served as they were: ${told}`;
    findings = [finding('origin-stale', shortReason(message))];
    marks = { ...marks, stale: new Date(staleAt).toISOString() };
    tell(entries.mark(marks), []);
    if (first) memory?.stale();
  }

  /** The first listing: what was kept stands in for an upstream that does not answer soon. */
  async function start(): Promise<void> {
    const kept = await memory?.restore();
    if (kept === undefined || isClosed()) {
      await refresh();
      return;
    }
    marks = { dialect: kept.dialect };
    entries.restore(kept.skills, marks);
    listedAt = kept.listedAt;
    staleAt = kept.staleAt;
    const ended = new AbortController();
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.gateway.storedPatienceMs);
      ended.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    await Promise.race([refresh(), late]).finally(() => ended.abort());
    if (standing.state !== 'pending' || isClosed()) return;
    const told = `it has not answered since the start; this is its listing of ${new Date(kept.listedAt).toISOString()}`;
    serveStale({ state: 'stale', reason: told }, told);
  }

  function plan(ms: number): void {
    clearTimeout(timer);
    if (isClosed()) return;
    nextAt = now() + ms;
    timer = setTimeout(() => void refresh(), ms);
    timer.unref?.();
  }

  function refresh(): Promise<SkillwireError | undefined> {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  /** A source that tells of its changes itself. */
  function follow(): void {
    nextAt = undefined;
    unwatch ??= source.watch?.((change) => {
      const upserted = change.upserted.flatMap((skill) => entries.put(skill, marks) ?? []);
      for (const uri of change.removed) entries.delete(uri);
      findings = change.findings;
      listedAt = now();
      stand(answeredStanding(entries.size, [], findings));
      tell(upserted, change.removed);
      memory?.listed(true);
    });
  }

  /** The entry as the upstream gives it now; what is held where it does not answer. */
  async function current(uri: string, context: SourceContext): Promise<SourceSkill | undefined> {
    const skill = await guard.run('get a skill', context.signal, (signal) => source.get(uri, { ...context, signal }));
    if (skill === undefined) {
      entries.delete(uri);
      return undefined;
    }
    return entries.put(skill, marks);
  }

  const open = verifiedFiles({
    label,
    entries,
    kept: options.kept,
    fetch: (uri, context) =>
      guard.run('read a file', context.signal, (signal) => source.open(uri, { ...context, signal })),
    async renew(uri) {
      const skill = await current(uri, { signal: ending.signal, fresh: true });
      tell(skill === undefined ? [] : [skill], skill === undefined ? [uri] : []);
      return skill;
    },
    onKeepFailed: (error) => onEvent?.({ event: 'cache.failed', label, reason: shortReason(error.message) }),
    onMismatch(reason) {
      mismatches++;
      onEvent?.({ event: 'origin.mismatch', label, reason });
    },
  });

  /** Errors name the label, whatever the upstream says of its failure. */
  async function outward<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw outwardError(error, label);
    }
  }

  const served = deriveSource(source, {
    name: { get: () => label },
    async *list(context) {
      // Once it was asked, it is asked again by its own clock.
      if (standing.state === 'pending') {
        starting ??= start();
        await unlessAborted(starting, context.signal, 'list skills');
      }
      if (strict && failed !== undefined && entries.size === 0) throw failed;
      yield { skills: entries.skills, findings };
    },
    async get(uri, context) {
      try {
        return await current(uri, context);
      } catch (error) {
        const kept = entries.get(uri);
        if (kept !== undefined && error instanceof SkillwireError && !isAnswer(error) && error.code !== 'INTERRUPTED')
          return kept;
        throw outwardError(error, label);
      }
    },
    open: (uri, context) => outward(open(uri, context)),
    templates: {
      map: (templates) => (context) =>
        outward(guard.run('list its templates', context.signal, (signal) => templates({ ...context, signal }))),
    },
    // What it has beside skills is nobody's to ask for through a gateway.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'drop',
    isCurrent: follows ? 'pass' : 'drop',
    freshUntil: () => nextAt,
    watched: { get: () => follows },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      ending.abort(new SkillwireError('CLOSED', `the origin ${quoteText(label)} was closed`));
      clearTimeout(timer);
      unwatch?.();
      listeners.clear();
      await source.close?.();
    },
  });

  return Object.assign(served, {
    label,
    report: (): UpstreamReport => ({
      label,
      kind,
      ...standing,
      since: new Date(since).toISOString(),
      skills: entries.size,
      refused,
      listedAt: listedAt === undefined ? undefined : new Date(listedAt).toISOString(),
      nextAt: nextAt === undefined ? undefined : new Date(nextAt).toISOString(),
      dialect: marks.dialect,
      breaker: guard.breaker.state,
      calls: { ...guard.counts },
      mismatches,
    }),
  });
}
