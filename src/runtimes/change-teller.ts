/** Tells listeners which runtimes changed. Changes close together are one: who listens looks at the newest state anyway. */

export interface ChangeTeller {
  tell(id: string): void;
  watch(listener: (changed: ReadonlySet<string>) => void): () => void;
  stop(): void;
}

export function createChangeTeller(ms: number): ChangeTeller {
  const listeners = new Set<(changed: ReadonlySet<string>) => void>();
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    const told = changed;
    changed = new Set();
    for (const listener of [...listeners]) listener(told);
  }

  return {
    tell(id) {
      changed.add(id);
      timer ??= setTimeout(flush, ms);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      clearTimeout(timer);
      if (changed.size > 0) flush();
      listeners.clear();
    },
  };
}
