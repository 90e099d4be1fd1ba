import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';

interface Waiting {
  readonly units: number;
  readonly start: () => void;
}

export function createGate(most: number) {
  const line: Waiting[] = [];
  let free = most;

  function occupy(units: number): () => void {
    free -= units;
    let freed = false;
    return () => {
      if (freed) return;
      freed = true;
      free += units;
      for (let next = line[0]; next !== undefined && next.units <= free; next = line[0]) {
        line.shift();
        next.start();
      }
    };
  }

  return {
    /** Waits until there is room, first come, first served. A request larger than the gate gets all of it. */
    take(wanted: number): (() => void) | Promise<() => void> {
      const units = Math.min(wanted, most);
      if (line.length === 0 && units <= free) return occupy(units);
      return new Promise((resolve) => {
        line.push({ units, start: () => resolve(occupy(units)) });
      });
    },
  };
}

/** Limits concurrent work: bytes that are read (small files in parallel, large ones one by one), or requests. */
export type Gate = ReturnType<typeof createGate>;

/** A wire with a limited number of requests in flight. The others wait, and their deadline starts later. */
export function limitedWire(wire: Wire, most: number): Wire {
  const gate = createGate(most);
  return {
    ...wire,
    async request(method, params, options) {
      const free = await gate.take(1);
      try {
        return await wire.request(method, params, options);
      } finally {
        free();
      }
    },
  };
}

/**
 * A wire that stops calling methods that never answer. Otherwise a server with ten thousand skills whose `skills/get` hangs would cost ten
 * thousand deadlines. Parallel calls without an answer count once, so one bad moment is not enough: further calls fail at once only after
 * several consecutive silences.
 */
export function withoutSilentMethods(wire: Wire, most: number = limits.verifier.silences): Wire {
  const silences = new Map<string, number>();
  return {
    ...wire,
    async request(method, params, options) {
      const before = silences.get(method) ?? 0;
      if (before >= most) throw silentMethod(method, most);
      try {
        const result = await wire.request(method, params, options);
        silences.delete(method);
        return result;
      } catch (error) {
        if (!isSilence(error)) silences.delete(method);
        else if ((silences.get(method) ?? 0) === before) silences.set(method, before + 1);
        throw error;
      }
    },
  };
}

function isSilence(error: unknown): boolean {
  return error instanceof SkillwireError && (error.code === 'TIMED_OUT' || error.code === 'UNREACHABLE');
}

function silentMethod(method: string, most: number): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `${quoteText(method)} was not called again: it did not answer ${most} times in a row. Check the server.`,
    { data: { method } },
  );
}
