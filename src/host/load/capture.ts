/**
 * Turns an answer of an origin into an entry that can be approved. A captured entry never changes: it is what is
 * approved, verified and acted on, whatever the origin says later. An entry of another skill, without usable
 * `resources`, or larger than a skill may be is refused (SEP-2640: H-17, H-19, H-20), without fetching anything.
 */
import { definedFields } from '../../defined-fields.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { contentDigest, contentFiles } from '../../skill/content-digest.ts';
import { deepFreeze, isDeepFrozen } from '../../skill/deep-freeze.ts';
import { isDigest, sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { formerUris } from '../../skill/former-uris.ts';
import { sortedJson } from '../../skill/json.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { type SkillSet, setDigest, setOf } from '../../skill/skill-set.ts';
import type { PartialManifest, SourceSkill } from '../../sources/skill-source.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';

declare const capturedBrand: unique symbol;

/**
 * `verifiable`: every file has a digest and a size. `no-size`: digests only. `no-digest`: file names only. `dynamic`:
 * nothing is promised.
 */
export type CaptureStatus = 'verifiable' | 'dynamic' | PartialManifest['reason'];

/** The entry of a skill at one moment; what is approved, verified and acted on. */
export interface CapturedEntry {
  readonly [capturedBrand]: true;
  readonly label: string;
  readonly local: boolean;
  readonly entry: SkillEntry;
  readonly partial?: PartialManifest;
  /** Earlier URIs of the skill. */
  readonly formerUris?: readonly string[];
  /** Only if verifiable. */
  readonly set?: SkillSet;
  readonly setDigest?: string;
  /** Of paths and files without the signature: the same behind every gateway. Absent if not every file has a digest. */
  readonly contentDigest?: string;
  readonly status: CaptureStatus;
  /** Equal for entries that one approval may cover: the set, or else the little that is known. */
  readonly fingerprint: string;
}

type CapturedFrom = Pick<SourceSkill, 'entry' | 'partial'> & Partial<SourceSkill> & Pick<CapturedEntry, 'formerUris'>;

function formerOf(skill: CapturedFrom): readonly string[] | undefined {
  return skill.formerUris ?? formerUris(skill.aliases);
}

interface CapturingOrigin {
  readonly label: string;
  readonly local: boolean;
}

/** Captured entries by source entry. */
const known = new WeakMap<SkillEntry, CapturedEntry>();

/**
 * Returns the earlier capture if the source returns the same immutable entry.
 *
 * @throws SkillwireError BAD_ANSWER; VerificationError `limit`
 */
export async function captureEntry(origin: CapturingOrigin, uri: string, skill: CapturedFrom): Promise<CapturedEntry> {
  const { label, local } = origin;
  const { entry, partial } = skill;
  const before = known.get(entry);
  if (before?.label === label && before.local === local && before.entry.uri === uri && partial === undefined)
    if (before.formerUris?.join() === formerOf(skill)?.join()) return before;
  const holding = await checkAndCapture(origin, uri, skill);
  if (isDeepFrozen(entry) && partial === undefined) known.set(entry, holding);
  return holding;
}

async function checkAndCapture(
  { label, local }: CapturingOrigin,
  uri: string,
  skill: CapturedFrom,
): Promise<CapturedEntry> {
  const { entry, partial } = skill;
  const former = definedFields({ formerUris: formerOf(skill) });
  const fault = entryFault(entry, uri);
  if (fault !== undefined)
    throw new SkillwireError('BAD_ANSWER', `Cannot use ${quoteText(uri)} of ${quoteText(label)}: ${fault}.`, {
      data: { label, uri },
    });
  refuseTooLarge({ label, uri }, entry);
  const set = setOf(entry);
  if (set === undefined) {
    const status = partial?.reason ?? 'dynamic';
    const fingerprint = await looseFingerprint(entry, partial);
    return captureOf({ label, local, entry, status, fingerprint, partial, ...former });
  }
  const digest = await setDigest(set);
  const files = contentFiles(entry);
  return captureOf({
    label,
    local,
    entry,
    set: deepFreeze(set),
    setDigest: digest,
    ...(files === undefined ? {} : { contentDigest: await contentDigest(files) }),
    status: 'verifiable',
    fingerprint: digest,
    ...former,
  });
}

function captureOf(facts: Omit<CapturedEntry, typeof capturedBrand>): CapturedEntry {
  return Object.freeze(facts) as CapturedEntry;
}

/** The fault of an entry, as a phrase. Sources check more; a host relies on this much. */
function entryFault(entry: SkillEntry, uri: string): string | undefined {
  if (entry.uri !== uri) return `its origin answered with the entry of ${quoteText(String(entry.uri))}`;
  const { frontmatter, resources } = entry as { readonly frontmatter: unknown; readonly resources: unknown };
  if (!isNamed(frontmatter)) return 'its frontmatter has no name or no description';
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return 'its resources are neither a list nor "dynamic"';
  const seen = new Set<string>();
  for (const resource of resources as readonly Readonly<Record<string, unknown>>[]) {
    const shown = quoteText(String(resource.uri));
    if (typeof resource.uri !== 'string' || pathBelow(uri, resource.uri) === resource.uri)
      return `it lists ${shown}, which is outside the skill`;
    if (seen.has(resource.uri)) return `it lists ${shown} twice`;
    if (!isDigest(resource.digest)) return `the digest of ${shown} is not "sha256:" and 64 hexadecimal digits`;
    if (!Number.isSafeInteger(resource.size) || Number(resource.size) < 0)
      return `the size of ${shown} is not a number`;
    seen.add(resource.uri);
  }
  return seen.has(uri) ? undefined : 'it does not list its own SKILL.md';
}

function isNamed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description } = value as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && typeof description === 'string';
}

function refuseTooLarge(address: SkillAddress, { resources }: SkillEntry): void {
  if (resources === 'dynamic') return;
  const bytes = resources.reduce((total, { size }) => total + size, 0);
  const most = limits.skill;
  if (resources.length <= most.files && bytes <= most.bytes) return;
  const fault =
    resources.length > most.files
      ? `it has ${resources.length} files; at most ${most.files} are allowed`
      : `it has ${bytes} bytes; at most ${most.bytes} are allowed`;
  throw new VerificationError(
    'limit',
    `Cannot use ${quoteText(address.uri)} of ${quoteText(address.label)}: ${fault}.`,
    {
      data: { ...address, files: resources.length, bytes },
    },
  );
}

async function looseFingerprint(entry: SkillEntry, partial: PartialManifest | undefined): Promise<string> {
  const files = [...(partial?.files ?? [])].map(({ uri, digest = '' }) => `${digest} ${uri}`).sort();
  const known = JSON.stringify(sortedJson({ frontmatter: entry.frontmatter, files }));
  return `${partial?.reason ?? 'dynamic'}:${await sha256Digest(new TextEncoder().encode(known))}`;
}
