/**
 * Keeps what goes on at the same time below a number: of bytes that are read (small files go side by side, large ones one after
 * the other), or of requests.
 */
export interface Gate {
  /** Waits until there is room, in the order of asking. What is larger than the gate gets all of it. */
  take(units: number): (() => void) | Promise<() => void>;
}

interface Waiting {
  readonly units: number;
  readonly start: () => void;
}

export function createGate(most: number): Gate {
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
    take(wanted) {
      const units = Math.min(wanted, most);
      if (line.length === 0 && units <= free) return occupy(units);
      return new Promise((resolve) => {
        line.push({ units, start: () => resolve(occupy(units)) });
      });
    },
  };
}
