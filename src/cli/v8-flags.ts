/** V8 settings for short commands and for the start of a server. */
import { setFlagsFromString } from 'node:v8';

/** About six times V8's default; hot code is still compiled. */
const budget = 800_000;

/** The last major version of V8 known to have the flag; others would complain on stderr. */
const lastKnown = 13;

/**
 * Lets V8 wait longer before it compiles optimized code. Code in a command of less than a second runs too seldom to benefit. Compiling in
 * other threads costs a quarter of the CPU time of installing two hundred skills.
 */
export function optimizeLate(): void {
  if (Number.parseInt(process.versions.v8, 10) <= lastKnown) setFlagsFromString(`--interrupt-budget=${budget}`);
}

/**
 * Keeps V8's young generation small while folders are read and watches are set. Most objects made then live long: at 10,000 skills the
 * smallest space saves 24 MB for the same CPU time. A small space is scavenged in a millisecond, and waking other threads for that costs an
 * eighth of the CPU time of a start. Requests make short-lived objects, so the space may grow again soon after, with all threads.
 *
 * @returns a function that lets the space grow again
 */
export function keepYoungGenerationSmall(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
  return () => {
    setFlagsFromString('--semi-space-growth-factor=2');
    setFlagsFromString('--parallel-scavenge');
  };
}
