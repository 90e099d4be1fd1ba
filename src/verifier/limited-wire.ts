/** A wire with a number of requests in flight at most; the others wait before their deadline begins. */
import type { Wire } from '../sources/mcp-server/wire.ts';
import { createGate } from './gate.ts';

export function limitedWire(wire: Wire, most: number): Wire {
  const gate = createGate(most);
  return {
    ...wire,
    async request(method, params, options) {
      const taken = gate.take(1);
      const free = typeof taken === 'function' ? taken : await taken;
      try {
        return await wire.request(method, params, options);
      } finally {
        free();
      }
    },
  };
}
