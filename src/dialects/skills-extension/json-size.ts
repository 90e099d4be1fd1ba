/** Whether a JSON value is small enough to be kept and walked by code that recurses. Does not recurse itself. */
export function isSmallJson(value: unknown, maxDepth: number, maxNodes: number): boolean {
  let level: unknown[] = [value];
  let nodes = 1;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth + 1) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const inner of Object.values(item)) {
        if (++nodes > maxNodes) return false;
        next.push(inner);
      }
    }
    level = next;
  }
  return true;
}
