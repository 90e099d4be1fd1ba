/** JSON values that were parsed: which of them are objects, and which of them are equal. */

/** An object as JSON knows it. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Deep equality as JSON knows it: the order of keys does not count, and a key without a value counts as absent. Lists are equal
 * only in the same order. Takes parsed values and our own plain records, no `Map`, `Date` or bytes.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return Number.isNaN(a) && Number.isNaN(b);
  for (const key of Object.keys(a)) if (!sameJson(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  return true;
}

/** The value with the keys of all its objects in order, so that equal values have equal texts. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  // A name such as `__proto__` must become a key like any other.
  return Object.fromEntries(keys.map((key) => [key, sortedJson(value[key])]));
}
