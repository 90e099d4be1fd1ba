/**
 * The restrictions of people in the state:
 *
 * - `['deny', kind, value]`: a rule that denies skills. It applies even if its value is unreadable, because the key says what it denies.
 * - `['denied', label, uri]`: denies one version of a skill. A version with other content is not denied by it.
 * - `['disabled', label, uri]` disables a skill, `['disabled', label]` a whole origin.
 *
 * The audit is written with the change.
 */
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKey } from '../state-kinds.ts';
import type { KeyValueStore, Store } from '../store.ts';
import { decisionTime } from '../tombstones.ts';
import type { DecisionAddress } from './approval.ts';

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

type Doors = Pick<Store, 'state'>;

export async function addDenial({ state }: Doors, kind: DenialKind, value: string, reason: string): Promise<void> {
  const key: StateKey = [denialRuleKind, kind, value];
  const at = await decisionTime(state, key);
  await state.transact(() => ({
    writes: [{ key, value: { version: 1, reason, at } }],
    audit: [{ at, action: 'deny', by: 'person', reason, key, ...about(kind, value) }],
    result: undefined,
  }));
}

/** `false` if there was none. */
export async function removeDenial(
  { state }: Doors,
  kind: DenialKind,
  value: string,
  reason: string,
): Promise<boolean> {
  const key: StateKey = [denialRuleKind, kind, value];
  const at = await decisionTime(state, key);
  return state.transact((view) => {
    if (view.get(key) === undefined) return { writes: [], result: false };
    return {
      writes: [{ key, value: undefined }],
      audit: [{ at, action: 'allow', by: 'person', reason, key, ...about(kind, value) }],
      result: true,
    };
  });
}

function about(kind: DenialKind, value: string): { readonly label?: string; readonly data: Record<string, string> } {
  return kind === 'origin' ? { label: value, data: { [kind]: value } } : { data: { [kind]: value } };
}

export interface SkillDenial {
  readonly setDigest: string;
  /** The content digest, so that a new signature does not end the denial. Absent in denials of earlier versions. */
  readonly content?: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
}

export const skillDenialKind = 'denied';
export const skillDenialKey = ({ label, uri }: DecisionAddress): StateKey => [skillDenialKind, label, uri];

/** `undefined` if the value cannot be read. */
export function readSkillDenial(value: JsonValue): SkillDenial | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { setDigest, content, reason, at } = value as Readonly<Record<string, JsonValue>>;
  if (typeof setDigest !== 'string' || typeof reason !== 'string' || typeof at !== 'string') return undefined;
  return { setDigest, reason, at, ...(typeof content === 'string' ? { content } : {}) };
}

export interface DisabledRecord {
  readonly label: string;
  /** Absent for a whole origin. */
  readonly uri?: string;
  /** ISO 8601; absent if the value is unreadable. The key alone disables. */
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

/** All records, or those of one origin. */
export async function disabledRecords(state: KeyValueStore, label?: string): Promise<readonly DisabledRecord[]> {
  const entries = await state.entries(label === undefined ? [disabledKind] : [disabledKind, label]);
  return entries.flatMap(({ key, value }) => readDisabled(key, value) ?? []);
}
