import { expect, test } from 'vitest';
import { createByteCopies } from './byte-copies.ts';

test('copies bytes of any size, once for each digest', () => {
  const copies = createByteCopies(64 * 1024 * 1024);
  const scratch = Buffer.alloc(3 * 1024 * 1024);
  const sizes = [0, 1, 4096, 3 * 1024 * 1024, 700_000, 700_000, 900_000, 900_000, 900_000, 900_000, 5];
  for (const [at, size] of sizes.entries()) {
    scratch.fill(at + 1, 0, size);
    copies.add(`sha256:${at}`, scratch.subarray(0, size));
  }
  scratch.fill(0);
  copies.add('sha256:1', Buffer.from('other'));
  for (const [at, size] of sizes.entries())
    expect(Buffer.compare(copies.get(`sha256:${at}`) ?? scratch, Buffer.alloc(size, at + 1))).toBe(0);
  expect(copies.get('sha256:unknown')).toBeUndefined();
});

test('bytes beyond the budget are not copied, and do not hide earlier copies', () => {
  const copies = createByteCopies(10);
  copies.add('a', Buffer.from('12345678'));
  copies.add('b', Buffer.from('123'));
  copies.add('c', Buffer.from('12'));
  expect([copies.get('a'), copies.get('b'), copies.get('c')].map((bytes) => bytes?.length)).toEqual([8, undefined, 2]);
});
