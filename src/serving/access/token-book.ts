/**
 * The tokens of a server, stored as hashes in its state under `['token', id]`.
 *
 * The state is read at each request, so a token that another process adds or revokes counts from the next request on.
 * The audit records every change together with it.
 *
 * The time of an answer does not reveal whether an id exists: a hash is always computed and compared. An unreadable
 * record is not a token.
 */
import { SkillwireError } from '../../errors.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { AuditRecord, Store } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import type { Caller } from './serve-access.ts';

export interface TokenFacts {
  readonly id: string;
  /** The owner or the purpose, for people. Unique. */
  readonly name: string;
  readonly profile: string;
  readonly operator: boolean;
  readonly approver: boolean;
  /** ISO 8601, UTC. */
  readonly addedAt: string;
  /** Absent: it does not expire. */
  readonly expiresAt?: string;
}

export interface NewToken {
  readonly name: string;
  readonly profile: string;
  readonly operator?: boolean;
  readonly approver?: boolean;
  readonly expiresAt?: Date;
  /** The reason, for the audit. */
  readonly reason?: string;
}

const key = 'token';
const keyOf = (id: string): StateKey => [key, id];
const version = 1;
const noHash = '0'.repeat(64);
/** The protocol's library refuses tokens without an expiry. This is the last second that a date can be. */
const endOfTime = 8_640_000_000_000;

interface StoredToken extends TokenFacts {
  readonly hash: string;
}

export function createTokenBook({ state }: Pick<Store, 'state'>, now: () => number = Date.now) {
  async function all(): Promise<readonly StoredToken[]> {
    const entries = await state.entries([key]);
    return entries.map((entry) => storedToken(entry.key, entry.value)).filter((token) => token !== undefined);
  }

  const record = (
    action: 'add-token' | 'revoke-token',
    at: string,
    { id, name, profile, operator, approver }: TokenFacts,
    reason: string,
  ): AuditRecord => ({
    at,
    action,
    by: 'person',
    reason,
    key: keyOf(id),
    data: { token: id, name, profile, operator, approver },
  });

  return {
    /**
     * Creates a token. Only this answer contains its text.
     * @throws SkillwireError USAGE if the name is taken
     */
    async add({
      name,
      profile,
      operator = false,
      approver = false,
      expiresAt,
      reason = '',
    }: NewToken): Promise<{ readonly token: string; readonly facts: TokenFacts }> {
      const { id, token } = mintToken();
      const addedAt = await decisionTime(state, keyOf(id), now());
      const facts: TokenFacts = { id, name, profile, operator, approver, addedAt, expiresAt: expiresAt?.toISOString() };
      const { id: _, ...stored } = facts;
      const value: JsonValue = { version, ...stored, hash: await tokenHash(token) };
      await state.transact((view) => {
        const isTaken = view.entries([key]).some((entry) => storedToken(entry.key, entry.value)?.name === name);
        if (isTaken || view.get(keyOf(id)) !== undefined) throw nameTaken(name);
        return {
          writes: [{ key: keyOf(id), value }],
          audit: [record('add-token', addedAt, facts, reason)],
          result: undefined,
        };
      });
      return { token, facts };
    },

    /** Sorted by name. */
    async list(): Promise<readonly TokenFacts[]> {
      const tokens = (await all()).map(factsOf);
      return tokens.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** Finds a token by id or name; `undefined` if there is none. */
    async revoke(reference: string, reason: string): Promise<TokenFacts | undefined> {
      const found = (await all()).find(({ id, name }) => id === reference || name === reference);
      if (found === undefined) return undefined;
      const facts = factsOf(found);
      const at = await decisionTime(state, keyOf(facts.id), now());
      await state.transact(() => ({
        writes: [{ key: keyOf(facts.id), value: undefined }],
        audit: [record('revoke-token', at, facts, reason)],
        result: undefined,
      }));
      return facts;
    },

    async verify(token: string): Promise<Caller | undefined> {
      const id = tokenId(token);
      const value = await state.get([key, id ?? ''], 'projection');
      const stored = id === undefined || value === undefined ? undefined : storedToken([key, id], value);
      const same = sameHash(await tokenHash(token), stored?.hash ?? noHash);
      if (stored === undefined || !same) return undefined;
      const expiresAt = stored.expiresAt === undefined ? endOfTime : Date.parse(stored.expiresAt) / 1000;
      if (expiresAt * 1000 <= now()) return undefined;
      const { name, profile, operator, approver } = stored;
      return { id: `token:${stored.id}`, name, profile, operator, approver, expiresAt };
    },
  };
}

function factsOf({ hash: _, ...facts }: StoredToken): TokenFacts {
  return facts;
}

function nameTaken(name: string): SkillwireError {
  const message = `there is a token "${name}" already; revoke it first, or use another name`;
  return new SkillwireError('USAGE', `cannot add the token: ${message}`, { data: { name } });
}

function storedToken([, id]: readonly string[], value: JsonValue): StoredToken | undefined {
  if (id === undefined || typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const { name, profile, operator, approver = false, addedAt, expiresAt, hash } = fields;
  if (fields.version !== version || typeof name !== 'string' || typeof profile !== 'string') return undefined;
  if (typeof operator !== 'boolean' || typeof approver !== 'boolean' || typeof addedAt !== 'string') return undefined;
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const facts = { id, name, profile, operator, approver, addedAt, hash };
  if (expiresAt === undefined) return facts;
  return typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt)) ? { ...facts, expiresAt } : undefined;
}

/**
 * The text of a token: `skw_<id>_<secret>`. The id is public and names the token in lists and in the audit. The secret
 * has 256 random bits and is shown once. The state has the SHA-256 of the whole text: with so much randomness, a slow
 * hash protects no better.
 */

const idLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const idLength = 8;
const secretBytes = 32;
const tokenPattern = /^skw_([a-z2-9]{8})_[A-Za-z0-9_-]{43}$/;

export interface MintedToken {
  readonly id: string;
  readonly token: string;
}

export function mintToken(): MintedToken {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(idLength)), (byte) => idLetters[byte % 32]).join('');
  const secret = base64Url(crypto.getRandomValues(new Uint8Array(secretBytes)));
  return { id, token: `skw_${id}_${secret}` };
}

/** The id in a text if it has the form of our tokens. */
export function tokenId(text: string): string | undefined {
  return tokenPattern.exec(text)?.[1];
}

/** Without the prefix of digests, so that it is never mistaken for the digest of a file. */
export async function tokenHash(token: string): Promise<string> {
  return (await sha256Digest(new TextEncoder().encode(token))).slice('sha256:'.length);
}

/** Takes the same time for all texts of one length. */
export function sameHash(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
