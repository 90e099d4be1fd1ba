import { expect, test } from 'vitest';
import { scriptedOrigin } from '../../../test/scripted-origin.ts';
import { createOrigins } from './origins.ts';

test('an origin has one label, and a label one origin', () => {
  const origins = createOrigins();
  const docs = scriptedOrigin('docs');
  origins.add(docs);
  expect(() => origins.add(scriptedOrigin('docs'))).toThrow(/is taken/);
  expect(() => origins.add(scriptedOrigin(''))).toThrow(expect.objectContaining({ code: 'USAGE' }));
  expect(origins.require('docs')).toBe(docs);
  expect(() => origins.require('dox')).toThrow(/"dox". Known labels: "docs"/);
  expect(origins.isCurrent(docs)).toBe(true);
  expect(origins.remove('docs')).toBe(docs);
  expect(origins.remove('docs')).toBeUndefined();
  origins.add(scriptedOrigin('docs'));
  expect(origins.isCurrent(docs)).toBe(false);
});

test('a call passes its options on, with its own signal', async () => {
  const origins = createOrigins(1_000);
  const docs = scriptedOrigin('docs');
  origins.add(docs);
  const context = await origins.call(docs, { action: 'look', fresh: true, maxBytes: 7 }, async (given) => given);
  expect(context).toEqual({ signal: expect.any(AbortSignal), fresh: true, maxBytes: 7 });
});
