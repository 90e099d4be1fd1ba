/** Works on all items, at most `most` at the same time. The first error ends it, when what is under way has ended. */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
}
