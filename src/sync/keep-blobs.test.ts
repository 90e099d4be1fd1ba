import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../test/scripted-origin.ts';
import { sha256Digest } from '../skill/digest.ts';
import { memoryStore } from '../store/memory-store.ts';
import { cacheFiles, type FetchedFile } from './fetch-skill.ts';

async function file(path: string, text: string): Promise<FetchedFile> {
  const bytes = bytesOf(text);
  const digest = await sha256Digest(bytes);
  return { path, uri: `skill://a/${path}`, bytes, digest, size: bytes.length };
}

describe('keepBlobs()', () => {
  test('stores the bytes by digest, with their file at the origin', async () => {
    const store = memoryStore();
    const files = [await file('SKILL.md', '# a\n'), await file('b.txt', 'b')];
    await cacheFiles(store, 'docs', files);
    for (const { uri, digest, size, bytes } of files) {
      expect(await store.blobs.get(digest)).toEqual(bytes);
      expect(await store.index.get(['content', 'docs', uri])).toEqual({ digest, size });
    }
    expect(await store.index.get(['content', 'team', 'skill://a/SKILL.md'])).toBeUndefined();
  });

  test('names the newer bytes of a file, and keeps other rows of the index', async () => {
    const store = memoryStore();
    const [old, other] = [await file('SKILL.md', 'old'), await file('b.txt', 'b')];
    await cacheFiles(store, 'docs', [old, other]);
    const newer = await file('SKILL.md', 'newer');
    await cacheFiles(store, 'docs', [newer]);
    expect(await store.index.get(['content', 'docs', newer.uri])).toEqual({ digest: newer.digest, size: 5 });
    expect(await store.index.get(['content', 'docs', other.uri])).toEqual({ digest: other.digest, size: 1 });
  });
});
