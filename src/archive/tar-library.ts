/**
 * The entries of a tar as node-tar's parser gives them, strictly: whatever it warns about refuses the archive. Only the parser is
 * used; that library never writes anything here. What it passes over in silence is refused by `tar-headers.ts` before.
 */
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { limits } from '../limits.ts';
import { refusedArchive } from './archive-error.ts';

export interface ParsedEntry {
  /** As the library names it: `File`, `Directory`, `SymbolicLink`, `Link`. */
  readonly type: string;
  readonly name: string;
  readonly target: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

export function parseTar(tar: Uint8Array): readonly ParsedEntry[] {
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
    failure ??= new Error(`it passes over an entry of the type "${type}"`);
  });
  parser.on('error', (error: Error) => {
    failure ??= error;
  });
  parser.on('end', () => {
    ended = true;
  });
  parser.end(Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength));
  if (failure === undefined && ended) return entries;
  throw refusedArchive('ARCHIVE_CORRUPT', `its entries cannot be read: ${failure?.message ?? 'it has no end'}`);
}
