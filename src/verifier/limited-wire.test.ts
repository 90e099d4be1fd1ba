import { expect, test } from 'vitest';
import { modernRules, type Wire } from '../sources/mcp-server/wire.ts';
import { limitedWire } from './gate.ts';

test('narrowWire() never exceeds its number of requests in flight, even if some fail', async () => {
  let flying = 0;
  let most = 0;
  let calls = 0;
  const wire: Wire = {
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: {},
    rules: modernRules,
    stateless: true,
    async request() {
      most = Math.max(most, ++flying);
      await new Promise(setImmediate);
      flying--;
      if (++calls % 3 === 0) throw new Error('no');
      return calls;
    },
    onClose() {},
    close: async () => {},
  };
  const narrow = limitedWire(wire, 3);
  const options = { deadlineMs: 1_000, maxBytes: 1_000 };
  const settled = await Promise.allSettled(Array.from({ length: 20 }, () => narrow.request('m', {}, options)));
  expect(settled).toHaveLength(20);
  expect({ most, flying, calls }).toEqual({ most: 3, flying: 0, calls: 20 });
});
