/** Works on all items, at most `most` in parallel. After the first error, running work is awaited and the error is thrown. */
export async function inParallel<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
