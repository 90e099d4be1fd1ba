/** The content of zip entries. Sizes are those that the headers promised, to the byte, or the archive is refused. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32, type InputType, inflateRaw, inflateRawSync, type Zlib, type ZlibOptions } from 'node:zlib';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { checkWanted, refusedArchive } from './archive-error.ts';
import { decodeName } from './archive-path.ts';
import type { PlannedEntry } from './entry-plan.ts';
import type { LocatedEntry } from './zip-entry.ts';

export async function inflateEntries(
  located: readonly LocatedEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly PlannedEntry[]> {
  const entries: PlannedEntry[] = [];
  let since = 0;
  for (const entry of located) {
    checkWanted(signal);
    const bytes = await contentOf(entry);
    since += bytes.length;
    if (since > limits.archive.sliceBytes) {
      since = 0;
      await nextTurn();
    }
    entries.push(toEntry(entry, bytes));
  }
  return entries;
}

function toEntry({ name, kind, executable }: LocatedEntry, bytes: Uint8Array): PlannedEntry {
  if (kind === 'folder') return { kind, name };
  if (kind === 'file') return { kind, name, bytes, executable };
  const target = decodeName(bytes);
  if (target === undefined)
    throw refusedArchive('ARCHIVE_LINK', `the link ${quoteText(name)} leads to what is no text`);
  return { kind, name, target };
}

async function contentOf(entry: LocatedEntry): Promise<Uint8Array> {
  const bytes = entry.method === 0 ? entry.data : await inflate(entry);
  if (bytes.length !== entry.size || crc32(bytes) !== entry.crc) {
    throw refusedArchive('ARCHIVE_CORRUPT', `the content of ${quoteText(entry.name)} has another size or checksum`);
  }
  return bytes;
}

/** What zlib gives where it is asked for more than the bytes. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: Zlib;
}

async function inflate(entry: LocatedEntry): Promise<Uint8Array> {
  const options = { info: true, maxOutputLength: Math.max(entry.size, 1), chunkSize: limits.archive.chunkBytes };
  let inflated: Inflated;
  try {
    inflated =
      entry.size <= limits.archive.chunkBytes
        ? (inflateRawSync(entry.data, options) as unknown as Inflated)
        : await inflateApart(entry.data, options);
  } catch (error) {
    throw refusedArchive('ARCHIVE_CORRUPT', `the content of ${quoteText(entry.name)} cannot be inflated`, error);
  }
  if (inflated.engine.bytesWritten !== entry.data.length) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `there is something behind the content of ${quoteText(entry.name)}`);
  }
  return inflated.buffer;
}

function inflateApart(data: InputType, options: ZlibOptions): Promise<Inflated> {
  return new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => {
      if (error === null) resolve(result as unknown as Inflated);
      else reject(error);
    });
  });
}
