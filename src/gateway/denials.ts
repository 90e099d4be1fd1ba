/**
 * What was recalled while a server runs: denials in the state, under `['deny', kind, value]`. One that cannot be read denies all the
 * same, since its key says what it is about. Every change is in the audit before it takes effect.
 */
import type { Denial } from '../policy/serving-policy.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { KeyValueStore, Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';

export type DenialKind = 'digest' | 'origin' | 'match';

export interface StoredDenial extends Denial {
  readonly kind: DenialKind;
  readonly value: string;
  /** ISO 8601. */
  readonly at?: string;
}

const kindOfKey = 'deny';
const kinds: readonly string[] = ['digest', 'origin', 'match'] satisfies readonly DenialKind[];

export async function readDenials(state: KeyValueStore): Promise<readonly StoredDenial[]> {
  return (await state.entries([kindOfKey])).flatMap((entry) => storedDenial(entry.key, entry.value) ?? []);
}

/** Undefined where the key is none of a denial. */
export function storedDenial([, kind = '', text = '']: readonly string[], value: JsonValue): StoredDenial | undefined {
  if (!isKind(kind)) return undefined;
  const { reason, at } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const about: Denial = { [kind]: text };
  return {
    ...about,
    kind,
    value: text,
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(typeof at === 'string' ? { at } : {}),
  };
}

function isKind(text: string): text is DenialKind {
  return kinds.includes(text);
}

type Doors = Pick<Store, 'state' | 'audit'>;

export async function addDenial(
  { state, audit }: Doors,
  kind: DenialKind,
  value: string,
  reason: string,
): Promise<void> {
  const key: StateKey = [kindOfKey, kind, value];
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'deny', by: 'person', reason, key, ...about(kind, value) });
  await state.set(key, { version: 1, reason, at });
}

/** False where there was none. */
export async function removeDenial(
  { state, audit }: Doors,
  kind: DenialKind,
  value: string,
  reason: string,
): Promise<boolean> {
  const key: StateKey = [kindOfKey, kind, value];
  if ((await state.get(key)) === undefined) return false;
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'allow', by: 'person', reason, key, ...about(kind, value) });
  return state.delete(key);
}

function about(kind: DenialKind, value: string): { readonly label?: string; readonly data: Record<string, string> } {
  return kind === 'origin' ? { label: value, data: { [kind]: value } } : { data: { [kind]: value } };
}
