/**
 * The key of this installation: random, created at the first write, readable only by its owner. A journal line counts
 * only if its checksum was made with this key. So lines that were copied from another machine or edited by hand do not
 * count. A lost key is replaced, and then no older line counts. The key is not secret from programs of the same user.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type FileSystem, lstatIfThere, openIfThere, readInto } from './file-system.ts';
import type { LockGuard } from './lock-file.ts';
import { replaceFile } from './replace-file.ts';
import type { Corruption } from './store-failure.ts';

const keyBytes = 32;
const keyText = /^[0-9a-f]{64}\n$/;

export function installKey(files: FileSystem, folder: string, onCorrupt: (found: Corruption) => void) {
  const path = join(folder, 'key');
  let known: { readonly stamp: string; readonly key: Uint8Array | undefined } | undefined;

  const current = async (): Promise<Uint8Array | undefined> => {
    const there = await lstatIfThere(files, path);
    if (there !== undefined && known?.stamp === there.stamp) return known.key;
    const file = await openIfThere(files, path, 'reading');
    known = undefined;
    if (file === undefined) return undefined;
    try {
      const { kind, stamp } = await file.stat();
      const bytes = Buffer.alloc(keyBytes * 2 + 2);
      const text = bytes.toString('latin1', 0, kind === 'file' ? await readInto(file, bytes, 0) : 0);
      const key = keyText.test(text) ? Buffer.from(text.trim(), 'hex') : undefined;
      if (key === undefined)
        onCorrupt({ file: path, reason: 'this is not a key; lines that were written with it are ignored' });
      known = { stamp, key };
      return key;
    } finally {
      await file.close();
    }
  };

  return {
    /** The current key; `undefined` if there is none. */
    current,
    /** Creates the key if there is none. */
    async ensure(guard: LockGuard): Promise<Uint8Array> {
      const key = await current();
      if (key !== undefined) return key;
      const text = `${randomBytes(keyBytes).toString('hex')}\n`;
      await replaceFile(files, path, [Buffer.from(text)], { confirm: () => guard.confirm() });
      const made = await current();
      if (made === undefined) throw new Error(`the key at "${path}" vanished as it was made`);
      return made;
    },
  };
}

export type InstallKey = ReturnType<typeof installKey>;
