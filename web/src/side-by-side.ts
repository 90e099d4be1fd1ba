/** Lines of a difference as pairs for two columns. */
import type { DiffLineData } from '../../src/surfaces/page/review-data.ts';

export interface Pair {
  readonly left?: DiffLineData;
  readonly right?: DiffLineData;
  readonly gap: boolean;
}

/** Removed and added lines stand beside each other. */
export function pairsOf(lines: readonly DiffLineData[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLineData[] = [];
  let added: DiffLineData[] = [];
  let last = 0;
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [left, right] = [removed[index], added[index]];
      pairs.push({ left, right, gap: false });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === '-') removed.push(line);
    else if (line.kind === '+') added.push(line);
    else {
      flush();
      const at = line.beforeLine ?? 0;
      pairs.push({ left: line, right: line, gap: last > 0 && at > last + 1 });
    }
    last = line.beforeLine ?? last;
  }
  flush();
  return pairs;
}
