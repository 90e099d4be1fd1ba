/** Sorts a long list without blocking the process: runs of it at once, then merges, with other work in between. */
import { nextTurn } from './slices.ts';

/** Sorted in about five milliseconds. */
const runLength = 4_096;
/** Merged between two turns. */
const mergeLength = 32_768;

/** A sorted copy; equal items keep their order. */
export async function sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += runLength) {
    if (start > 0) await nextTurn();
    runs.push(items.slice(start, start + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(await mergeRuns(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeRuns<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const both: T[] = [];
  let [first, second] = [0, 0];
  while (first < left.length || second < right.length) {
    const takesLeft =
      second >= right.length || (first < left.length && compare(left[first] as T, right[second] as T) <= 0);
    both.push((takesLeft ? left[first++] : right[second++]) as T);
    if (both.length % mergeLength === 0) await nextTurn();
  }
  return both;
}
