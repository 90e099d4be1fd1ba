/**
 * Deep-frozen plain data: objects, lists, text and numbers that nobody can change. Facts about such a value stay true,
 * so they may be cached by the value itself. `Object.isFrozen()` checks the outermost object only; this module
 * remembers which values are deep-frozen.
 */

const whole = new WeakSet<object>();

/** Deep-freezes plain data of bounded depth, without accessors or cycles. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  freezeParts(value);
  whole.add(value);
  return value;
}

/** True for values passed to `deepFreeze()`, not for their parts. */
export function isDeepFrozen(value: unknown): value is object {
  return typeof value === 'object' && value !== null && whole.has(value);
}

function freezeParts(value: object): void {
  if (whole.has(value)) return;
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freezeParts(part);
  Object.freeze(value);
}
