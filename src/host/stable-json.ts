/** JSON with the keys of every object in one order, so that equal values have equal texts. */
import type { JsonValue } from '../skill/entry.ts';

export function stableJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => stableJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value as Readonly<Record<string, JsonValue>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${stableJson(field)}`);
  return `{${fields.join(',')}}`;
}
