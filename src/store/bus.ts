/** Tells this process what happened, at once and in order. Runs anywhere. */
import type { Bus, StoreEvent } from './store.ts';

export interface BusOptions {
  /** What a listener threw. Default: it is thrown again on its own, where the process hears of it as of any uncaught error. */
  readonly onListenerError?: (error: unknown, event: StoreEvent) => void;
}

function throwAlone(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

export function createBus({ onListenerError = throwAlone }: BusOptions = {}): Bus {
  const listeners = new Set<{ readonly hear: (event: StoreEvent) => void }>();
  return {
    publish(event) {
      for (const listener of [...listeners]) {
        if (!listeners.has(listener)) continue;
        try {
          listener.hear(event);
        } catch (error) {
          onListenerError(error, event);
        }
      }
    },
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
