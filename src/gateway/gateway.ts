/**
 * A gateway serves many origins as one source, by composition alone. Each origin is guarded and cached (`upstream`), replaced by its pins
 * (`withPinned`), filtered (`selected`), checked by the policy, and moved under its label. `aggregate` joins them. Origins can be replaced
 * while serving: an origin whose settings did not change keeps its connection and state.
 */

import type { CallTracing } from '../async/in-span.ts';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { kindNamed, locationText } from '../origins/kinds.ts';
import type { NamedOrigin } from '../origins/named-origin.ts';
import { type OriginContext, openOrigin, secretsOf } from '../origins/open-origin.ts';
import type { OriginSettings } from '../origins/origin-schema.ts';
import { isLabel } from '../origins/parse-origin.ts';
import { viaHeader } from '../origins/started-by.ts';
import { createRedaction } from '../origins/without-secrets.ts';
import {
  callback,
  checkArgument,
  checkOptions,
  count,
  flag,
  listOf,
  type OptionChecks,
  required,
  text,
  withMembers,
} from '../skill/checked-options.ts';
import type { Provenance } from '../skill/provenance.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type Aggregate, aggregate } from '../transforms/aggregate.ts';
import { combine } from '../transforms/combine.ts';
import type { PinnedSkill, PinnedSkills } from '../transforms/pinned-skill.ts';
import { selected } from '../transforms/selected.ts';
import type { ListingCaches } from '../transforms/stored-listing.ts';
import { underLabel } from '../transforms/under-label.ts';
import { type Upstream, upstream } from '../transforms/upstream.ts';
import type { UpstreamEvent, UpstreamReport } from '../transforms/upstream-report.ts';
import type { CachedBytes } from '../transforms/verified-file.ts';
import { withPinned } from '../transforms/with-pinned.ts';
import type { ConfiguredLimits } from './serving-schema.ts';

/** An origin of a gateway: its label, its kind, and how it is opened. */
export interface GatewayOrigin {
  /** Chosen by the operator; unique. */
  readonly label: string;
  /** For provenance and metrics, such as `folder`, `mcp` or `site`. */
  readonly kind: string;
  /** Canonical address. Pins of the origin are served only while its address is the same. Default: the label. */
  readonly address?: string;
  /** If the key changes, the origin is opened again. */
  readonly key: string;
  /** False: skills keep their URIs and are not moved under the label. Default true. */
  readonly placed?: boolean;
  readonly settings?: OriginSettings;
  /** Values to redact in every message. */
  readonly secrets?: readonly string[];
  open(): Promise<SkillSource>;
}

/** Options of `createGateway()`. */
export interface GatewayOptions {
  /** Unique; lets the gateway recognize its own requests. */
  readonly id: string;
  readonly limits?: ConfiguredLimits;
  /** Cache of verified bytes. */
  readonly byteCache?: CachedBytes;
  /** Cache of the last good listing of each origin. */
  readonly listings?: ListingCaches;
  /** The pinned live skills of an origin. */
  readonly pinned?: (origin: GatewayOrigin) => PinnedSkills;
  /** Applies a policy to an origin. Entries still have the URIs of the origin. */
  readonly police?: (source: SkillSource, label: string, base: string) => SkillSource;
  /** Fail the first listing if an origin does not answer. */
  readonly strict?: boolean;
  readonly firstListingMs?: number;
  readonly onEvent?: (event: UpstreamEvent) => void;
  /**
   * Absent if tracing is off.
   * @internal
   */
  readonly tracing?: CallTracing | undefined;
}

const gatewayOrigins = listOf(
  withMembers('an object', 'label', 'kind', 'key', 'open'),
  'a list of objects with "label", "kind", "key" and "open"',
);
export const gatewayChecks: OptionChecks<GatewayOptions> = {
  id: required(text),
  limits: withMembers('an object'),
  byteCache: withMembers('an object with "get" and "put"', 'get', 'put'),
  listings: withMembers('an object with "of" and "retain"', 'of', 'retain'),
  pinned: callback(),
  police: callback(),
  strict: flag,
  firstListingMs: count,
  onEvent: callback(),
  tracing: withMembers('an object with "inSpan"', 'inSpan'),
};

/** Many origins as one source, with a report for each. */
export interface Gateway {
  readonly id: string;
  readonly source: SkillSource;
  /** The health of each origin, in configured order. */
  origins(): readonly UpstreamReport[];
  /**
   * Replaces the origins. Resolves when every replacement has been listed.
   *
   * @throws SkillwireError if an origin cannot be opened; then nothing changes
   */
  update(origins: readonly GatewayOrigin[], bounds?: ConfiguredLimits): Promise<void>;
}

interface Opened {
  readonly key: string;
  readonly origin: GatewayOrigin;
  readonly upstream: Upstream;
  /** After all steps. */
  readonly source: SkillSource;
}

/**
 * Creates a gateway over origins that a program opens itself.
 *
 * Opens the origins; nothing is requested from them until the source is used.
 *
 * @throws SkillwireError if an origin cannot be opened
 */
export async function createGateway(origins: readonly GatewayOrigin[], options: GatewayOptions): Promise<Gateway> {
  checkArgument('createGateway()', 'origins', origins, gatewayOrigins);
  checkOptions('createGateway()', options, gatewayChecks);
  let opened = await openAll(origins, new Map(), options, options.limits);
  await retainListings(opened, options);
  const retired = (source: SkillSource): void => {
    source.close?.().catch((error: unknown) => {
      options.onEvent?.({ event: 'origin.close-failed', label: source.name, reason: String(error) });
    });
  };
  const [labeled, bare] = divide(opened);
  const all: Aggregate = aggregate(labeled, {
    name: 'the gateway',
    onRetired: retired,
    firstListingMs: options.firstListingMs,
  });
  const source = compose(all, labeled.size, bare);

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
  const labeled = opened.filter(({ origin }) => origin.placed !== false);
  const bare = opened.filter(({ origin }) => origin.placed === false);
  return [new Map(labeled.map(({ origin, source }) => [origin.label, source])), bare.map(({ source }) => source)];
}

/** Origins without a label share one URI space; the first that has a URI serves it. */
function compose(all: Aggregate, count: number, bare: readonly SkillSource[]): SkillSource {
  const [first] = bare;
  if (first === undefined) return all;
  if (count > 0) return combine([...bare, all]);
  return bare.length === 1 ? first : combine(bare);
}

/** Deletes cached listings of origins that left the configuration. */
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
  const { byteCache, listings, onEvent, strict } = options;
  const { polled = true, hub } = kindNamed(kind) ?? {};
  const local = !polled;
  const one = upstream(await openTraced(origin, options.tracing), {
    label,
    kind,
    gateway: options.id,
    isPrivate: secrets.length > 0,
    redact: createRedaction(secrets),
    ...(ttlMs === undefined || local ? {} : { ttlMs }),
    staleMs,
    // The first read of a large folder may take long; the folder has its own limits.
    ...(local ? { deadlineMs: limits.origin.listingMs } : { deadlineMs }),
    concurrency,
    ...(byteCache === undefined || local ? {} : { byteCache }),
    ...(listings === undefined || local
      ? {}
      : { listingCache: listings.of({ label, address: JSON.stringify([kind, origin.key]), secrets }) }),
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

/** Loads nothing if tracing is off. */
async function openTraced(origin: GatewayOrigin, tracing: CallTracing | undefined): Promise<SkillSource> {
  const source = await origin.open();
  if (tracing === undefined) return source;
  const { tracedSource } = await import('../transforms/traced-source.ts');
  return tracedSource(source, origin, tracing.inSpan);
}

/** A pin has a digest for each file, even if its origin has none. */
function pinnedProvenance(
  { entry, pinnedAt }: PinnedSkill,
  { label, kind, dialect }: UpstreamReport,
  gateway: string,
): Provenance {
  return { label, uri: entry.uri, kind, dialect, verified: 'files', since: pinnedAt, via: [gateway] };
}

/**
 * A named origin for a gateway. It is opened when the gateway is created.
 *
 * @param id of the gateway, by which it recognizes its own requests
 * @throws SkillwireError NOT_TRUSTED; USAGE if an environment variable is not set
 */
export function gatewayOrigin(origin: NamedOrigin, context: OriginContext, id: string): GatewayOrigin {
  const { label, location, settings, trust, ...way } = origin;
  const ttl = location.kind === 'archive' ? { ttlMs: limits.mirror.leastMs } : {};
  const secrets = secretsOf(origin, context);
  const opening: OriginContext = {
    ...context,
    headers: { ...context.headers, [viaHeader]: id },
    ownDigests: true,
    traceParent: settings?.traceparent === true ? context.traceParent : undefined,
    // A slow origin must not delay the others. The guard of each origin bounds its own calls.
    concurrency: limits.gateway.mostConcurrency,
  };
  return {
    label,
    kind: location.kind,
    address: locationText(location),
    key: JSON.stringify([location, way, trust.standing, secrets]),
    // The label of an unnamed origin is its location text, which is never a valid name.
    placed: isLabel(label) && label !== locationText(location),
    settings: { ...ttl, ...definedFields(settings ?? {}) },
    secrets,
    open: async () => (await openOrigin(origin, opening)).source,
  };
}
