import { expect, test } from 'vitest';
import { base64InChunks } from './file-contents.ts';

test('base64InChunks() agrees with the native encoder, for every remainder', () => {
  for (const length of [0, 1, 2, 3, 24_575, 24_576, 24_577, 100_001]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    expect(base64InChunks(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  }
});
