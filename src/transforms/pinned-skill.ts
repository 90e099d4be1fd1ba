/**
 * A pinned skill is a snapshot of one that has no stable bytes, taken by an operator: an ordinary entry with digests, and a time
 * at which it ends. Pinning reads the live skill once and refuses what would promise more than it knows: a skill with a live one
 * inside it would have to name the bytes of both.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import { originEntryFaults } from '../skill/entry-faults.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { sameJson } from '../skill/json.ts';
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

/** Where pinned skills are kept. */
export interface PinnedSkills {
  list(): Promise<readonly PinnedSkill[]>;
  /** By digest; undefined where the bytes are lost. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  /** Keeps another one. Absent where nothing is pinned by rules. */
  add?(newPin: NewPin): Promise<void>;
  /** Keeps what was noticed about the live skill; undefined where it is again what was pinned. */
  noteDrift?(uri: string, drift: PinnedDrift | undefined): Promise<void>;
}

/** A skill that was just pinned, with the bytes of its files. */
export interface NewPin {
  readonly skill: PinnedSkill;
  /** By digest. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files that the origin lists, or that a file of the skill links to, and that did not come. */
  readonly missing: readonly MissingFile[];
}

/** Options of `pinSkill()`. */
export interface PinOptions {
  /** Skills of the same source that are pinned already. */
  readonly pinned?: readonly PinnedSkill[];
  readonly expiresAt?: Date;
  readonly now?: Date;
}

/** The folder of a `SKILL.md`, with the final slash. */
export function folderOf(uri: string): string {
  return uri.slice(0, -skillFileName.length);
}

/** Of an entry whose URIs may have any scheme, and its folder any name: servers of older dialects have both. */
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
 * Reads a skill as it is now and gives a pin with the bytes of its files. The caller stores it.
 *
 * @throws SkillwireError SKILL_NOT_FOUND, USAGE where a live skill lies inside, LIMIT_EXCEEDED; VerificationError
 */
export async function pinSkill(
  source: SkillSource,
  uri: string,
  context: SourceContext = {},
  options: PinOptions = {},
): Promise<NewPin> {
  const live = await source.get(uri, context);
  if (live === undefined)
    throw new SkillwireError('SKILL_NOT_FOUND', `cannot pin ${quoteText(uri)}: there is no such skill now`, {
      data: { uri },
    });
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
  throw new SkillwireError('BAD_ANSWER', `cannot pin ${quoteText(uri)}: ${fault}`, { data: { uri } });
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
  const still = inside
    .filter(({ entry }) => entry.resources === 'dynamic' && !found.some((skill) => skill.entry.uri === entry.uri))
    .map(({ entry }) => entry.uri);
  if (still.length === 0) return found;
  throw new SkillwireError(
    'USAGE',
    `cannot pin ${quoteText(uri)} alone: ${still.map((inner) => quoteText(inner)).join(', ')} inside it ` +
      `${still.length === 1 ? 'is' : 'are'} live, and one entry cannot promise the bytes of both; ` +
      'pin what is inside too',
    { data: { uri, inside: still } },
  );
}

/** Hosts compare the two and refuse to load otherwise. */
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
    `cannot pin ${quoteText(uri)}: the frontmatter of its text is not the one of its entry; no host would load it`,
    { data: { uri } },
  );
}

function assertSize(uri: string, resources: readonly SkillResource[]): void {
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length <= limits.skill.files && bytes <= limits.skill.bytes) return;
  throw new SkillwireError(
    'LIMIT_EXCEEDED',
    `cannot pin ${quoteText(uri)}: it would have ${resources.length} files and ${bytes} bytes, ` +
      `the limits are ${limits.skill.files} and ${limits.skill.bytes}`,
    { data: { uri } },
  );
}

/** What is inside ends no later than what promises it. */
function earliest(wanted: Date | undefined, inside: readonly PinnedSkill[]): Date | undefined {
  const ends = inside.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [Date.parse(expiresAt)]));
  if (wanted !== undefined) ends.push(wanted.getTime());
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}
