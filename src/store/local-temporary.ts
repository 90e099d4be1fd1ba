/** Temporary values of one process. */

import { limits } from '../limits.ts';
import { deepFreeze } from '../skill/deep-freeze.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { TemporaryValues } from './store.ts';

export function localTemporary(now: () => number = Date.now): TemporaryValues {
  const values = new Map<string, { readonly value: JsonValue; readonly until: number }>();
  const known = (key: readonly string[]): JsonValue | undefined => {
    const found = values.get(JSON.stringify(key));
    return found === undefined || found.until <= now() ? undefined : found.value;
  };
  return {
    async set(key, value, ms) {
      const name = JSON.stringify(key);
      values.delete(name);
      values.set(name, { value: deepFreeze(JSON.parse(JSON.stringify(value)) as JsonValue), until: now() + ms });
      const [oldest] = values.keys();
      if (values.size > limits.store.temporaryValues && oldest !== undefined) values.delete(oldest);
    },
    get: async (key) => known(key),
    async delete(key) {
      const isThere = known(key) !== undefined;
      values.delete(JSON.stringify(key));
      return isThere;
    },
  };
}
