/**
 * Values by key in memory, as every store shows them: copies that nobody can change afterwards, in the order of the keys (text by
 * text, by UTF-16 code units). Runs anywhere.
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

/** What will be read back: a copy as JSON makes it, frozen. @throws USAGE for what has no place in JSON or is not a key */
export function checkedWrite({ key, value }: StateWrite<AnyKey>): StateWrite<AnyKey> {
  if (!Array.isArray(key) || key.length === 0 || !key.every((text) => typeof text === 'string')) {
    throw new SkillwireError('USAGE', 'cannot write a value: its key must be a list of at least one text');
  }
  const frozenKey = Object.freeze([...key]);
  if (value === undefined) return { key: frozenKey, value };
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new SkillwireError('USAGE', `cannot write the value of ${nameOf(key)}: a ${typeof value} is not JSON`);
  }
  return { key: frozenKey, value: deepFreeze(JSON.parse(json) as JsonValue) };
}

export function createValueMap(): ValueMap {
  const byName = new Map<string, StateEntry<AnyKey>>();
  /** In order; undefined until somebody asks for it. */
  let sorted: StateEntry<AnyKey>[] | undefined;
  let changes = 0;

  const place = (entries: readonly StateEntry<AnyKey>[], key: readonly string[]): number => {
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
      for (let at = place(sorted, prefix); ; at += 1) {
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
          sorted?.splice(place(sorted, key), 1);
          continue;
        }
        const entry = Object.freeze({ key, value });
        byName.set(name, entry);
        sorted?.splice(place(sorted, key), known ? 1 : 0, entry);
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
