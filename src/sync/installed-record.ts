/**
 * What this machine itself put into a place, beside the lock file: somebody who takes a newer `skillwire.lock` from a colleague has the
 * older skills on the disk, and only this record tells them from skills that were edited. It is written before a run changes
 * anything and holds the last two versions of each skill, so that a run that was undone loses nothing. It can only make a folder
 * that has exactly the bytes of an earlier run count as that; without it everything that differs is an edit.
 */
import { join } from 'node:path';
import { isDigest } from '../skill/digest.ts';
import { isJsonObject } from '../skill/json.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';
import type { ExpectedFolder } from './drift.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

/** Newest first, by the name of the skill. */
export type InstalledRecord = ReadonlyMap<string, readonly ExpectedFolder[]>;

const version = 1;
const kept = 2;

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

/** Inside a turn in the place. @param gone names of skills that are no longer there */
export async function writeRecord(
  disk: SyncDisk,
  place: InstallPlace,
  put: ReadonlyMap<string, ExpectedFolder>,
  gone: readonly string[],
): Promise<void> {
  const record = new Map(await readRecord(disk, place));
  for (const [name, { files, scripts }] of put)
    record.set(name, [{ files, scripts }, ...(record.get(name) ?? [])].slice(0, kept));
  for (const name of gone) record.delete(name);
  const text = JSON.stringify({ version, skills: Object.fromEntries(record) });
  await replaceFile(disk, recordPath(place), [new TextEncoder().encode(text)]);
}

/** Nothing of it where it is damaged: then everything that differs counts as edited, which loses nobody's work. */
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
