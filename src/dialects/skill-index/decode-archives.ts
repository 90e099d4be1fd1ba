/**
 * Archives that an entry of `skill://index.json` offers (form B, and form A as an entry of its own). A bad one never
 * spoils the others.
 */
import { quoteText } from '../../skill/display-text.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { Retrieval } from '../dialect-skill.ts';
import { readDigest } from '../wire-digest.ts';
import { archiveFormatOfType, splitArchivePath } from './archive-uri.ts';
import { completeUrl } from './index-url.ts';

export interface ArchivesReading {
  readonly archives: readonly Retrieval[];
  readonly faults: readonly EntryFault[];
}

/** Reads the list `archives`; undefined is an empty one. */
export function decodeArchives(value: unknown): ArchivesReading {
  if (value === undefined) return { archives: [], faults: [] };
  if (!Array.isArray(value)) return { archives: [], faults: [fault('archives is not a list')] };
  const archives: Retrieval[] = [];
  const faults: EntryFault[] = [];
  for (const [index, item] of value.entries()) {
    const reading = isJsonObject(item)
      ? decodeArchive(`archives[${index}]`, item)
      : `archives[${index}] is not an object`;
    if (typeof reading === 'string') faults.push(fault(reading));
    else archives.push(reading);
  }
  return { archives, faults };
}

/**
 * One archive, or what is wrong with it. The media type may stand under `mimeType` or, as a log of the drafts had it,
 * `mediaType`.
 */
export function decodeArchive(field: string, item: JsonObject): Retrieval | string {
  const { url } = item;
  if (typeof url !== 'string') return `${field}.url is not text`;
  const uri = completeUrl(url);
  const parsed = tryParseResourceUri(uri);
  if (parsed === undefined) return `${field}.url ${quoteText(url)} is not a URI that could name an archive`;
  const type = item['mimeType'] ?? item['mediaType'];
  const named = typeof type === 'string' ? archiveFormatOfType(type) : undefined;
  if (typeof type === 'string' && named === undefined)
    return `${field}.mimeType ${quoteText(type)} is neither gzip nor zip`;
  const digest = readDigest(`${field}.digest`, item['digest']);
  if (digest.kind === 'fault') return digest.message;
  const format = named ?? splitArchivePath(parsed.path)?.format;
  return {
    kind: 'archive',
    uri,
    ...(format === undefined ? {} : { format }),
    ...(digest.kind === 'absent' ? {} : { digest: digest.digest }),
  };
}

function fault(message: string): EntryFault {
  return { requirement: 'index:b-archives', message };
}
