/** Milliseconds that only grow. What `performance` is made of has to be loaded first, which a command that is soon over can spare itself. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
