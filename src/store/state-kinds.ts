/**
 * Every kind of key in the state. The first text of a key is its kind. The type of writable keys is derived from this table, so a kind
 * without a row does not compile. A row says what an import of such a value means.
 *
 * - `grants`: the value allows something. Reviving it after it was revoked or replaced needs its flag.
 * - `restricts`: the value forbids something. An import never removes one; narrowing one needs its flag.
 * - `none`: nobody decided the value, so importing it undoes no decision.
 */
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';

interface DecidedRow {
  readonly effect: 'grants' | 'restricts';
  /** The name that `state import --revive` uses. */
  readonly flag: string;
  /** The field of the value with the time of the decision. */
  readonly time: string;
  /** The key is used once: its removal is final, whatever the times say. */
  readonly once?: true;
  /** The field that names the content, if the key does not. */
  readonly about?: string;
  /** The kind of restriction that contradicts a value with the same address and content. */
  readonly barredBy?: string;
  /** For people. `name`: the name of the value, if it has one. */
  readonly title: (parts: readonly string[], name?: string) => string;
}

interface UndecidedRow {
  readonly effect: 'none';
  readonly why: string;
  /** A running server rewrites it, so an import never replaces it. */
  readonly rebuilt?: true;
}

const ofSkill =
  (what: string) =>
  ([label = '', uri]: readonly string[]): string =>
    uri === undefined ? `${what} ${quoteText(label)}` : `${what} ${quoteText(uri)} of ${quoteText(label)}`;

export const stateKinds = {
  token: {
    effect: 'grants',
    flag: 'tokens',
    time: 'addedAt',
    once: true,
    title: ([id = ''], name = id) => `token ${quoteText(name)}`,
  },
  approval: {
    effect: 'grants',
    flag: 'approvals',
    time: 'at',
    about: 'setDigest',
    barredBy: 'denied',
    title: ofSkill('approval of'),
  },
  origin: { effect: 'grants', flag: 'origins', time: 'addedAt', title: ofSkill('origin') },
  trust: { effect: 'grants', flag: 'trust', time: 'at', title: ([file = '']) => `trust in ${quoteText(file)}` },
  pinned: { effect: 'grants', flag: 'pinned', time: 'pinnedAt', title: ofSkill('pinned') },
  deny: {
    effect: 'restricts',
    flag: 'denials',
    time: 'at',
    title: ([kind, value = '']) => `denial of ${kind} ${quoteText(value)}`,
  },
  denied: { effect: 'restricts', flag: 'denials', time: 'at', about: 'setDigest', title: ofSkill('denial of') },
  revoked: {
    effect: 'restricts',
    flag: 'denials',
    time: 'at',
    title: ([kind, , id = '']) => `revocation of ${kind === 'jti' ? 'token' : 'subject'} ${quoteText(id)}`,
  },
  disabled: { effect: 'restricts', flag: 'denials', time: 'at', title: ofSkill('disabling of') },
  'approval-before': { effect: 'none', why: 'shows what changed since an approval; allows nothing' },
  waiting: { effect: 'none', why: 'the queue of a server, which rewrites it', rebuilt: true },
  listing: { effect: 'none', why: 'a cached answer of an origin, used until the origin answers', rebuilt: true },
  'signature-seen': {
    effect: 'none',
    why: 'says when content was first seen; the trusted signers decide what it means',
  },
  moving: { effect: 'none', why: 'marks the target of an unfinished move; a state with it is not exported' },
  tombstone: { effect: 'none', why: 'an import keeps the later one of two' },
  decided: { effect: 'none', why: 'an import keeps the later one of two' },
} as const satisfies Readonly<Record<string, DecidedRow | UndecidedRow>>;

export type StateKind = keyof typeof stateKinds;
export type StateKey = readonly [StateKind, ...string[]];

type Rows = typeof stateKinds;
export type ReviveFlag = { [Kind in StateKind]: Rows[Kind] extends { flag: infer Flag } ? Flag : never }[StateKind];

export const reviveFlags: readonly ReviveFlag[] = [
  ...new Set(Object.values(stateKinds).flatMap((row) => ('flag' in row ? [row.flag] : []))),
].sort();

export function isKey(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string');
}

/** Whether this version knows the kind of the key. */
export function isStateKey(key: readonly string[]): key is StateKey {
  return Object.hasOwn(stateKinds, key[0] ?? '');
}

/** Whether a stored value stays if an import has another one. */
export function isRebuilt(key: readonly string[]): boolean {
  const row: DecidedRow | UndecidedRow | undefined = isStateKey(key) ? stateKinds[key[0]] : undefined;
  return row?.effect === 'none' && row.rebuilt === true;
}

/** The row of a key for decisions; `undefined` for any other key. */
export function decidedRow(key: readonly string[]): (DecidedRow & { readonly flag: ReviveFlag }) | undefined {
  const row = Array.isArray(key) && isStateKey(key) ? stateKinds[key[0]] : undefined;
  return row === undefined || row.effect === 'none' ? undefined : row;
}

/** The time of the decision, in milliseconds since 1970. A value without a readable time is older than every removal. */
export function decidedAt(key: readonly string[], value: JsonValue | undefined): number {
  const field = decidedRow(key)?.time;
  return field === undefined ? Number.NEGATIVE_INFINITY : readTime(fieldOf(value, field), Number.NEGATIVE_INFINITY);
}

export function readTime(text: JsonValue | undefined, otherwise: number): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? otherwise : time;
}

export function fieldOf(value: JsonValue | undefined, field: string): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.hasOwn(value, field) ? value[field] : undefined;
}

/** Describes a key for people. */
export function titleOf(key: readonly string[], name?: string): string {
  const [, ...parts] = key;
  return decidedRow(key)?.title(parts, name) ?? `value ${key.map(quoteText).join(' ')}`;
}
