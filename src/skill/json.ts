/** Parsed JSON values: type check, equality, sorted keys, paths of fields. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Deep equality of JSON: key order does not count, `undefined` counts as absent, list order counts. For parsed values
 * and plain records, not for `Map`, `Date` or bytes.
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

/** Sorts the keys of all objects, so that equal values have equal texts. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  // A name such as `__proto__` must become an ordinary key.
  return Object.fromEntries(keys.map((key) => [key, sortedJson(value[key])]));
}

/**
 * How messages name a nested field: `metadata.version`, `hooks[0].command`, `metadata["a.b"]`. Strings are keys, numbers are
 * list positions from 0. Ambiguous keys are quoted.
 */
export function fieldPath(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) path += `[${JSON.stringify(step)}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}
