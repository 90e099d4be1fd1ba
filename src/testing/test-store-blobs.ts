/** The guarantees of the blobs of a store; part of `testStore()`. */
import assert from 'node:assert/strict';
import { SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { collectGarbage } from '../store/collect-garbage.ts';
import type { BlobFacts, BlobStore } from '../store/store.ts';
import type { Promised } from './test-store-values.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function put(blobs: BlobStore, text: string): Promise<string> {
  const bytes = bytesOf(text);
  const digest = await sha256Digest(bytes);
  await blobs.put(digest, bytes);
  return digest;
}

async function listed(blobs: BlobStore): Promise<BlobFacts[]> {
  const found: BlobFacts[] = [];
  for await (const facts of blobs.list()) found.push(facts);
  return found;
}

const isUsage = (error: unknown): boolean => error instanceof SkillwireError && error.code === 'USAGE';

export function blobPromises(promised: Promised): void {
  const on = (name: string, run: (blobs: BlobStore) => Promise<void>): void =>
    promised(`blobs: ${name}`, ({ store }) => run(store.blobs));

  on('get() returns the stored bytes, for an empty blob and for all 256 byte values', async (blobs) => {
    const all = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    for (const bytes of [new Uint8Array(), all]) {
      const digest = await sha256Digest(bytes);
      assert.equal(await blobs.has(digest), false);
      await blobs.put(digest, bytes);
      await blobs.put(digest, bytes);
      assert.equal(await blobs.has(digest), true);
      assert.deepEqual(new Uint8Array((await blobs.get(digest)) ?? [1]), bytes);
    }
  });

  on('put() refuses bytes with another digest and stores nothing', async (blobs) => {
    const digest = await sha256Digest(bytesOf('good'));
    await assert.rejects(
      blobs.put(digest, bytesOf('evil')),
      (error) => error instanceof VerificationError && error.reason === 'digest',
    );
    assert.equal(await blobs.has(digest), false);
    assert.equal(await blobs.get(digest), undefined);
    assert.deepEqual(await listed(blobs), []);
  });

  on('put() refuses more bytes than a skill may have', async (blobs) => {
    const bytes = new Uint8Array(limits.skill.bytes + 1);
    const digest = await sha256Digest(bytes);
    await assert.rejects(
      blobs.put(digest, bytes),
      (error) => error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED',
    );
    assert.equal(await blobs.has(digest), false);
  });

  on('rejects text that is not a digest', async (blobs) => {
    const hex = '0'.repeat(64);
    for (const bad of ['', hex, `sha256:${hex}0`, `sha256:${'A'.repeat(64)}`, `sha256:../${hex}`.slice(0, 71)]) {
      await assert.rejects(blobs.get(bad), isUsage);
      await assert.rejects(blobs.has(bad), isUsage);
      await assert.rejects(blobs.delete(bad), isUsage);
      await assert.rejects(blobs.put(bad, new Uint8Array()), isUsage);
    }
  });

  on('delete() returns whether there was a value', async (blobs) => {
    const digest = await put(blobs, 'one');
    assert.equal(await blobs.delete(digest), true);
    assert.equal(await blobs.delete(digest), false);
    assert.equal(await blobs.get(digest), undefined);
  });

  on('list() returns each blob once, with its size and last use', async (blobs) => {
    const before = Date.now() - 1000;
    const digests = [await put(blobs, 'one'), await put(blobs, 'three'), await put(blobs, 'one')];
    const found = await listed(blobs);
    assert.deepEqual(new Set(found.map(({ digest }) => digest)), new Set(digests));
    assert.deepEqual(found.map(({ size }) => size).sort(), [3, 5]);
    for (const { usedAt } of found) assert.ok(usedAt >= before && usedAt <= Date.now() + 1000, String(usedAt));
  });

  on('callers cannot change a stored blob', async (blobs) => {
    const bytes = bytesOf('unchanged');
    const digest = await sha256Digest(bytes);
    await blobs.put(digest, bytes);
    bytes.fill(0);
    (await blobs.get(digest))?.fill(0);
    assert.deepEqual(new Uint8Array((await blobs.get(digest)) ?? []), bytesOf('unchanged'));
  });

  on('collectGarbage() respects the byte limit and pinned blobs', async (blobs) => {
    const pinned = await put(blobs, 'pinned bytes');
    for (const text of ['one', 'two', 'three', 'four']) await put(blobs, text);
    const report = await collectGarbage(blobs, { budgetBytes: 16, pinned: new Set([pinned]), graceMs: 0 });
    const left = await listed(blobs);
    assert.ok(left.some(({ digest }) => digest === pinned));
    const bytes = left.reduce((sum, { size }) => sum + size, 0);
    assert.ok(bytes <= 16);
    assert.deepEqual(report, {
      removed: 5 - left.length,
      freed: 27 - bytes,
      remaining: left.length,
      remainingBytes: bytes,
    });
    await collectGarbage(blobs, { budgetBytes: 0, pinned: new Set([pinned]), graceMs: 0 });
    assert.deepEqual(
      (await listed(blobs)).map(({ digest }) => digest),
      [pinned],
    );
  });

  on('many writers of one blob do not interfere', async (blobs) => {
    const digests = await Promise.all(Array.from({ length: 20 }, (_, index) => put(blobs, `shared ${index % 2}`)));
    for (const digest of digests) assert.ok((await blobs.get(digest)) !== undefined);
    assert.equal((await listed(blobs)).length, 2);
  });

  promised(
    'blobs: damaged bytes are never returned, and can be stored again',
    async ({ store: { blobs }, damageBlob }) => {
      if (damageBlob === undefined) return;
      const digest = await put(blobs, 'some bytes that rot');
      await damageBlob(digest);
      assert.equal(await blobs.get(digest), undefined);
      assert.equal(await blobs.has(digest), false);
      await put(blobs, 'some bytes that rot');
      assert.deepEqual(new Uint8Array((await blobs.get(digest)) ?? []), bytesOf('some bytes that rot'));
    },
  );

  promised('blobs: survive reopening', async ({ store, openAgain }) => {
    if (openAgain === undefined) return;
    const digest = await put(store.blobs, 'kept');
    await store.close();
    const again = await openAgain();
    assert.deepEqual(new Uint8Array((await again.blobs.get(digest)) ?? []), bytesOf('kept'));
    await again.close();
  });

  promised('blobs: are whole on another machine, and stay there', async ({ store, openElsewhere }) => {
    if (openElsewhere === undefined) return;
    const all = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7 + (index >> 8)) % 256);
    const contents = [new Uint8Array(), all, bytesOf('text'), all.slice(0, 3 * 1024 + 1)];
    const digests = await Promise.all(contents.map(sha256Digest));
    for (const [index, digest] of digests.entries()) await store.blobs.put(digest, contents[index] ?? all);
    for (let round = 0; round < 2; round += 1) {
      const other = await openElsewhere();
      for (const [index, digest] of digests.entries()) {
        assert.equal(await other.blobs.has(digest), true);
        assert.deepEqual(new Uint8Array((await other.blobs.get(digest)) ?? [1]), contents[index]);
      }
      await other.close();
    }
  });

  promised(
    'blobs: a member has every blob that the state names on its own machine',
    async ({ store, openElsewhere, link }) => {
      if (openElsewhere === undefined || link === undefined) return;
      const other = await openElsewhere();
      const before = await put(other.blobs, 'approved before');
      await other.state.set(['listing', 'a'], { digest: before });
      await store.members.join({ id: 'one', version: '1.0.0' });
      await link.cut();
      assert.equal(await store.blobs.has(before), true);
      assert.deepEqual(new Uint8Array((await store.blobs.get(before)) ?? []), bytesOf('approved before'));
      await link.restore();
      const after = await put(other.blobs, 'approved after');
      await other.state.set(['listing', 'b'], { digest: after });
      for (const end = Date.now() + 60_000; ; ) {
        await link.cut();
        if (await store.blobs.has(after)) break;
        assert.ok(Date.now() < end, 'the blob was not copied');
        await link.restore();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      assert.deepEqual(new Uint8Array((await store.blobs.get(after)) ?? []), bytesOf('approved after'));
      await link.restore();
      await other.close();
    },
  );
}
