/**
 * Lists the skills of all origins. Origins are independent: one that fails or hangs hides none of the others, and its
 * report says why. Skills are identified by (label, URI), never by name (SEP-2640: H-8, H-12). Shared names, inside a
 * listing or across origins, are reported and none is preferred (H-13 to H-16).
 */
import { inParallel } from '../../async/in-parallel.ts';
import { sharedWork } from '../../async/shared-work.ts';
import { definedFields } from '../../defined-fields.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { formerUris } from '../../skill/former-uris.ts';
import type { SourceSkill } from '../../sources/skill-source.ts';
import type { Discovery, OriginReport, OriginState } from '../host.ts';
import { type Collision, type DiscoveredSkill, findCollisions } from './discovered-skill.ts';
import type { Disabled, Enablement } from './enablement.ts';
import { type Listing, readListing } from './listing.ts';
import type { HostOrigin, Origins } from './origins.ts';

export interface DiscoverOptions {
  readonly signal?: AbortSignal | undefined;
  /** Query the origins, not the cache. */
  readonly fresh?: boolean;
  /** Use cached listings that have not expired. */
  readonly cached?: boolean;
  /** The labels of the origins to query; default: all. */
  readonly labels?: readonly string[];
}

interface Answer {
  readonly origin: HostOrigin;
  readonly listing?: Listing;
  readonly error?: SkillwireError;
  readonly disabled: boolean;
}

/** @param onListed called for each origin that was listed: other cached data of it may be out of date */
export function createDiscoverer(
  origins: Origins,
  enablement: Enablement,
  onListed: (origin: HostOrigin) => void = () => undefined,
) {
  const known = new WeakMap<HostOrigin, Listing>();
  const inFlight = sharedWork('list the skills of an origin');

  async function ask(origin: HostOrigin, { signal, fresh = false, cached = false }: DiscoverOptions): Promise<Answer> {
    const before = known.get(origin);
    const current = before !== undefined && Date.now() < before.at + before.ttlMs ? before : undefined;
    if (cached && current !== undefined) return { origin, listing: current, disabled: false };
    try {
      onListed(origin);
      const key = JSON.stringify([origin.label, fresh]);
      const listing = await inFlight.run(key, signal, (own) => readListing(origins, origin, { signal: own, fresh }));
      if (origins.isCurrent(origin)) known.set(origin, listing);
      return { origin, listing, disabled: false };
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
      // The earlier listing is valid until it expires.
      return { origin, error, disabled: false, listing: current };
    }
  }

  return {
    async discover(options: DiscoverOptions): Promise<Discovery> {
      const disabled = await enablement.read();
      const { labels } = options;
      const queried = origins.all().filter(({ label }) => labels?.includes(label) ?? true);
      const answers = await inParallel(queried, limits.host.parallelOrigins, (origin) =>
        disabled.origin(origin.label) ? Promise.resolve({ origin, disabled: true }) : ask(origin, options),
      );
      return assemble(
        answers.filter(({ origin }) => origins.isCurrent(origin)),
        disabled,
      );
    },
  };
}

export type Discoverer = ReturnType<typeof createDiscoverer>;

function assemble(answers: readonly Answer[], disabled: Disabled): Discovery {
  const skills = answers.flatMap(({ origin, listing }) =>
    (listing?.skills ?? []).map((skill) => {
      const address = { label: origin.label, uri: skill.entry.uri, formerUris: formerUris(skill.aliases) };
      return discoveredSkill(origin, skill, !disabled.skill(address));
    }),
  );
  const collisions = findCollisions(skills.filter(({ enabled }) => enabled));
  return { skills: markAmbiguous(skills, collisions), origins: answers.map(report), collisions };
}

export function discoveredSkill(
  { label, local }: Pick<HostOrigin, 'label' | 'local'>,
  { entry, partial, aliases, inAgentFolder }: Pick<SourceSkill, 'entry' | 'partial' | 'aliases' | 'inAgentFolder'>,
  enabled: boolean,
): DiscoveredSkill {
  const { uri, frontmatter } = entry;
  return {
    label,
    local,
    uri,
    name: frontmatter.name,
    description: frontmatter.description,
    frontmatter,
    entry,
    partial,
    verifiable: entry.resources !== 'dynamic',
    enabled,
    ambiguous: false,
    ...definedFields({ formerUris: formerUris(aliases), inAgentFolder }),
  };
}

function markAmbiguous(
  skills: readonly DiscoveredSkill[],
  collisions: readonly Collision[],
): readonly DiscoveredSkill[] {
  if (collisions.length === 0) return skills;
  const shared = new Set(
    collisions.flatMap((found) => found.skills.map(({ label, uri }) => JSON.stringify([label, uri]))),
  );
  return skills.map((skill) =>
    shared.has(JSON.stringify([skill.label, skill.uri])) ? { ...skill, ambiguous: true } : skill,
  );
}

function report({ origin, listing, error, disabled }: Answer): OriginReport {
  const failure = error ?? listing?.cut;
  const said = listing?.findings.find(({ rule }) => saysState.has(rule));
  const state = disabled ? 'disabled' : error === undefined ? answeredState(listing) : failedState(error);
  return {
    label: origin.label,
    local: origin.local,
    name: origin.source.name,
    state,
    message: failure?.message ?? said?.message ?? messages[state] ?? '',
    code: failure?.code,
    status: listing?.status,
    skills: listing?.skills.length ?? 0,
    refused: listing?.refused ?? [],
    findings: listing?.findings ?? [],
  };
}

/** Findings that say why a source cut its listing, or why it is empty. */
const saysState: ReadonlySet<string> = new Set(['origin-listing-cut', 'origin-nothing-connected']);

function isCut({ findings }: Listing): boolean {
  return findings.some(({ rule }) => rule === 'origin-listing-cut');
}

function answeredState(listing: Listing | undefined): OriginState {
  if (listing === undefined) return 'failed';
  if (listing.cut !== undefined || isCut(listing)) return 'partial';
  if (listing.skills.length > 0) return 'ready';
  return listing.refused.length > 0 ? 'all-refused' : 'empty';
}

function failedState({ code }: SkillwireError): OriginState {
  if (code === 'NO_SKILLS_EXTENSION') return 'no-skills-extension';
  if (code === 'NO_INDEX') return 'no-index';
  if (code === 'NOT_AUTHORIZED') return 'not-authorized';
  return code === 'UNREACHABLE' || code === 'TIMED_OUT' ? 'unreachable' : 'failed';
}

const messages: Partial<Record<OriginState, string>> = {
  empty: 'no skills listed (unlisted skills may exist)',
  'all-refused': 'no usable entries',
  disabled: 'disabled; enable it to use its skills',
};
