import crypto, { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isDigest, sha256Digest, sha256DigestWith } from './digest.ts';

const encoder = new TextEncoder();
const f1 =
  '---\nname: git-workflow\ndescription: Follow team Git conventions for branching and commits.\n---\n\n# Git Workflow\n';

describe('sha256Digest()', () => {
  test.each([
    ['F1', encoder.encode(f1), '37c746f48a0c6fb77068ea85d28af1f27d2efc46f0726715d73628f27d9a7fa3'],
    [
      'F1 with CRLF',
      encoder.encode(f1.replaceAll('\n', '\r\n')),
      'b057bed5ee8ddabb308872bd4ab8c414204fb263a49d668124ab2b01d3c3ec96',
    ],
    ['F1 with BOM', encoder.encode(`\ufeff${f1}`), 'ef56268c1bc8d6348c73537090565b0af4280b815687df7901c24bad6a19b73d'],
    [
      'bytes that are no text',
      Uint8Array.of(0, 0xff, 0xfe, 0x80, 0x0a),
      'b0356fa295b31031abf9c7cf529aa5ed5ad67f155c579c581bf0af2052bcea00',
    ],
    ['no bytes', new Uint8Array(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ])('hashes %s', async (_what, bytes, hex) => {
    expect(await sha256Digest(bytes)).toBe(`sha256:${hex}`);
  });

  test('hashes only the bytes of a view', async () => {
    const whole = Uint8Array.of(9, 0, 0xff, 0xfe, 0x80, 0x0a, 9);
    expect(await sha256Digest(whole.subarray(1, 6))).toBe(await sha256Digest(whole.slice(1, 6)));
  });

  test('hashes shared memory', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(3));
    shared.set([1, 2, 3]);
    expect(await sha256Digest(shared)).toBe(await sha256Digest(Uint8Array.of(1, 2, 3)));
  });
});

test('sha256DigestWith() returns the same, also if Node cannot hash in one call', async () => {
  const bytes = encoder.encode(f1);
  const digest = await sha256Digest(bytes);
  expect(sha256DigestWith(crypto, bytes)).toBe(digest);
  expect(sha256DigestWith({ createHash }, bytes)).toBe(digest);
});

describe('isDigest()', () => {
  const hex = '37c746f48a0c6fb77068ea85d28af1f27d2efc46f0726715d73628f27d9a7fa3';

  test('accepts the wire form', () => {
    expect(isDigest(`sha256:${hex}`)).toBe(true);
  });

  test.each([
    ['upper-case digits', `sha256:${hex.toUpperCase()}`],
    ['an upper-case label', `SHA256:${hex}`],
    ['another algorithm', `sha512:${hex}`],
    ['no algorithm', hex],
    ['63 digits', `sha256:${hex.slice(1)}`],
    ['65 digits', `sha256:0${hex}`],
    ['a line break at the end', `sha256:${hex}\n`],
    ['a number', 1],
    ['nothing', undefined],
  ])('refuses %s', (_what, value) => {
    expect(isDigest(value)).toBe(false);
  });
});
