/**
 * Large answers are parsed, and pages of listings decoded, one per turn of the event loop, whichever servers they came from. Each takes milliseconds; were
 * the answers of fifty servers decoded as they come, the question to the last of them would be sent when all others are done.
 */
import { nextTurn } from '../../async/next-turn.ts';

let last: Promise<void> = Promise.resolve();

/** Resolves when nobody who came before has a turn to come, and what had arrived meanwhile was looked at. */
export function decodingTurn(): Promise<void> {
  last = last.then(nextTurn);
  return last;
}
