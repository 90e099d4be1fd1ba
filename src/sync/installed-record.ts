/**
 * The versions that this machine installed. After pulling a newer `skillwire.lock`, the disk still has the older skills; only this record
 * tells them from edited ones. It is written before a run changes anything, with the last two versions of each skill, so an undone run
 * loses nothing. It only matches folders with exactly the bytes of an earlier run; without it, every difference is an edit.
 */
import { join } from 'node:path';
import { isDigest } from '../skill/digest.ts';
import { isJsonObject } from '../skill/json.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';
import type { ExpectedFolder } from './drift.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

/** Newest first, by skill name. */
export type InstalledRecord = ReadonlyMap<string, readonly ExpectedFolder[]>;

const version = 1;
const storedVersions = 2;

function recordPath(place: InstallPlace): string {
  return join(transactionFolder(place), 'installed.json');
}

export async function readRecord(disk: SyncDisk, place: InstallPlace): Promise<InstalledRecord> {
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(recordPath(place));
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw error;
  }
  return parseRecord(new TextDecoder().decode(bytes));
}

/** Call it inside `inPlace()`. @param gone names of removed skills */
export async function writeRecord(
  disk: SyncDisk,
  place: InstallPlace,
  put: ReadonlyMap<string, ExpectedFolder>,
  gone: readonly string[],
): Promise<void> {
  const record = new Map(await readRecord(disk, place));
  for (const [name, { files, scripts }] of put)
    record.set(name, [{ files, scripts }, ...(record.get(name) ?? [])].slice(0, storedVersions));
  for (const name of gone) record.delete(name);
  const text = JSON.stringify({ version, skills: Object.fromEntries(record) });
  await replaceFile(disk, recordPath(place), [new TextEncoder().encode(text)]);
}

/** Empty if the record is damaged: then every difference counts as an edit, so no work is lost. */
function parseRecord(text: string): InstalledRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new Map();
  }
  if (!isJsonObject(value) || value['version'] !== version || !isJsonObject(value['skills'])) return new Map();
  const record = new Map<string, readonly ExpectedFolder[]>();
  for (const [name, versions] of Object.entries(value['skills']))
    if (Array.isArray(versions) && versions.every(isExpected)) record.set(name, versions);
  return record;
}

function isExpected(value: unknown): value is ExpectedFolder {
  if (!isJsonObject(value) || typeof value['scripts'] !== 'boolean' || !isJsonObject(value['files'])) return false;
  return Object.values(value['files']).every(
    (file) => isJsonObject(file) && isDigest(file['digest']) && typeof file['size'] === 'number',
  );
}
