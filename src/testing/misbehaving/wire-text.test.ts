import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { dripping, repeating, writeAll } from './wire-text.ts';

const life = new AbortController().signal;

/** Endless chunks. Records how many were read and whether the producer was stopped. */
function endless() {
  const seen = { taken: 0, stopped: false };
  function* chunks() {
    try {
      for (;;) {
        seen.taken += 1;
        yield 'x'.repeat(1024);
      }
    } finally {
      seen.stopped = true;
    }
  }
  return { seen, chunks };
}

describe('writeAll()', () => {
  test('reads an endless producer no faster than its reader', async () => {
    const to = new PassThrough({ highWaterMark: 8 * 1024 });
    const { seen, chunks } = endless();
    const done = writeAll(to, chunks, life);
    await eventually(() => expect(seen.taken).toBeGreaterThan(4));
    const before = seen.taken;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(seen.taken).toBe(before);
    to.read();
    await eventually(() => expect(seen.taken).toBeGreaterThan(before));
    to.destroy();
    expect(await done).toBe(false);
    expect(seen.stopped).toBe(true);
  });

  test('stops an endless producer when the server closes', async () => {
    const to = new PassThrough();
    to.resume();
    const closing = new AbortController();
    const { seen, chunks } = endless();
    const done = writeAll(to, chunks, closing.signal);
    await eventually(() => expect(seen.taken).toBeGreaterThan(300));
    closing.abort();
    expect(await done).toBe(false);
    expect(seen.stopped).toBe(true);
  });

  test('reports that everything was written', async () => {
    const to = new PassThrough();
    expect(await writeAll(to, repeating('[', '1,', 2, '0]'), life)).toBe(true);
    expect(String(to.read())).toBe('[1,1,0]');
  });
});

test('dripping() ends without an error when the server closes', async () => {
  const closing = new AbortController();
  const seen: string[] = [];
  for await (const chunk of dripping(Buffer.from('refunds'), 3, 60_000, closing.signal)()) {
    seen.push(String(chunk));
    setImmediate(() => closing.abort());
  }
  expect(seen).toEqual(['ref']);
});
