/** Work that runs on first use and whose result all callers share. A failure is not remembered: the next call tries again. */
export interface LoadOnce<T> {
  get(): Promise<T>;
  /** The work of an earlier call, unless it failed. */
  started(): Promise<T> | undefined;
}

export function loadOnce<T>(load: () => Promise<T>): LoadOnce<T> {
  let loading: Promise<T> | undefined;
  return {
    get() {
      if (loading === undefined) {
        const own = load();
        loading = own;
        own.catch(() => {
          if (loading === own) loading = undefined;
        });
      }
      return loading;
    },
    started: () => loading,
  };
}
