/**
 * The indexes of a site as we publish them. Strict: an entry that readers must refuse is an error here. One entry per
 * line in the given order, so equal entries are equal bytes and a change affects only its lines.
 *
 * In v0.2.0 (`/.well-known/agent-skills/index.json`), `files` is not part of the format, and its readers ignore it. Two consumers that
 * expect v0.1 can read the document because of it. `_meta` is not either; gateways use it to notice that they list one another.
 *
 * v0.1 (`/.well-known/skills/index.json`) has no `$schema`, and `files` in every entry with `SKILL.md` first. Popular
 * readers drop the whole document for one invalid entry.
 */
import { SkillwireError } from '../../errors.ts';
import { isDigest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { viaMetaKey } from '../../skill/provenance.ts';
import { namedFaults } from './entry-fields.ts';
import { fileListFaults } from './file-list.ts';
import { type ArtifactType, schemaV02 } from './index-places.ts';

export interface WellKnownEntryV02 {
  readonly name: string;
  readonly type: ArtifactType;
  readonly description: string;
  /** Absolute, or relative to the index. */
  readonly url: string;
  /** Digest of the artifact's bytes. */
  readonly digest: string;
  readonly files?: readonly string[] | undefined;
  /** Ids of the gateways that the skill came through. */
  readonly via?: readonly string[] | undefined;
}

function refuse(name: string, faults: readonly string[]): never {
  throw new SkillwireError('INVALID_SKILL', `Cannot publish the skill ${quoteText(name)}: ${faults.join('; ')}.`, {
    data: { name, faults },
  });
}

/** One line of the document, without its comma. */
export function encodeEntryV02(entry: WellKnownEntryV02): string {
  const { name, type, description, url, digest, files, via } = entry;
  const faults = namedFaults(entry, '0.2.0').map(({ message }) => message);
  if (url === '' || !URL.canParse(url, 'https://host.invalid/')) faults.push(`url ${quoteText(url)} is not a URL`);
  if (!isDigest(digest)) faults.push(`digest ${quoteText(digest)} is not a SHA-256 digest`);
  if (faults.length > 0) refuse(name, faults);
  // JSON omits `undefined` fields.
  return JSON.stringify({ name, type, description, url, digest, files, _meta: via && { [viaMetaKey]: via } });
}

const encoder = new TextEncoder();

/** Joins encoded entries to a document. */
export function joinIndexV02(lines: readonly string[]): Uint8Array {
  return encoder.encode(`{"$schema":${JSON.stringify(schemaV02)},\n"skills":[\n${lines.join(',\n')}\n]}\n`);
}

/** @internal for servers in tests */
export function encodeIndexV02(entries: readonly WellKnownEntryV02[]): Uint8Array {
  return joinIndexV02(entries.map(encodeEntryV02));
}

export interface WellKnownEntryV01 {
  readonly name: string;
  readonly description: string;
  /** Every file of the skill, in any order. */
  readonly files: readonly string[];
}

/** One line of the document, without its comma. */
export function encodeEntryV01(entry: WellKnownEntryV01): string {
  const { name, description, files } = entry;
  const faults = [...namedFaults(entry, '0.1'), ...fileListFaults(files)].map(({ message }) => message);
  if (faults.length > 0) refuse(name, faults);
  return JSON.stringify({ name, description, files: skillMdFirst(files) });
}

/** Sorted by code unit, with `SKILL.md` first. */
export function skillMdFirst(files: readonly string[]): readonly string[] {
  return [skillFileName, ...files.filter((file) => file !== skillFileName).sort()];
}

/** Joins encoded entries to a document. */
export function joinIndexV01(lines: readonly string[]): Uint8Array {
  return encoder.encode(`{"skills":[\n${lines.join(',\n')}\n]}\n`);
}

/** @internal for servers in tests */
export function encodeIndexV01(entries: readonly WellKnownEntryV01[]): Uint8Array {
  return joinIndexV01(entries.map(encodeEntryV01));
}
