/**
 * The values of a file that a user has accepted: the digests of its acting values, with the acts that were shown. Values are compared one
 * by one, so an edit of any other value needs no new acceptance, and neither does a removed value.
 */
import type { Digester } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject, sortedJson } from '../skill/json.ts';
import { type Act, type ActingValue, type ActKind, actWords } from './acts.ts';

export interface JudgedValue extends ActingValue {
  readonly digest: string;
}

export interface AcceptedValue {
  readonly digest: string;
  /** The acts that were shown for acceptance. */
  readonly acts: readonly Act[];
}

export interface TrustRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly values: readonly AcceptedValue[];
}

export function judged(value: ActingValue, digest: Digester): JudgedValue {
  return { ...value, digest: digest(new TextEncoder().encode(JSON.stringify(sortedJson(value.value)))) };
}

/** One digest for all acting values of a file, independent of their order and of the path: for `--trust-config`. */
export function fileDigest(values: readonly JudgedValue[], digest: Digester): string {
  const all = [...new Set(values.map((value) => value.digest))].sort();
  return digest(new TextEncoder().encode(all.join('\n')));
}

export function isAccepted(record: TrustRecord | undefined, { digest }: JudgedValue): boolean {
  return record?.values.some((value) => value.digest === digest) === true;
}

/** The record with more accepted values. */
export function accepting(before: TrustRecord | undefined, values: readonly JudgedValue[], at: string): TrustRecord {
  const all = new Map<string, AcceptedValue>();
  for (const value of before?.values ?? []) all.set(value.digest, value);
  for (const { digest, acts } of values) all.set(digest, { digest, acts });
  return { at, values: [...all.values()] };
}

/** Accepted acts of values that the file no longer has, or has changed. */
export function replacedActs(record: TrustRecord | undefined, values: readonly JudgedValue[]): readonly Act[] {
  const now = new Set(values.map(({ digest }) => digest));
  return (record?.values ?? []).filter(({ digest }) => !now.has(digest)).flatMap(({ acts }) => acts);
}

export function recordJson({ at, values }: TrustRecord): JsonValue {
  return {
    at,
    values: values.map(({ digest, acts }) => ({
      digest,
      acts: acts.map(({ kind, at: where, value }) => ({ kind, at: where, value })),
    })),
  };
}

/** `undefined` if the value is not a record; such a file counts as never accepted. */
export function parseTrustRecord(value: JsonValue | undefined): TrustRecord | undefined {
  if (!isJsonObject(value) || typeof value.at !== 'string' || !Array.isArray(value.values)) return undefined;
  const values: AcceptedValue[] = [];
  for (const one of value.values) {
    if (!isJsonObject(one) || typeof one.digest !== 'string' || !Array.isArray(one.acts)) return undefined;
    const acts = one.acts.flatMap((act) => parseAct(act) ?? []);
    if (acts.length !== one.acts.length) return undefined;
    values.push({ digest: one.digest, acts });
  }
  return { at: value.at, values };
}

function parseAct(value: JsonValue): Act | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, at, value: text } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(actWords, kind)) return undefined;
  return typeof at === 'string' && typeof text === 'string' ? { kind: kind as ActKind, at, value: text } : undefined;
}
