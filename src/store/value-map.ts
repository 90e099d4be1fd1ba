/**
 * Values by key in memory, as every store returns them: deep-frozen copies, in the order of the keys (text by text, by UTF-16 code
 * units). Runs anywhere.
 */
import { SkillwireError } from '../errors.ts';
import { deepFreeze } from '../skill/deep-freeze.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { AnyKey, StateEntry, StateView, StateWrite } from './store.ts';

export interface ValueMap extends StateView<AnyKey> {
  apply(writes: readonly StateWrite<AnyKey>[]): void;
  clear(): void;
  values(): Iterable<StateEntry<AnyKey>>;
  /** Grows with each change. */
  revision(): number;
}

const nameOf = (key: readonly string[]): string => JSON.stringify(key);

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [index, text] of a.entries()) {
    const other = b[index];
    if (other === undefined || text > other) return 1;
    if (text < other) return -1;
  }
  return a.length - b.length;
}

const startsWith = (key: readonly string[], prefix: readonly string[]): boolean =>
  prefix.every((text, index) => key[index] === text);

/** A deep-frozen copy, as JSON makes it. @throws USAGE for a value that is not JSON, or an invalid key */
export function checkedWrite({ key, value }: StateWrite<AnyKey>): StateWrite<AnyKey> {
  if (!Array.isArray(key) || key.length === 0 || !key.every((text) => typeof text === 'string')) {
    throw new SkillwireError('USAGE', 'Cannot write a value: its key is not a list of texts. Pass at least one text.');
  }
  const ownKey = Object.freeze([...key]);
  if (value === undefined) return { key: ownKey, value };
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new SkillwireError('USAGE', `Cannot write the value of ${nameOf(key)}: a ${typeof value} is not JSON.`);
  }
  return { key: ownKey, value: deepFreeze(JSON.parse(json) as JsonValue) };
}

export function createValueMap(): ValueMap {
  const byName = new Map<string, StateEntry<AnyKey>>();
  /** The sorted keys; `undefined` until first used. */
  let sorted: StateEntry<AnyKey>[] | undefined;
  let changes = 0;

  const indexOf = (entries: readonly StateEntry<AnyKey>[], key: readonly string[]): number => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry !== undefined && compareKeys(entry.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get: (key) => byName.get(nameOf(key))?.value,
    entries(prefix) {
      sorted ??= [...byName.values()].sort((a, b) => compareKeys(a.key, b.key));
      const found: StateEntry<AnyKey>[] = [];
      for (let at = indexOf(sorted, prefix); ; at += 1) {
        const entry = sorted[at];
        if (entry === undefined || !startsWith(entry.key, prefix)) return found;
        found.push(entry);
      }
    },
    apply(writes) {
      changes++;
      for (const { key, value } of writes) {
        const name = nameOf(key);
        const known = byName.has(name);
        if (value === undefined) {
          if (!known) continue;
          byName.delete(name);
          sorted?.splice(indexOf(sorted, key), 1);
          continue;
        }
        const entry = Object.freeze({ key, value });
        byName.set(name, entry);
        sorted?.splice(indexOf(sorted, key), known ? 1 : 0, entry);
      }
    },
    clear() {
      if (byName.size > 0) changes++;
      byName.clear();
      sorted = undefined;
    },
    values: () => byName.values(),
    revision: () => changes,
  };
}
