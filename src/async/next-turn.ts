/** Lets other work of the process have its turn before long work goes on, in every runtime. */

// Not every runtime has it; timers take a millisecond each.
const soon =
  (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate ?? ((work) => setTimeout(work, 0));

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    soon(() => resolve());
  });
}
