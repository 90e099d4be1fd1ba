/**
 * A pinned skill is an operator's snapshot of a live one: an ordinary entry with digests, and optionally an expiry. Pinning reads the live
 * skill once. A skill with a live one inside it is refused, since its entry would have to promise the bytes of both.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { metaPrefix } from '../project.ts';
import { quoteText } from '../skill/display-text.ts';
import { type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import { originEntryFaults } from '../skill/entry-faults.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { sameJson } from '../skill/json.ts';
import { originMetaKey, type Provenance } from '../skill/provenance.ts';
import type { SkillSource, SourceContext, SourceSkill } from '../sources/skill-source.ts';
import { type MissingFile, readWhole } from './whole-skill.ts';

/** A pinned skill: its entry with digests, and when it was pinned. */
export interface PinnedSkill {
  /** With digests. */
  readonly entry: SkillEntry & { readonly resources: readonly SkillResource[] };
  /** ISO 8601, UTC. */
  readonly pinnedAt: string;
  /** Absent: until it is unpinned. */
  readonly expiresAt?: string;
  /** The live skill was seen with other content. */
  readonly drift?: PinnedDrift;
}

export interface PinnedDrift {
  /** ISO 8601, UTC; when it was noticed. */
  readonly seenAt: string;
  /** Set digest of the live files at that time. */
  readonly digest: string;
}

/** A person's request to pin a skill. */
export interface PinRequest {
  /** How long; absent: until it is unpinned. */
  readonly forMs?: number | undefined;
  /** The name of the person, if a server knows it. */
  readonly user?: string | undefined;
  readonly signal?: AbortSignal;
}

/** The storage of pinned skills. */
export interface PinnedSkills {
  list(): Promise<readonly PinnedSkill[]>;
  /** By digest; `undefined` if the bytes are lost. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  /** Stores a new pin. Absent if nothing is pinned by rules. */
  add?(newPin: NewPin): Promise<void>;
  /** A person pins a skill of the source, which is not the one with pins. Absent if this process cannot. */
  pin?(source: SkillSource, uri: string, request: PinRequest): Promise<NewPin>;
  /** The labels of pins of this process. A hub is stored by its addresses. */
  labels?(): ReadonlySet<string>;
  /** A person unpins a skill; false if it was not pinned. */
  unpin?(uri: string, user: string | undefined): Promise<boolean>;
  /** Records a drift of the live skill; `undefined` if it matches the pin again. */
  noteDrift?(uri: string, drift: PinnedDrift | undefined): Promise<void>;
}

/** A skill that was just pinned, with the bytes of its files. */
export interface NewPin {
  readonly skill: PinnedSkill;
  /** By digest. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files that the origin lists or a file links to, and that could not be read. */
  readonly missing: readonly MissingFile[];
}

/** Options of `pinSkill()`. */
export interface PinOptions {
  /** Skills of the same source that are already pinned. */
  readonly pinned?: readonly PinnedSkill[];
  readonly expiresAt?: Date;
  readonly now?: Date;
}

/** The folder of a `SKILL.md`, with the final slash. */
export function folderOf(uri: string): string {
  return uri.slice(0, -skillFileName.length);
}

/** Faults of an entry. Its URIs may have any scheme and its folder any name, as in older dialects. */
export function pinFaults(
  entry: Omit<PinnedSkill['entry'], 'frontmatter'> & { readonly frontmatter: object },
): readonly string[] {
  const asSkill = (uri: string): string => uri.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'skill://');
  const resources = entry.resources.map((file) => ({ ...file, uri: asSkill(file.uri) }));
  return originEntryFaults({ ...entry, uri: asSkill(entry.uri), resources });
}

export function isActive({ expiresAt }: PinnedSkill, now: number): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now;
}

/**
 * Reads the current version of a skill and returns a pin with the bytes of its files. The caller stores it.
 *
 * @throws SkillwireError SKILL_NOT_FOUND, USAGE if a live skill lies inside, LIMIT_EXCEEDED; VerificationError
 */
export async function pinSkill(
  source: SkillSource,
  uri: string,
  context: SourceContext = {},
  options: PinOptions = {},
): Promise<NewPin> {
  const live = await source.get(uri, context);
  if (live === undefined)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `Cannot pin ${quoteText(uri)}: the origin has no such skill. List its skills first.`,
      {
        data: { uri },
      },
    );
  const { entry } = live;
  const now = options.now ?? new Date();
  const active = (options.pinned ?? []).filter((skill) => isActive(skill, now.getTime()));
  const inside = await skillsInside(source, entry.uri, context);
  const pinnedInside = insidePinned(entry.uri, inside, active);
  const resources = new Map<string, SkillResource>();
  for (const { entry: inner } of pinnedInside) for (const file of inner.resources) resources.set(file.uri, file);
  const { files, missing } = await readWhole(source, live, resources, context);
  assertFrontmatter(entry, resources, files);
  const all = [...resources.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
  assertSize(entry.uri, all);
  const expiresAt = earliest(options.expiresAt, pinnedInside);
  const skill: PinnedSkill = {
    entry: { uri: entry.uri, frontmatter: entry.frontmatter, resources: all },
    pinnedAt: now.toISOString(),
    expiresAt: expiresAt?.toISOString(),
  };
  const [fault] = pinFaults(skill.entry);
  if (fault === undefined) return { skill, files, missing };
  throw new SkillwireError('BAD_ANSWER', `Cannot pin ${quoteText(uri)}: ${fault}.`, { data: { uri } });
}

async function skillsInside(source: SkillSource, uri: string, context: SourceContext): Promise<readonly SourceSkill[]> {
  const folder = folderOf(uri);
  const found: SourceSkill[] = [];
  for await (const { skills } of source.list(context))
    for (const skill of skills) if (skill.entry.uri !== uri && skill.entry.uri.startsWith(folder)) found.push(skill);
  return found;
}

/** The pinned skills inside; the entry of the skill around them names their files too. */
function insidePinned(
  uri: string,
  inside: readonly SourceSkill[],
  pinned: readonly PinnedSkill[],
): readonly PinnedSkill[] {
  const folder = folderOf(uri);
  const found = pinned.filter(({ entry }) => entry.uri !== uri && entry.uri.startsWith(folder));
  const live = inside
    .filter(({ entry }) => entry.resources === 'dynamic' && !found.some((skill) => skill.entry.uri === entry.uri))
    .map(({ entry }) => entry.uri);
  if (live.length === 0) return found;
  throw new SkillwireError(
    'USAGE',
    `Cannot pin ${quoteText(uri)}: it contains live skills. Pin them first: ${live.map(quoteText).join(', ')}.`,
    { data: { uri, inside: live } },
  );
}

/** Clients compare the two, and refuse to load the skill if they differ. */
function assertFrontmatter(
  { uri, frontmatter }: SkillEntry,
  resources: ReadonlyMap<string, SkillResource>,
  files: ReadonlyMap<string, Uint8Array>,
): void {
  const bytes = files.get(resources.get(uri)?.digest ?? '');
  const reading = bytes === undefined ? undefined : readFrontmatter(bytes);
  if (reading?.ok === true && sameJson(reading.frontmatter, frontmatter)) return;
  throw new SkillwireError(
    'BAD_ANSWER',
    `Cannot pin ${quoteText(uri)}: the frontmatter of its SKILL.md differs from its entry, so no client would load it.`,
    { data: { uri } },
  );
}

function assertSize(uri: string, resources: readonly SkillResource[]): void {
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length <= limits.skill.files && bytes <= limits.skill.bytes) return;
  throw new SkillwireError(
    'LIMIT_EXCEEDED',
    `Cannot pin ${quoteText(uri)}: it has ${resources.length} files and ${bytes} bytes. ` +
      `The limits are ${limits.skill.files} and ${limits.skill.bytes}.`,
    { data: { uri } },
  );
}

/** A pin expires no later than the pins inside it, since it promises their bytes. */
function earliest(wanted: Date | undefined, inside: readonly PinnedSkill[]): Date | undefined {
  const ends = inside.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [Date.parse(expiresAt)]));
  if (wanted !== undefined) ends.push(wanted.getTime());
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** A served pinned skill: its entry, with remarks for readers, until it expires. */

/** `_meta` key: when the skill was pinned, until when, and whether the live one differs. */
export const pinnedMetaKey: string = `${metaPrefix}pinned`;

export function pinnedSource(skill: PinnedSkill, now: number, origin?: Provenance): SourceSkill {
  const { entry, pinnedAt, expiresAt, drift } = skill;
  const meta = { at: pinnedAt, until: expiresAt, drift: drift !== undefined };
  const left = expiresAt === undefined ? limits.pin.ttlMs : Math.max(0, Date.parse(expiresAt) - now);
  return {
    entry: {
      ...entry,
      _meta: { ...entry._meta, ...(origin === undefined ? {} : { [originMetaKey]: origin }), [pinnedMetaKey]: meta },
    },
    listed: true,
    ttlMs: Math.min(limits.pin.ttlMs, left),
    cacheScope: 'private',
  };
}
