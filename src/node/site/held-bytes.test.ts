import { expect, test } from 'vitest';
import { createHeldBytes } from './held-bytes.ts';

test('what is held is a copy, however large, and one for each digest', () => {
  const held = createHeldBytes(64 * 1024 * 1024);
  const scratch = Buffer.alloc(3 * 1024 * 1024);
  const sizes = [0, 1, 4096, 3 * 1024 * 1024, 700_000, 700_000, 900_000, 900_000, 900_000, 900_000, 5];
  for (const [at, size] of sizes.entries()) {
    scratch.fill(at + 1, 0, size);
    held.hold(`sha256:${at}`, scratch.subarray(0, size));
  }
  scratch.fill(0);
  held.hold('sha256:1', Buffer.from('other'));
  for (const [at, size] of sizes.entries())
    expect(Buffer.compare(held.get(`sha256:${at}`) ?? scratch, Buffer.alloc(size, at + 1))).toBe(0);
  expect(held.get('sha256:unknown')).toBeUndefined();
});

test('what there is no room for is not held, and hides nothing that is', () => {
  const held = createHeldBytes(10);
  held.hold('a', Buffer.from('12345678'));
  held.hold('b', Buffer.from('123'));
  held.hold('c', Buffer.from('12'));
  expect([held.get('a'), held.get('b'), held.get('c')].map((bytes) => bytes?.length)).toEqual([8, undefined, 2]);
});
