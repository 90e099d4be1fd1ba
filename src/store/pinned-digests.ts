/** Every digest that the state names anywhere, except in tombstones: blobs with these are never evicted. */
import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { AnyKey, KeyValueStore } from './store.ts';

function collect(value: JsonValue, into: Set<string>): void {
  if (isDigest(value)) into.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, into);
}

export async function pinnedDigests(state: Pick<KeyValueStore<AnyKey>, 'entries'>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { key, value } of await state.entries([])) {
    if (key[0] === 'tombstone') continue;
    for (const text of key) collect(text, found);
    collect(value, found);
  }
  return found;
}
