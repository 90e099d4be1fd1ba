/**
 * A gateway: many origins as one source, by composition alone. Each origin is guarded and kept (`upstream`), has its snapshot in place
 * of live skills where something is pinned, is narrowed (`selected`), goes through the policy where there is one, and is placed below
 * its label; all of them are one `aggregate`. Origins can be replaced while it is served: one whose settings are the same stays as it
 * is, with its connection and its state.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { kindNamed } from '../origins/kinds.ts';
import type { OriginSettings } from '../origins/origin-schema.ts';
import { createRedaction } from '../origins/without-secrets.ts';
import type { Provenance } from '../skill/provenance.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type Aggregate, aggregate } from '../transforms/aggregate.ts';
import { combine } from '../transforms/combine.ts';
import type { PinnedSkill, PinnedSkills } from '../transforms/pinned-skill.ts';
import { selected } from '../transforms/selected.ts';
import type { KeptListings } from '../transforms/stored-listing.ts';
import { underLabel } from '../transforms/under-label.ts';
import { type Upstream, type UpstreamEvent, upstream } from '../transforms/upstream.ts';
import type { UpstreamReport } from '../transforms/upstream-report.ts';
import type { KeptBytes } from '../transforms/verified-file.ts';
import { withPinned } from '../transforms/with-pinned.ts';
import type { ConfiguredLimits } from './serving-schema.ts';

/** An origin of a gateway: its label, its kind, and how it is opened. */
export interface GatewayOrigin {
  /** Given by the operator; unique. */
  readonly label: string;
  /** For provenance and metrics: `folder`, `mcp`, `site` and the like. */
  readonly kind: string;
  /** Where it is, in its one spelling: what was pinned of an origin is served only while it is there. Default: the label. */
  readonly address?: string;
  /** Everything that makes it another origin if it changes. */
  readonly key: string;
  /** False: its skills keep their URIs, and are not placed below the label. Default true. */
  readonly placed?: boolean;
  readonly settings?: OriginSettings;
  /** Values that are never shown. */
  readonly secrets?: readonly string[];
  open(): Promise<SkillSource>;
}

/** Options of `createGateway()`. */
export interface GatewayOptions {
  /** By which it recognises what comes from itself; unique. */
  readonly id: string;
  readonly limits?: ConfiguredLimits;
  /** Verified bytes that outlive the process. */
  readonly kept?: KeptBytes;
  /** The last good listings of the origins, which outlive the process likewise. */
  readonly listings?: KeptListings;
  /** What is pinned of the live skills of an origin. */
  readonly pinned?: (origin: GatewayOrigin) => PinnedSkills;
  /** The origin as a policy lets it be served; its entries have the URIs that the origin gives them. */
  readonly police?: (source: SkillSource, label: string, base: string) => SkillSource;
  /** Where an origin does not answer at first, that is an error of the listing. */
  readonly strict?: boolean;
  readonly firstListingMs?: number;
  readonly onEvent?: (event: UpstreamEvent) => void;
}

/** Many origins as one source, with a report for each. */
export interface Gateway {
  readonly id: string;
  readonly source: SkillSource;
  /** How each origin does, in the order in which they were given. */
  origins(): readonly UpstreamReport[];
  /**
   * Serves these origins from now on. Resolves when what took the place of something else has been listed.
   *
   * @throws SkillwireError where one cannot be opened; then everything is as it was
   */
  update(origins: readonly GatewayOrigin[], bounds?: ConfiguredLimits): Promise<void>;
}

interface Opened {
  readonly key: string;
  readonly origin: GatewayOrigin;
  readonly upstream: Upstream;
  /** As it is served. */
  readonly source: SkillSource;
}

/**
 * Makes a gateway over origins that a program opens itself.
 *
 * Opens the origins; nothing is asked of them before something is asked of the source.
 *
 * @throws SkillwireError where one cannot be opened
 */
export async function createGateway(origins: readonly GatewayOrigin[], options: GatewayOptions): Promise<Gateway> {
  let opened = await openAll(origins, new Map(), options, options.limits);
  await retainListings(opened, options);
  const retired = (source: SkillSource): void => {
    source.close?.().catch((error: unknown) => {
      options.onEvent?.({ event: 'origin.close-failed', label: source.name, reason: String(error) });
    });
  };
  const [placedOnes, others] = divide(opened);
  const all: Aggregate = aggregate(placedOnes, {
    name: 'the gateway',
    onRetired: retired,
    firstListingMs: options.firstListingMs,
  });
  const source = compose(all, placedOnes.size, others);

  return {
    id: options.id,
    source,
    origins: () => opened.map(({ upstream: one }) => one.report()),
    async update(next, bounds) {
      const before = new Map(opened.map((one) => [one.key, one]));
      opened = await openAll(next, before, options, bounds);
      await all.replace(divide(opened)[0]);
      await retainListings(opened, options);
    },
  };
}

function divide(opened: readonly Opened[]): [ReadonlyMap<string, SkillSource>, readonly SkillSource[]] {
  const below = opened.filter(({ origin }) => origin.placed !== false);
  const rest = opened.filter(({ origin }) => origin.placed === false);
  return [new Map(below.map(({ origin, source }) => [origin.label, source])), rest.map(({ source }) => source)];
}

/** Origins without a place of their own share the URIs, and the first that has one serves it. */
function compose(all: Aggregate, count: number, others: readonly SkillSource[]): SkillSource {
  const [only, ...more] = others;
  if (only === undefined) return all;
  if (count === 0 && more.length === 0) return only;
  return combine(count === 0 ? others : [...others, all]);
}

/** Nothing that was kept of an origin outlives its place in the configuration. */
async function retainListings(opened: readonly Opened[], { listings, onEvent }: GatewayOptions): Promise<void> {
  try {
    await listings?.retain(opened.map(({ origin }) => origin.label));
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    onEvent?.({ event: 'cache.unusable', label: '', reason: error.message });
  }
}

async function openAll(
  origins: readonly GatewayOrigin[],
  before: ReadonlyMap<string, Opened>,
  options: GatewayOptions,
  bounds: ConfiguredLimits = {},
): Promise<readonly Opened[]> {
  const results = await Promise.allSettled(
    origins.map(async (origin): Promise<Opened> => {
      const key = JSON.stringify([origin.label, origin.key, origin.settings ?? {}, bounds]);
      return before.get(key) ?? openOne(origin, key, options, bounds);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (failed === undefined) return done;
  await Promise.all(done.filter(({ key }) => !before.has(key)).map(({ source }) => source.close?.()));
  throw failed.reason;
}

async function openOne(
  origin: GatewayOrigin,
  key: string,
  options: GatewayOptions,
  bounds: ConfiguredLimits,
): Promise<Opened> {
  const { label, kind, settings = {}, secrets = [] } = origin;
  const { ttlMs = bounds.ttlMs, staleMs = bounds.staleMs, deadlineMs = bounds.deadlineMs } = settings;
  const { concurrency = bounds.concurrency } = settings;
  const { kept, listings, onEvent, strict } = options;
  const { polled = true, hub } = kindNamed(kind) ?? {};
  const local = !polled;
  const one = upstream(await origin.open(), {
    label,
    kind,
    gateway: options.id,
    isPrivate: secrets.length > 0,
    redact: createRedaction(secrets),
    ...(ttlMs === undefined || local ? {} : { ttlMs }),
    staleMs,
    // A folder of any size may be read for the first time; its own limits hold.
    ...(local ? { deadlineMs: limits.origin.listingMs } : deadlineMs === undefined ? {} : { deadlineMs }),
    concurrency,
    ...(kept === undefined || local ? {} : { kept }),
    ...(listings === undefined || local
      ? {}
      : { keeper: listings.of({ label, address: JSON.stringify([kind, origin.key]), secrets }) }),
    strict,
    onEvent,
  });
  const below = settings.prefix === undefined ? label : `${label}/${settings.prefix}`;
  const base = origin.placed === false ? '' : below;
  const pinned = options.pinned !== undefined && hub !== undefined ? options.pinned(origin) : undefined;
  const live =
    pinned === undefined
      ? one
      : withPinned(one, pinned, {
          rules: settings.pin ?? [],
          origin: (skill) => pinnedProvenance(skill, one.report(), options.id),
        });
  const chosen = selected(live, settings);
  const policed = options.police?.(chosen, label, base) ?? chosen;
  return { key, origin, upstream: one, source: base === '' && local ? policed : underLabel(policed, base) };
}

/** What is pinned has a digest for each file since it was pinned, whatever its origin has. */
function pinnedProvenance(
  { entry, pinnedAt }: PinnedSkill,
  { label, kind, dialect }: UpstreamReport,
  gateway: string,
): Provenance {
  return { label, uri: entry.uri, kind, dialect, verified: 'files', since: pinnedAt, via: [gateway] };
}
