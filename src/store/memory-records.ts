/** Private records in memory, for tests and for programs that forget their logins when they end. */
import type { JsonValue } from '../skill/entry.ts';
import type { PrivateRecords, RecordChange } from './private-records.ts';

/**
 * Stores logins in memory.
 *
 * @example
 * ```ts
 * const tokens = memoryTokens();
 * await logIn('mcp:https://example.com/mcp', { tokens, open: (url) => openInBrowser(url) });
 * const host = await openHost(['mcp:https://example.com/mcp'], { tokens });
 * ```
 */
export function memoryTokens(): PrivateRecords {
  const records = new Map<string, JsonValue>();
  const changes = new Map<string, Promise<unknown>>();
  return {
    get: async (name) => structuredClone(records.get(name)),
    list: async () => structuredClone([...records.values()]),
    change<T>(name: string, work: (read: () => Promise<JsonValue | undefined>) => Promise<RecordChange<T>>) {
      const before = changes.get(name) ?? Promise.resolve();
      const own = before.then(async () => {
        const { next, result } = await work(async () => structuredClone(records.get(name)));
        if (next === null) records.delete(name);
        else if (next !== undefined) records.set(name, structuredClone(next));
        return result;
      });
      // A failed change does not keep the next one from running.
      const settled = own.then(
        () => undefined,
        () => undefined,
      );
      changes.set(name, settled);
      void settled.then(() => {
        if (changes.get(name) === settled) changes.delete(name);
      });
      return own;
    },
  };
}
