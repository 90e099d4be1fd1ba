import { expect, test } from 'vitest';
import { capNames } from '../../node/http/server-caps.ts';
import { limitNames, parseLimit } from './serve-limits.ts';

test('every cap of a server can be set', () => {
  const all = limitNames.reduce((earlier, name, index) => parseLimit(`${name}=${index + 1}`, earlier), {});
  expect(all).toEqual(Object.fromEntries(capNames.map((cap, index) => [cap, index + 1])));
  expect(limitNames).toContain('streams-per-address');
});

test.each(['streams', 'streams=', 'streams=0', 'streams=-1', 'streams=1.5', 'streamsPerAddress=1', 'toString=1', '=5'])(
  '%s is refused, and the error lists the names',
  (text) => {
    expect(() => parseLimit(text)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('sessions') }),
    );
  },
);
