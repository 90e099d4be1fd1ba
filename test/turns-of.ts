/** Counts the turns of the event loop during some work: how often other work of the process could run. */
export async function turnsOf<T>(work: () => T | Promise<T>): Promise<{ readonly turns: number; readonly made: T }> {
  let turns = 0;
  let timer = setImmediate(function next() {
    turns++;
    timer = setImmediate(next);
  });
  try {
    const made = await work();
    return { turns, made };
  } finally {
    clearImmediate(timer);
  }
}
