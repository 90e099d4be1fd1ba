/**
 * Large answers are parsed, and pages of listings decoded, one per turn of the event loop, whichever servers they came from. Each takes milliseconds; were
 * the answers of fifty servers decoded as they come, the question to the last of them would be sent when all others are done.
 */
const laterOn =
  (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate ?? ((work) => setTimeout(work, 0));

let last: Promise<void> = Promise.resolve();

/** Resolves when nobody who came before has a turn to come, and what had arrived meanwhile was looked at. */
export function decodingTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => laterOn(() => resolve())));
  return last;
}
