/**
 * Reads the entries of a tar twice: `tar-headers.ts` checks the headers byte by byte, then node-tar parses the archive.
 * An archive that the two read differently is refused.
 */

import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { type PlannedEntry, planFiles } from './entry-plan.ts';
import { checkTar } from './tar-headers.ts';

export function readTar(tar: Uint8Array, bounds: ArchiveLimits): readonly PlannedEntry[] {
  const checked = checkTar(tar, bounds);
  // Refuses with our own messages, before the library reports the same in its words.
  planFiles(checked, bounds);
  const parsed = parseTar(tar).map(toEntry);
  assertSameEntries(checked, parsed);
  return parsed;
}

/** @throws SkillwireError ARCHIVE_AMBIGUOUS. No archive is known that passes the checks and still differs. */
export function assertSameEntries(checked: readonly PlannedEntry[], parsed: readonly PlannedEntry[]): void {
  for (let at = 0; at < Math.max(checked.length, parsed.length); at++)
    if (!isSame(checked[at], parsed[at])) {
      const name = quoteText(checked[at]?.name ?? parsed[at]?.name ?? '');
      throw refusedArchive('ARCHIVE_AMBIGUOUS', `readers disagree about the entry ${name}`);
    }
}

const kinds: Readonly<Record<string, PlannedEntry['kind'] | undefined>> = {
  File: 'file',
  OldFile: 'file',
  Directory: 'folder',
  SymbolicLink: 'symlink',
  Link: 'hardlink',
};

function toEntry({ type, name, target, executable, bytes }: ParsedEntry): PlannedEntry {
  const kind = kinds[type];
  if (kind === undefined)
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', `${quoteText(name)} is an entry of the type ${quoteText(type)}`);
  if (kind === 'file') return { kind, name, bytes, executable };
  return kind === 'folder' ? { kind, name } : { kind, name, target };
}

function isSame(one: PlannedEntry | undefined, other: PlannedEntry | undefined): boolean {
  if (one === undefined || other === undefined || one.kind !== other.kind) return false;
  if (one.kind === 'folder') return withoutSlash(one.name) === withoutSlash(other.name);
  if (one.name !== other.name) return false;
  if (one.kind !== 'file') return other.kind === one.kind && other.target === one.target;
  return other.kind === 'file' && other.executable === one.executable && Buffer.compare(one.bytes, other.bytes) === 0;
}

function withoutSlash(name: string): string {
  return name.replace(/\/$/, '');
}

/**
 * Parses strictly: any warning of node-tar refuses the archive. Only its parser is used; it never writes files here.
 * `tar-headers.ts` has already refused everything that it silently accepts.
 */

interface ParsedEntry {
  /** The library's name: `File`, `Directory`, `SymbolicLink`, `Link`. */
  readonly type: string;
  readonly name: string;
  readonly target: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

function parseTar(tar: Uint8Array): readonly ParsedEntry[] {
  const entries: ParsedEntry[] = [];
  let failure: Error | undefined;
  let ended = false;
  const parser = new Parser({ strict: true, maxMetaEntrySize: limits.archive.metadataBytes });
  parser.on('entry', (entry: ReadEntry) => {
    const chunks: Uint8Array[] = [];
    entry.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    entry.on('end', () => {
      const [only] = chunks;
      const { type, path: name, linkpath: target = '', mode = 0 } = entry;
      const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      entries.push({ type, name, target, executable: (mode & 0o100) !== 0, bytes });
    });
  });
  parser.on('ignoredEntry', ({ type }: ReadEntry) => {
    failure ??= new Error(`an entry has the unsupported type "${type}"`);
  });
  parser.on('error', (error: Error) => {
    failure ??= error;
  });
  parser.on('end', () => {
    ended = true;
  });
  parser.end(Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength));
  if (failure === undefined && ended) return entries;
  throw refusedArchive('ARCHIVE_CORRUPT', `its entries cannot be read: ${failure?.message ?? 'its end is missing'}`);
}
