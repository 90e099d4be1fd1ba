/**
 * Reads the entries of a tar: the headers are checked byte by byte, then a library parses the archive. Both must have read the
 * same; an archive that two readers understand differently is refused.
 */
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { type PlannedEntry, planFiles } from './entry-plan.ts';
import { checkTar } from './tar-headers.ts';
import { type ParsedEntry, parseTar } from './tar-library.ts';

export function readTar(tar: Uint8Array, bounds: ArchiveLimits): readonly PlannedEntry[] {
  const checked = checkTar(tar, bounds);
  // Refuses by its own rules what the library may have its own words for.
  planFiles(checked, bounds);
  const parsed = parseTar(tar).map(toEntry);
  assertSameEntries(checked, parsed);
  return parsed;
}

/** @throws SkillwireError ARCHIVE_AMBIGUOUS. No archive is known that gets here and differs. */
export function assertSameEntries(checked: readonly PlannedEntry[], parsed: readonly PlannedEntry[]): void {
  for (let at = 0; at < Math.max(checked.length, parsed.length); at++)
    if (!isSame(checked[at], parsed[at])) {
      const name = quoteText(checked[at]?.name ?? parsed[at]?.name ?? '');
      throw refusedArchive('ARCHIVE_AMBIGUOUS', `readers differ in what the entry ${name} is`);
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
  return other.kind === 'file' && other.executable === one.executable && sameBytes(one.bytes, other.bytes);
}

function withoutSlash(name: string): string {
  return name.replace(/\/$/, '');
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
