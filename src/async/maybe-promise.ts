/**
 * Work that is synchronous if possible, and a promise only if it has to wait. On a local disk nearly all work is synchronous; a promise
 * per file and folder would cost more than reading them.
 */

export type MaybePromise<T> = T | Promise<T>;

export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The result, or what `catch` makes of an error, thrown synchronously or not. */
export function orElse<T>(work: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const made = work();
    return made instanceof Promise ? made.catch(recover) : made;
  } catch (error) {
    return recover(error);
  }
}

/** Results in the order of the items: one item after the other, or all concurrently if `together`. */
export function mapInOrder<T, R>(
  items: readonly T[],
  work: (item: T) => MaybePromise<R>,
  together: boolean,
): MaybePromise<R[]> {
  if (together) return Promise.all(items.map(work));
  const results: R[] = [];
  for (let index = 0; index < items.length; index++) {
    const result = work(items[index] as T);
    if (result instanceof Promise) return mapRest(items, work, results, result, index + 1);
    results.push(result);
  }
  return results;
}

async function mapRest<T, R>(
  items: readonly T[],
  work: (item: T) => MaybePromise<R>,
  results: R[],
  first: Promise<R>,
  from: number,
): Promise<R[]> {
  results.push(await first);
  for (let index = from; index < items.length; index++) {
    const result = work(items[index] as T);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}
