/** Functions that are called with every value. A listener may be added or removed while another one is called. */
export function createListeners<T = void>() {
  const listeners = new Set<(value: T) => void>();
  return {
    get size(): number {
      return listeners.size;
    },
    /** Returns the function that removes the listener. It calls `onLast` if no listener is left. */
    add(listener: (value: T) => void, onLast?: () => void): () => void {
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) onLast?.();
      };
    },
    call(value: T): void {
      for (const listener of [...listeners]) listener(value);
    },
    clear(): void {
      listeners.clear();
    },
  };
}
