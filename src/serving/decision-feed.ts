/** Reads the current decisions of people, and calls back when they may have changed. */
import { createDecisionReader, type DecisionReader, type Decisions } from '../store/decisions/decisions.ts';
import type { Store } from '../store/store.ts';

/**
 * @param open the store of the process
 * @param onerror gets approvals that cannot be read, and a state that cannot be followed
 */
export function decisionFeed(open: () => Promise<Pick<Store, 'state'>>, onerror: (error: Error) => void) {
  let reader: DecisionReader | undefined;

  function unreadable({ label, uri }: { readonly label: string; readonly uri: string }): void {
    const what = `the stored approval of "${uri}" of "${label}" cannot be read and does not count; approve it again`;
    onerror(new Error(what));
  }

  return {
    async read(): Promise<Decisions> {
      if (reader === undefined) {
        const { state } = await open();
        reader ??= createDecisionReader(state, unreadable);
      }
      return reader.read();
    },
    /** The result of `read()` if nothing was written since the last one, else `undefined`. */
    current: (): Decisions | undefined => reader?.current(),
    /** Calls back after something was written to the state, until the returned function is called. */
    subscribe(listener: () => void): () => void {
      let stop: (() => void) | undefined;
      let isEnded = false;
      open()
        .then(({ state }) => {
          if (isEnded) return;
          stop = state.follow(listener);
          // True if something may have been written since the last reading.
          listener();
        })
        .catch((error: unknown) => {
          if (!isEnded) onerror(error instanceof Error ? error : new Error(String(error)));
        });
      return () => {
        isEnded = true;
        stop?.();
      };
    },
  };
}

export type DecisionFeed = ReturnType<typeof decisionFeed>;
