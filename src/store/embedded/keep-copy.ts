/** A damaged file is kept for a person to look at, under a name with the time; a bounded number of them. */
import { basename, dirname, join } from 'node:path';
import { limits } from '../../limits.ts';
import type { FileSystem } from './file-system.ts';
import { replaceFile } from './replace-file.ts';

/** @returns the path of the copy */
export async function keepCopy(files: FileSystem, path: string): Promise<string> {
  const prefix = `${basename(path)}.corrupt-`;
  const copy = join(dirname(path), `${prefix}${new Date().toISOString().replace(/[-:]/g, '')}`);
  await replaceFile(files, copy, contents(files, path));
  const kept: string[] = [];
  for await (const name of files.names(dirname(path))) {
    if (name.startsWith(prefix) && /^\d{8}T\d{6}\.\d{3}Z$/.test(name.slice(prefix.length))) kept.push(name);
  }
  for (const name of kept.sort().slice(0, -limits.store.corruptCopies)) await files.unlink(join(dirname(path), name));
  return copy;
}

async function* contents(files: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  const file = await files.open(path, 'reading');
  try {
    const chunk = new Uint8Array(limits.store.chunkBytes);
    for (let position = 0; ; ) {
      const count = await file.read(chunk, position);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      position += count;
    }
  } finally {
    await file.close();
  }
}
