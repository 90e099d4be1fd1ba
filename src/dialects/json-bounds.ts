/** Bounds of JSON, as text and as a value, for code that recurses. */

const quote = 0x22;
const backslash = 0x5c;

/** True if arrays and objects are nested deeper than allowed. Strings are skipped. */
export function isTooDeep(json: string, maximum: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case quote:
        for (index++; index < json.length && json.charCodeAt(index) !== quote; index++)
          if (json.charCodeAt(index) === backslash) index++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maximum) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}

/** True if a JSON value is small enough to be kept and walked recursively. Does not recurse itself. */
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
