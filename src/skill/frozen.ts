/**
 * Values made of plain objects, lists, texts and numbers that nobody can change any more, at any depth. What was found out about such
 * a value stays true for as long as it lives, so it may be remembered by the value itself. `Object.isFrozen()` tells of the
 * outermost object only; here it is known which ones were frozen as a whole.
 */

const whole = new WeakSet<object>();

/** Freezes everything that can be reached. For plain data of bounded depth: no accessors, nothing that refers to itself. */
export function freezeWhole<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  freezeParts(value);
  whole.add(value);
  return value;
}

/** True for what was given to `freezeWhole()` itself; not for its parts. */
export function isFrozenWhole(value: unknown): value is object {
  return typeof value === 'object' && value !== null && whole.has(value);
}

function freezeParts(value: object): void {
  if (whole.has(value)) return;
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freezeParts(part);
  Object.freeze(value);
}
