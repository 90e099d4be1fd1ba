/**
 * Private records on disk: one folder for each, with mode 0700, its own lock, and one file with mode 0600. The name of a folder is a digest,
 * because names are addresses.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { limits } from '../../limits.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { PrivateRecords, ReadRecord, RecordChange } from '../private-records.ts';
import { nodeFileSystem, openIfThere, readInto, unlinkIfThere, withWindowsPatience } from './file-system.ts';
import { type FolderLock, folderLock } from './folder-lock.ts';
import { checkFolder } from './private-folder.ts';
import { replaceFile } from './replace-file.ts';
import { named, quotePath, unusable } from './store-failure.ts';

const fileName = 'record.json';
const folderName = /^[0-9a-f]{64}$/;

/** Nothing is created before the first change. */
export function privateRecordFiles(folder: string): PrivateRecords {
  const files = process.platform === 'win32' ? withWindowsPatience(nodeFileSystem) : nodeFileSystem;
  const locks = new Map<string, FolderLock>();
  const folderOf = (name: string): string => join(folder, createHash('sha256').update(name).digest('hex'));

  const lockOf = (path: string): FolderLock => {
    const lock = locks.get(path) ?? folderLock(files, path);
    locks.set(path, lock);
    return lock;
  };

  const read = (own: string): Promise<JsonValue | undefined> =>
    named('read stored logins', async () => {
      const path = join(own, fileName);
      const file = await openIfThere(files, path, 'reading');
      if (file === undefined) return undefined;
      try {
        const { size } = await file.stat();
        if (size > limits.credentials.recordBytes) throw damaged(path);
        const bytes = new Uint8Array(size);
        return parsed(path, bytes.subarray(0, await readInto(file, bytes, 0)));
      } finally {
        await file.close();
      }
    });

  return {
    get: (name) => read(folderOf(name)),
    list: () =>
      named('list stored logins', async () => {
        if (!(await checkFolder(files, folder))) return [];
        const found: JsonValue[] = [];
        for await (const name of files.names(folder)) {
          const record = folderName.test(name) ? await read(join(folder, name)) : undefined;
          if (record !== undefined) found.push(record);
        }
        return found;
      }),
    change<T>(name: string, work: (readRecord: ReadRecord) => Promise<RecordChange<T>>): Promise<T> {
      const own = folderOf(name);
      const path = join(own, fileName);
      return named('store a login', () =>
        lockOf(own).run(async () => {
          const { next, result } = await work(() => read(own));
          if (next === null) await unlinkIfThere(files, path);
          else if (next !== undefined) await replaceFile(files, path, [new TextEncoder().encode(JSON.stringify(next))]);
          return result;
        }),
      );
    },
  };
}

/** The text of the file is not repeated: it has secrets. */
function parsed(path: string, bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch {
    throw damaged(path);
  }
}

function damaged(path: string) {
  return unusable(`Cannot read the stored login ${quotePath(path)}: it is damaged. Log in again, or log out.`, path);
}
