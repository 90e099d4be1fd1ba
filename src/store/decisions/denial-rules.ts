/**
 * Rules by which a person denies skills while servers run: in the state, under `['deny', kind, value]`. A rule whose value cannot be read
 * counts all the same, since its key says what it denies. Every change is in the audit before it takes effect.
 */
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKey } from '../state-kinds.ts';
import type { KeyValueStore, Store } from '../store.ts';
import { decisionTime } from '../tombstones.ts';

export type DenialKind = 'digest' | 'origin' | 'match';

export interface StoredDenial extends Readonly<Partial<Record<DenialKind, string>>> {
  readonly kind: DenialKind;
  readonly value: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly at?: string;
}

export const denialRuleKind = 'deny';
const kinds: readonly string[] = ['digest', 'origin', 'match'] satisfies readonly DenialKind[];

export async function readDenials(state: KeyValueStore): Promise<readonly StoredDenial[]> {
  return (await state.entries([denialRuleKind])).flatMap((entry) => readDenialRule(entry.key, entry.value) ?? []);
}

/** `undefined` if the key does not belong to a rule. */
export function readDenialRule(
  [, kind = '', text = '']: readonly string[],
  value: JsonValue,
): StoredDenial | undefined {
  if (!isKind(kind)) return undefined;
  const { reason, at } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    [kind]: text,
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
  const key: StateKey = [denialRuleKind, kind, value];
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'deny', by: 'person', reason, key, ...about(kind, value) });
  await state.set(key, { version: 1, reason, at });
}

/** `false` if there was none. */
export async function removeDenial(
  { state, audit }: Doors,
  kind: DenialKind,
  value: string,
  reason: string,
): Promise<boolean> {
  const key: StateKey = [denialRuleKind, kind, value];
  if ((await state.get(key)) === undefined) return false;
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'allow', by: 'person', reason, key, ...about(kind, value) });
  return state.delete(key);
}

function about(kind: DenialKind, value: string): { readonly label?: string; readonly data: Record<string, string> } {
  return kind === 'origin' ? { label: value, data: { [kind]: value } } : { data: { [kind]: value } };
}
