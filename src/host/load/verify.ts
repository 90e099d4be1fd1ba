/**
 * The only module that creates `VerifiedSkill`, `VerifiedFile` and their unverified counterparts. It checks size, then
 * digest, then frontmatter, field by field (SEP-2640: H-29, H-35, H-36). Bytes that fail are never returned (H-30). A
 * matching digest proves that the bytes belong to the entry; it does not make them trustworthy (H-39).
 */
import { VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { deepFreeze, isDeepFrozen } from '../../skill/deep-freeze.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry, SkillResource } from '../../skill/entry.ts';
import { compareFrontmatter } from '../../skill/frontmatter-compare.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { SkillSet } from '../../skill/skill-set.ts';
import { type Checked, verifyBytes } from '../../skill/verify-bytes.ts';
import type { PartialManifest } from '../../sources/skill-source.ts';
import type { Grants } from '../../store/decisions/approval.ts';
import type { ApprovedEntry } from '../approve/approvals.ts';

declare const checkedBytes: unique symbol;
declare const verifiedSkill: unique symbol;
declare const verifiedFile: unique symbol;
declare const unverifiedSkill: unique symbol;
declare const unverifiedFile: unique symbol;

/** Bytes with the size and digest of a resource; says nothing about approval. */
export interface CheckedBytes {
  readonly [checkedBytes]: true;
  readonly uri: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}

interface PresentableSkill {
  readonly label: string;
  readonly local: boolean;
  readonly entry: SkillEntry;
  readonly bytes: Uint8Array;
  /** The whole `SKILL.md` including frontmatter, without a byte-order mark. */
  readonly text: string;
  readonly grants: Grants;
  /** How the fields of the file had to be read to match the entry. */
  readonly remarks: readonly string[];
}

/** An approved skill whose `SKILL.md` matches its entry. */
export interface VerifiedSkill extends PresentableSkill {
  readonly [verifiedSkill]: true;
  readonly verified: true;
  readonly set: SkillSet;
  readonly setDigest: string;
}

/** An approved skill that cannot be proved: only its frontmatter and the known digests were compared. */
export interface UnverifiedSkill extends PresentableSkill {
  readonly [unverifiedSkill]: true;
  readonly verified: false;
  readonly partial?: PartialManifest;
}

interface PresentableFile {
  readonly label: string;
  readonly local: boolean;
  /** URI of the skill's `SKILL.md`. */
  readonly skill: string;
  readonly uri: string;
  /** Inside the folder of the skill. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface VerifiedFile extends PresentableFile {
  readonly [verifiedFile]: true;
  readonly verified: true;
  readonly digest: string;
}

export interface UnverifiedFile extends PresentableFile {
  readonly [unverifiedFile]: true;
  readonly verified: false;
}

/** @throws VerificationError `size`, `digest` */
export async function checkBytes(resource: SkillResource, bytes: Uint8Array): Promise<CheckedBytes> {
  await verifyBytes(bytes, resource);
  const { uri, digest } = resource;
  return { uri, digest, bytes } as CheckedBytes;
}

/** True if the known files of a skill exclude this one. */
export function isRuledOut(uri: string, partial: PartialManifest | undefined): boolean {
  return partial !== undefined && partial.more !== true && !partial.files.some((file) => file.uri === uri);
}

/** @throws VerificationError `digest`, `size` if the bytes differ from what is known */
export async function checkPartially(
  uri: string,
  bytes: Uint8Array,
  partial: PartialManifest | undefined,
): Promise<Checked> {
  return verifyBytes(bytes, partial?.files.find((file) => file.uri === uri) ?? { uri });
}

/** @throws VerificationError `unlisted` if these bytes were not approved */
export function verifyFile({ captured }: ApprovedEntry, checked: CheckedBytes, path: string): VerifiedFile {
  const { uri, digest, bytes } = checked;
  if (captured.set?.some((file) => file.uri === uri && file.digest === digest) !== true) throw unlisted(uri);
  const { label, local, entry } = captured;
  return { label, local, skill: entry.uri, uri, path, bytes, digest, verified: true } as VerifiedFile;
}

/** A file of a skill that cannot be verified. `checkPartially()` has checked what is known about the bytes. */
export function unverifiedFileOf(
  { captured }: ApprovedEntry,
  uri: string,
  path: string,
  bytes: Uint8Array,
): UnverifiedFile {
  if (captured.status === 'verifiable') throw unlisted(uri);
  const { label, local, entry } = captured;
  return { label, local, skill: entry.uri, uri, path, bytes, verified: false } as UnverifiedFile;
}

/** @throws VerificationError `frontmatter`, `limit`, `contents` */
export function verifySkill(approved: ApprovedEntry, file: VerifiedFile): VerifiedSkill {
  const { set, setDigest } = approved.captured;
  if (set === undefined || setDigest === undefined || file.uri !== approved.captured.entry.uri)
    throw unlisted(file.uri);
  return { ...presentable(approved, file), verified: true, set, setDigest } as VerifiedSkill;
}

/** @throws VerificationError `frontmatter`, `limit`, `contents` */
export function unverifiedSkillOf(approved: ApprovedEntry, file: UnverifiedFile): UnverifiedSkill {
  const { partial, entry } = approved.captured;
  if (file.uri !== entry.uri) throw unlisted(file.uri);
  return { ...presentable(approved, file), verified: false, partial } as UnverifiedSkill;
}

export function unlisted(uri: string): VerificationError {
  return new VerificationError('unlisted', `Cannot use ${quoteText(uri)}: the entry of the skill does not list it.`, {
    data: { uri },
  });
}

/** Refuses a SKILL.md that the entry declares too large for a context. */
export function refuseLargeSkillMd(uri: string, size: number): void {
  const most = limits.host.skillMdBytes;
  if (size <= most) return;
  const message = `Cannot load ${quoteText(uri)}: its SKILL.md has ${size} bytes; at most ${most} are allowed.`;
  throw new VerificationError('limit', message, { data: { uri, size, limit: most } });
}

/** For immutable entries: the digest of the last matching `SKILL.md`, and its remarks. */
const compared = new WeakMap<SkillEntry, { readonly digest: string; readonly remarks: readonly string[] }>();

/** The same bytes, just hashed, have the same frontmatter. */
function remarksOn(entry: SkillEntry, file: VerifiedFile | UnverifiedFile): readonly string[] {
  const { bytes } = file;
  const digest = file.verified ? file.digest : undefined;
  const before = compared.get(entry);
  if (digest !== undefined && before?.digest === digest) return before.remarks;
  const remarks = checkFrontmatter(entry, bytes);
  if (digest !== undefined && isDeepFrozen(entry)) compared.set(entry, { digest, remarks: deepFreeze(remarks) });
  return remarks;
}

function presentable({ captured, approval }: ApprovedEntry, file: VerifiedFile | UnverifiedFile): PresentableSkill {
  const { label, local, entry } = captured;
  const { uri, bytes } = file;
  refuseLargeSkillMd(uri, bytes.byteLength);
  const text = decodeUtf8(bytes);
  if (text === undefined)
    throw new VerificationError('frontmatter', `Cannot load ${quoteText(uri)}: its SKILL.md is not UTF-8.`, {
      data: { uri },
    });
  const remarks = remarksOn(entry, file);
  return {
    label,
    local,
    entry,
    bytes,
    text: text.replace(/^\ufeff/, ''),
    grants: approval.grants,
    remarks,
  };
}

/** How the fields of the file had to be read to match the entry. @throws VerificationError `frontmatter` */
export function checkFrontmatter({ uri, frontmatter }: SkillEntry, skillMd: Uint8Array): readonly string[] {
  const { matches, differences, remarks } = compareFrontmatter(frontmatter, skillMd);
  if (matches) return remarks;
  const fields = differences.map(({ field }) => quoteText(field)).join(', ');
  const named = fields === '' ? `it cannot be read (${remarks.join('; ')})` : `it differs in ${fields}`;
  throw new VerificationError(
    'frontmatter',
    `Cannot use ${quoteText(uri)}: the frontmatter of the file does not match the entry: ${named}.`,
    { data: { uri, differences } },
  );
}
