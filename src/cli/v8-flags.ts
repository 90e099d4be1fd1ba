/**
 * Lets V8 wait longer before it compiles optimized code. A command that is over within a second runs most of its code too seldom to earn
 * that: what other threads spend on compiling is a quarter of the processor time of installing two hundred skills.
 */
import { setFlagsFromString } from 'node:v8';

/** Some six times what V8 waits by itself; what is really hot is still compiled. */
const budget = 800_000;

/** The last major version of V8 that is known to have the flag; others would complain on stderr. */
const lastKnown = 13;

export function optimizeLate(): void {
  if (Number.parseInt(process.versions.v8, 10) <= lastKnown) setFlagsFromString(`--interrupt-budget=${budget}`);
}

/**
 * Fits V8's collection of new objects to what happens while folders are read and watches are set. Of what is made then little goes at
 * once and much stays, so room for what goes soon is room for nothing: at 10,000 skills the process has 24 MB less with the smallest
 * space, for the same CPU time. Such a space is looked through in a millisecond; waking other threads to help with that is an eighth of
 * the CPU time of a start. Requests are the opposite, so the space may grow again soon after, with all threads.
 */

/** Returns what lets the space grow again. */
export function keepYoungGenerationSmall(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
  return () => {
    setFlagsFromString('--semi-space-growth-factor=2');
    setFlagsFromString('--parallel-scavenge');
  };
}
