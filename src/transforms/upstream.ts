/**
 * One upstream of a gateway. Its listing is requested again as often as it asks for, and changes are reported.
 *
 * - While it does not answer, its last listing is served for a configured time, marked as stale, also after a restart
 *   (`listing-cache.ts`). An answer such as "no skills" or "not authorized" takes effect immediately.
 * - A slow or failing upstream does not slow down the others (`call-guard.ts`).
 * - Files are served only if they match their entry (`verified-file.ts`).
 * - Clients see the label of a failing upstream, never its address.
 */

import { isDoneWithin } from '../async/deadline.ts';
import { createListeners } from '../async/listeners.ts';
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
import { type BreakerOptions, createBreaker, createCallGuard } from './call-guard.ts';
import { createListingMemory, type ListingCache } from './listing-cache.ts';
import { createEntries, type EntryMarks } from './upstream-entries.ts';
import {
  answeredStanding,
  asSkillwireError,
  isAnswer,
  outwardError,
  shortReason,
  standingOf,
  type UpstreamEvent,
  type UpstreamReport,
  type UpstreamStanding,
} from './upstream-report.ts';
import { type CachedBytes, verifiedFiles } from './verified-file.ts';

export interface UpstreamOptions {
  /** Chosen by the operator. */
  readonly label: string;
  /** For the provenance of its entries. */
  readonly kind: string;
  /** Id of the gateway. */
  readonly gateway: string;
  /** Overrides how often the upstream wants to be listed. */
  readonly ttlMs?: number;
  readonly deadlineMs?: number;
  readonly staleMs?: number;
  readonly concurrency?: number;
  /** Whether requests carry credentials. */
  readonly isPrivate?: boolean;
  /** Verified bytes that outlive the process and the upstream. */
  readonly byteCache?: CachedBytes;
  /** Its last good listing, which outlives them too. */
  readonly listingCache?: ListingCache;
  /** The first listing fails if the upstream does not answer. */
  readonly strict?: boolean;
  readonly breaker?: Omit<BreakerOptions, 'now'>;
  readonly retryMs?: number;
  /** Removes secrets from error messages. */
  readonly redact?: (text: string) => string;
  readonly onEvent?: (event: UpstreamEvent) => void;
  readonly now?: () => number;
  /** From 0 to 1; spreads the requests of several gateways. */
  readonly random?: () => number;
}

export interface Upstream extends SkillSource {
  readonly label: string;
  report(): UpstreamReport;
}

export function upstream(source: SkillSource, options: UpstreamOptions): Upstream {
  const {
    label,
    kind,
    strict = false,
    now = Date.now,
    random = Math.random,
    onEvent,
    redact = (text: string) => text,
  } = options;
  const { staleMs = limits.gateway.staleMs, retryMs = limits.gateway.retryMs } = options;
  const guard = createCallGuard({
    label,
    deadlineMs: options.deadlineMs ?? limits.gateway.deadlineMs,
    concurrency: options.concurrency ?? limits.gateway.concurrency,
    breaker: createBreaker({ ...options.breaker, now }),
    now,
  });
  const entries = createEntries({ label, kind, gateway: options.gateway, isPrivate: options.isPrivate === true, now });
  const closing = new AbortController();
  const listeners = createListeners<SourceChange>();
  const follows = source.watch !== undefined && (source.watched ?? true);
  let findings: readonly Finding[] = [];
  let standing: UpstreamStanding = { state: 'pending' };
  let reported: UpstreamStanding['state'] = 'pending';
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
  const isClosed = (): boolean => closing.signal.aborted;
  const memory =
    options.listingCache === undefined
      ? undefined
      : createListingMemory({
          cache: options.listingCache,
          staleMs,
          now,
          isClosed,
          current: () => ({ skills: entries.forCache(), dialect: marks.dialect, listedAt: listedAt ?? now(), staleAt }),
          onFailed: ({ message }) => onEvent?.({ event: 'cache.failed', label, reason: shortReason(message) }),
          onUnusable: ({ message }) => onEvent?.({ event: 'cache.unusable', label, reason: shortReason(message) }),
        });

  /** @param attempt `running`: the state may change with the answer, so it is not reported yet */
  function setStanding(next: UpstreamStanding, at: number = now(), attempt: 'done' | 'running' = 'done'): void {
    const before = standing.state;
    standing = next;
    if (before !== next.state) since = at;
    if (attempt === 'running' || reported === next.state) return;
    onEvent?.({ event: 'origin.state', label, from: reported, to: next.state, reason: next.reason });
    reported = next.state;
  }

  function notify(upserted: readonly SourceSkill[], removed: readonly string[]): void {
    const change = { upserted, removed, findings };
    listeners.call(change);
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
        // The dialect may be known only after the first page.
        if (page.dialect !== undefined) seen = { dialect: page.dialect };
        skills.push(...page.skills);
        found.push(...page.findings);
        for (const { uri, name, faults } of page.refused ?? [])
          refusals.push(`${quoteText(uri ?? name ?? 'an entry')}: ${faults[0] ?? 'it cannot be used'}`);
      }
    };
    await guard.run('list its skills', closing.signal, work, limits.origin.listingMs);
    return { skills, found, refusals, seen };
  }

  /** Resolves to the error if the listing failed. */
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
      const refusedEntries = change.refused.map((why) => finding('origin-entry-refused', `the entry ${why}`));
      const before = findings;
      findings = [...found, ...refusedEntries];
      refused = refusals.length + change.refused.length;
      setStanding(answeredStanding(entries.size, [...change.refused, ...refusals], findings));
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
      if (changed || !sameJson(before, findings)) notify(upserted, removed);
      memory?.listed(changed);
      if (follows) follow();
      // Several gateways that start together do not all ask at once. Nothing is older than it may be.
      else plan((options.ttlMs ?? listingPause(skills)) * (1 - random() * limits.gateway.jitter));
      return undefined;
    } catch (error) {
      if (isClosed()) return undefined;
      const failure = asSkillwireError(error);
      failed = failure;
      fail(failure);
      return failure;
    }
  }

  /** Serves the last listing while it may be used, else nothing, and plans the next attempt. */
  function fail(failure: SkillwireError): void {
    failures++;
    const staleLeftMs = listedAt === undefined ? 0 : listedAt + staleMs - now();
    const stays = entries.size > 0 && staleLeftMs > 0 && !isAnswer(failure);
    const message = redact(failure.message);
    const why = { ...standingOf(failure), reason: shortReason(message) };
    if (stays) serveStale({ ...why, state: 'stale' }, message);
    else {
      setStanding(why);
      staleAt = undefined;
      findings = [finding('origin-stale', shortReason(`nothing of ${quoteText(label)} is served: ${message}`))];
      notify([], entries.clear());
      if (isAnswer(failure) || listedAt !== undefined) memory?.forget();
    }
    const pause = Math.min(retryMs * 2 ** Math.min(failures - 1, 16), limits.gateway.longestRetryMs);
    const again = pause * (1 + random() * limits.gateway.jitter);
    const open = (guard.breaker.retryAt ?? 0) - now();
    plan(stays ? Math.min(Math.max(again, open), Math.max(staleLeftMs, retryMs)) : Math.max(again, open));
  }

  function serveStale(standing: UpstreamStanding, reason: string, attempt: 'done' | 'running' = 'done'): void {
    const first = staleAt === undefined;
    staleAt ??= now();
    setStanding(standing, staleAt, attempt);
    const message = `${quoteText(label)} does not answer, so its last known skills are served: ${reason}`;
    findings = [finding('origin-stale', shortReason(message))];
    marks = { ...marks, stale: new Date(staleAt).toISOString() };
    notify(entries.mark(marks), []);
    if (first) memory?.stale();
  }

  /** The first listing. The cached one is served if the upstream does not answer soon. */
  async function start(): Promise<void> {
    const cached = await memory?.restore();
    if (cached === undefined || isClosed()) {
      await refresh();
      return;
    }
    marks = { dialect: cached.dialect };
    entries.restore(cached.skills, marks);
    listedAt = cached.listedAt;
    staleAt = cached.staleAt;
    await isDoneWithin(refresh(), limits.gateway.storedPatienceMs);
    if (standing.state !== 'pending' || isClosed()) return;
    const reason = `no answer since the start; this is its listing of ${new Date(cached.listedAt).toISOString()}`;
    serveStale({ state: 'stale', reason }, reason, 'running');
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

  /** Takes the changes that the source reports. */
  function follow(): void {
    nextAt = undefined;
    unwatch ??= source.watch?.((change) => {
      const upserted = change.upserted.flatMap((skill) => entries.put(skill, marks) ?? []);
      for (const uri of change.removed) entries.delete(uri);
      findings = change.findings;
      listedAt = now();
      setStanding(answeredStanding(entries.size, [], findings));
      notify(upserted, change.removed);
      memory?.listed(true);
    });
  }

  /** The current entry of the upstream. */
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
    cache: options.byteCache,
    fetch: (uri, context) =>
      guard.run('read a file', context.signal, (signal) => source.open(uri, { ...context, signal })),
    async renew(uri) {
      const skill = await current(uri, { signal: closing.signal, fresh: true });
      notify(skill === undefined ? [] : [skill], skill === undefined ? [uri] : []);
      return skill;
    },
    onCacheFailed: (error) => onEvent?.({ event: 'cache.failed', label, reason: shortReason(error.message) }),
    onMismatch(reason) {
      mismatches++;
      onEvent?.({ event: 'origin.mismatch', label, reason });
    },
  });

  async function outward<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw outwardError(error, label);
    }
  }

  const served = deriveSource(source, {
    search: 'drop',
    name: { get: () => label },
    async *list(context) {
      // Later listings follow the timer, not the readers.
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
        const last = entries.get(uri);
        if (last !== undefined && error instanceof SkillwireError && !isAnswer(error) && error.code !== 'INTERRUPTED')
          return last;
        throw outwardError(error, label);
      }
    },
    open: (uri, context) => outward(open(uri, context)),
    templates: {
      map: (templates) => (context) =>
        outward(guard.run('list its templates', context.signal, (signal) => templates({ ...context, signal }))),
    },
    // A gateway passes on skills and nothing else.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'drop',
    isCurrent: follows ? 'pass' : 'drop',
    freshUntil: () => nextAt,
    watched: { get: () => follows },
    watch(listener) {
      return listeners.add(listener);
    },
    async close() {
      closing.abort(
        new SkillwireError('CLOSED', `The origin ${quoteText(label)} was closed. Reload the configuration.`),
      );
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

/** The shortest TTL of the listed skills, within our limits. */
function listingPause(skills: Iterable<SourceSkill>): number {
  let ms = Number.POSITIVE_INFINITY;
  for (const { ttlMs = limits.ttl.unwatchedMs } of skills) ms = Math.min(ms, ttlMs);
  const { leastMs, mostMs } = limits.mirror;
  return Math.max(leastMs, Math.min(mostMs, Number.isFinite(ms) ? ms : limits.ttl.unwatchedMs));
}
