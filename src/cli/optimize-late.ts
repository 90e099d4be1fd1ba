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
