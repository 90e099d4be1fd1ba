/**
 * Reads a site index from bytes: its published form, and its entries one by one. A document with an unknown `$schema`
 * is not processed (W-3). Without `$schema` it is v0.1, or an early v0.2 draft, which has `version` instead. If its
 * entries look like v0.2.0 and have no `files`, the intent is unknown and it is not processed either (C-21).
 */
import { reasonOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import {
  type DecodedEarly,
  type DecodedV01,
  type DecodedV02,
  decodeEntryEarly,
  decodeEntryV01,
  decodeEntryV02,
  type RefusedIndexEntry,
  type SiteEntryReading,
} from './decode-entries.ts';
import { folderV02, schemaV02 } from './index-places.ts';

export type { DecodedEarly, DecodedV01, DecodedV02, RefusedIndexEntry } from './decode-entries.ts';

interface Decoded<Version extends string, Entry> {
  readonly version: Version;
  readonly entries: readonly Entry[];
  readonly refused: readonly RefusedIndexEntry[];
  /** About the document as a whole, as sentences without a final period. */
  readonly warnings: readonly string[];
}

export type DecodedIndex =
  | Decoded<'0.2.0', DecodedV02>
  | Decoded<'0.1', DecodedV01>
  | Decoded<'early-0.2', DecodedEarly>
  /** Not to be processed. `schema` is what the document declares, or why that is unknown. */
  | { readonly version: 'unknown'; readonly schema: string };

/**
 * Reads an index that came from `indexUrl`.
 *
 * @throws SkillwireError `BAD_ANSWER` for bytes that are not JSON, or JSON that is not an index
 */
export function decodeIndex(bytes: Uint8Array, indexUrl: string): DecodedIndex {
  const document = parseDocument(bytes, indexUrl);
  const { $schema: schema, version } = document;
  if (schema !== undefined) {
    if (schema !== schemaV02)
      return { version: 'unknown', schema: typeof schema === 'string' ? schema : shortText(JSON.stringify(schema)) };
    return { version: '0.2.0', ...decodeEntries(skillsOf(document, indexUrl), indexUrl, decodeEntryV02), warnings: [] };
  }
  const skills = skillsOf(document, indexUrl);
  const numbers = typeof version === 'string' ? /^(\d+)\.(\d+)\.\d+$/.exec(version) : null;
  if (numbers !== null && Number(numbers[1]) > 0) return { version: 'unknown', schema: `version ${numbers[0]}` };
  if (numbers !== null && Number(numbers[2]) >= 2)
    return { version: 'early-0.2', ...decodeEntries(skills, indexUrl, decodeEntryEarly), warnings: [] };
  if (skills.some(looksLikeV02)) return { version: 'unknown', schema: 'no "$schema", and entries without "files"' };
  const warnings: string[] = [];
  if (new URL(indexUrl).pathname.includes(`/${folderV02}/`))
    warnings.push('the index has no "$schema"; it is read as v0.1');
  if (version !== undefined && numbers === null)
    warnings.push(`the index has the unknown version ${shortText(JSON.stringify(version))}`);
  return { version: '0.1', ...decodeEntries(skills, indexUrl, decodeEntryV01), warnings };
}

function unusable(indexUrl: string, fault: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the index ${quoteText(indexUrl)}: ${fault}.`, {
    data: { url: indexUrl },
  });
}

function parseDocument(bytes: Uint8Array, indexUrl: string): Readonly<Record<string, unknown>> {
  const most = limits.wellKnown.indexBytes;
  if (bytes.length > most) throw unusable(indexUrl, `it has ${bytes.length} bytes; at most ${most} are allowed`);
  let document: unknown;
  try {
    // A byte-order mark is dropped: some editors write one, and it is not part of the JSON.
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw unusable(indexUrl, `it is not JSON (${shortText(reasonOf(error))})`);
  }
  if (!isJsonObject(document)) throw unusable(indexUrl, 'it is not a JSON object');
  return document;
}

function skillsOf({ skills }: Readonly<Record<string, unknown>>, indexUrl: string): readonly unknown[] {
  if (!Array.isArray(skills)) throw unusable(indexUrl, 'it has no list "skills"');
  const most = limits.wellKnown.entries;
  if (skills.length > most) throw unusable(indexUrl, `it lists ${skills.length} skills; at most ${most} are allowed`);
  return skills;
}

function looksLikeV02(entry: unknown): boolean {
  if (!isJsonObject(entry) || entry['files'] !== undefined) return false;
  return entry['type'] !== undefined || entry['url'] !== undefined || entry['digest'] !== undefined;
}

function decodeEntries<T extends { readonly name: string }>(
  skills: readonly unknown[],
  indexUrl: string,
  decode: (value: unknown, indexUrl: string) => SiteEntryReading<T>,
): { readonly entries: readonly T[]; readonly refused: readonly RefusedIndexEntry[] } {
  const entries = new Map<string, T>();
  const refused: RefusedIndexEntry[] = [];
  for (const [index, value] of skills.entries()) {
    const reading = decode(value, indexUrl);
    if (reading.ok && !entries.has(reading.entry.name)) {
      entries.set(reading.entry.name, reading.entry);
      continue;
    }
    const name = isJsonObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
    const faults = reading.ok
      ? [{ requirement: 'W-6', message: `an earlier entry already has the name ${quoteText(reading.entry.name)}` }]
      : reading.faults.slice(0, limits.origin.faults);
    refused.push({ index, ...(name === undefined ? {} : { name: name.slice(0, limits.uri.characters) }), faults });
  }
  return { entries: [...entries.values()], refused };
}
