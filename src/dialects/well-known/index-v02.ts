/**
 * The index of v0.2.0 (`/.well-known/agent-skills/index.json`), as we publish it. Strict: an entry that a reader would have to
 * refuse is an error here. One entry per line in the order given, so equal entries are equal bytes and a change is a change
 * of its lines.
 *
 * `files` is not part of v0.2.0 and ignored by its readers; two consumers that expect v0.1 read the document because of it. Nor is
 * `_meta`, by which gateways that list one another notice it.
 */
import { SkillwireError } from '../../errors.ts';
import { isDigest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { viaMetaKey } from '../../skill/provenance.ts';
import { namedFaults } from './entry-fields.ts';
import { type ArtifactType, schemaV02 } from './index-places.ts';

export interface WellKnownEntryV02 {
  readonly name: string;
  readonly type: ArtifactType;
  readonly description: string;
  /** Absolute, or relative to the index. */
  readonly url: string;
  /** Of the artifact's bytes. */
  readonly digest: string;
  readonly files?: readonly string[] | undefined;
  /** Ids of the gateways that the skill came through. */
  readonly via?: readonly string[] | undefined;
}

function refuse(name: string, faults: readonly string[]): never {
  throw new SkillwireError('INVALID_SKILL', `cannot publish the skill ${quoteText(name)}: ${faults.join('; ')}`, {
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
  // What is undefined is left out.
  return JSON.stringify({ name, type, description, url, digest, files, _meta: via && { [viaMetaKey]: via } });
}

const encoder = new TextEncoder();

/** The document of entries that were encoded one by one. */
export function joinIndexV02(lines: readonly string[]): Uint8Array {
  return encoder.encode(`{"$schema":${JSON.stringify(schemaV02)},\n"skills":[\n${lines.join(',\n')}\n]}\n`);
}

/** @internal for servers in tests */
export function encodeIndexV02(entries: readonly WellKnownEntryV02[]): Uint8Array {
  return joinIndexV02(entries.map(encodeEntryV02));
}
