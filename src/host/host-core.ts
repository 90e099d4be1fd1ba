/** The parts of a host, as one record that its functions share. */
import { type SharedWork, sharedWork } from '../async/shared-work.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { formerUris } from '../skill/former-uris.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { type Approvals, type AuditTrail, auditTrail, createApprovals } from './approve/approvals.ts';
import { type CacheUpkeep, createCacheUpkeep } from './cache/cache-upkeep.ts';
import { type ContentCache, createContentCache } from './cache/content-cache.ts';
import { type CachedEntries, cachedEntries } from './discover/cached-entries.ts';
import type { SkillAddress } from './discover/discovered-skill.ts';
import { createEnablement, type Enablement } from './discover/enablement.ts';
import { type Listing, readListing } from './discover/listing.ts';
import { createOrigins, type HostOrigin, type Origins } from './discover/origins.ts';
import type { HostOptions } from './host.ts';
import { type CapturedEntry, captureEntry } from './load/capture.ts';
import { createFetchBudget, type FetchBudget } from './load/fetch-budget.ts';
import { warnOnce } from './warnings.ts';

export interface HostCore {
  readonly options: HostOptions;
  readonly origins: Origins;
  readonly enablement: Enablement;
  readonly approvals: Approvals;
  readonly audit: AuditTrail;
  readonly cache: ContentCache;
  readonly upkeep: CacheUpkeep;
  readonly budget: FetchBudget;
  /** Cached entries that have not expired. */
  readonly entries: CachedEntries;
  /** Open questions. Several loads of one skill share one. */
  readonly questions: SharedWork;
  /** @throws SkillwireError CLOSED */
  requireOpen(): void;
  /** Makes `requireOpen()` throw from now on. False if it already did. */
  close(): boolean;
}

export function createHostCore(options: HostOptions): HostCore {
  const { store, timeoutMs, cacheBytes = limits.host.cacheBytes } = options;
  const warn = warnOnce(options.onWarning);
  const origins = createOrigins(timeoutMs);
  const audit = auditTrail(store.audit);
  const upkeep = createCacheUpkeep({ store, budgetBytes: cacheBytes, warn });
  const budget = createFetchBudget();
  let closed = false;
  for (const origin of options.origins ?? []) origins.add(origin);
  return {
    options,
    origins,
    audit,
    upkeep,
    budget,
    entries: cachedEntries(),
    enablement: createEnablement(store.state, audit),
    approvals: createApprovals({ state: store.state, audit, warn }),
    cache: createContentCache({ store, origins, budget, warn, onAdded: upkeep.added }),
    questions: sharedWork('wait for a decision about a skill'),
    requireOpen() {
      if (closed) throw new SkillwireError('CLOSED', 'The host is closed. Create another one.');
    },
    close() {
      const first = !closed;
      closed = true;
      return first;
    },
  };
}

/** The current entry of the origin. @throws SKILL_NOT_FOUND, errors of the origin */
export async function captureFrom(
  { origins, entries }: HostCore,
  origin: HostOrigin,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<CapturedEntry> {
  return entries.renew(origin, uri, async () => {
    const skill = await entryNow(origins, origin, uri, signal);
    return { captured: await captureRequested(origin, uri, skill), ttlMs: skill.ttlMs ?? 0 };
  });
}

/** The entry at the requested URI, or at the URI that the skill has now. */
export function captureRequested(origin: HostOrigin, uri: string, skill: SourceSkill): Promise<CapturedEntry> {
  const isFormer = formerUris(skill.aliases)?.includes(uri) === true;
  return captureEntry(origin, isFormer ? skill.entry.uri : uri, skill);
}

/**
 * Requests the entry by URI. If that fails or is unusable, the listing is used: an entry there is complete without the
 * other call (SEP-2640: H-24). An earlier URI of a listed skill leads to that skill. @throws SKILL_NOT_FOUND, errors of the origin
 */
export async function entryNow(
  origins: Origins,
  origin: HostOrigin,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<SourceSkill> {
  let unusable: SkillwireError | undefined;
  const found = await askFor(origins, origin, uri, signal).catch((error: unknown) => {
    if (!(error instanceof SkillwireError) || !(error.code === 'BAD_ANSWER' || error.code === 'ORIGIN_FAILED'))
      throw error;
    unusable = error;
    return undefined;
  });
  if (found !== undefined) return found;
  const address = { label: origin.label, uri };
  let listing: Listing;
  try {
    listing = await readListing(origins, origin, { signal, fresh: true });
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'INTERRUPTED') throw error;
    throw unusable ?? notServed(address, error);
  }
  const listed =
    listing.skills.find(({ entry }) => entry.uri === uri) ??
    listing.skills.find(({ aliases }) => formerUris(aliases)?.includes(uri));
  if (listed === undefined) throw unusable ?? notServed(address);
  return listed;
}

/** By its URI alone. */
export function askFor(
  origins: Origins,
  origin: HostOrigin,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<SourceSkill | undefined> {
  return origins.call(origin, { action: `get the entry of ${quoteText(uri)}`, signal, fresh: true }, (context) =>
    origin.source.get(uri, context),
  );
}

function notServed({ label, uri }: SkillAddress, cause?: unknown): SkillwireError {
  const message = `Cannot use ${quoteText(uri)}: ${quoteText(label)} does not serve this skill. Check its listing.`;
  return new SkillwireError('SKILL_NOT_FOUND', message, { data: { label, uri }, cause });
}
