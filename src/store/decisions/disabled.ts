/** What a person disabled: a skill under `['disabled', label, uri]`, or a whole origin under `['disabled', label]`. */
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKey } from '../state-kinds.ts';
import type { KeyValueStore } from '../store.ts';

export interface DisabledRecord {
  readonly label: string;
  /** Absent for a whole origin. */
  readonly uri?: string;
  /** ISO 8601; absent if the value cannot be read. The key alone disables. */
  readonly at?: string;
}

export const disabledKind = 'disabled';

export function disabledKey(label: string, uri: string | undefined): StateKey {
  return uri === undefined ? [disabledKind, label] : [disabledKind, label, uri];
}

export function disabledValue(at: string): JsonValue {
  return { version: 1, at };
}

/** `undefined` if the key names no origin. */
export function readDisabled([, label, uri]: readonly string[], value: JsonValue): DisabledRecord | undefined {
  if (label === undefined) return undefined;
  const { at } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return { label, uri, ...(typeof at === 'string' ? { at } : {}) };
}

/** All of them, or those of one origin. */
export async function disabledRecords(state: KeyValueStore, label?: string): Promise<readonly DisabledRecord[]> {
  const entries = await state.entries(label === undefined ? [disabledKind] : [disabledKind, label]);
  return entries.flatMap(({ key, value }) => readDisabled(key, value) ?? []);
}
