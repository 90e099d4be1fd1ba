import { expect, test } from 'vitest';
import type { SignerIdentity } from '../../skill/signer-identity.ts';
import { memoryStore } from '../memory-store.ts';
import { seenSignatures } from './seen-signatures.ts';

const signer: SignerIdentity = { kind: 'key', key: `sha256:${'1'.repeat(64)}` };
const at = new Date('2027-01-01T00:00:00Z');
const contents = Array.from({ length: 40 }, (_, index) => `sha256:${String(index).padStart(64, '0')}`);

test('records that come together are few writes, and each is readable when its call ends', async () => {
  const { state } = memoryStore();
  let writes = 0;
  const counting: Pick<typeof state, 'entries' | 'transact'> = {
    entries: (prefix) => state.entries(prefix),
    transact: (change) => {
      writes++;
      return state.transact(change);
    },
  };
  const seen = seenSignatures(async () => counting);
  await Promise.all(
    contents.map(async (content) => {
      await seen.add(content, signer, at);
      expect(await seen.read(content)).toEqual([{ signer, at }]);
    }),
  );
  expect(writes).toBeLessThanOrEqual(2);
});

test('a write that fails is the error of every call that it was for, and of no later one', async () => {
  const { state } = memoryStore();
  let isBroken = true;
  const seen = seenSignatures(async () => ({
    entries: (prefix) => state.entries(prefix),
    transact: (change) => (isBroken ? Promise.reject(new Error('the disk is full')) : state.transact(change)),
  }));
  const calls = await Promise.allSettled(contents.slice(0, 3).map((content) => seen.add(content, signer, at)));
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isBroken = false;
  await seen.add(contents[4] ?? '', signer, at);
  expect(await seen.read(contents[4] ?? '')).toHaveLength(1);
});
