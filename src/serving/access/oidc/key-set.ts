/**
 * The signing keys of an issuer. They are fetched when needed, once for all callers, and again when they are old or a token names an
 * unknown key. Attempts are spaced, so wrong tokens and failures cause few requests. While the issuer does not answer, its last keys are
 * used for a limited time.
 *
 * A failure to get keys is a `SkillwireError`: a fault of the server, not of a token.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { fetchIssuerMetadata, type IssuerFetch, jsonIn } from './issuer-metadata.ts';

export interface KeySet {
  readonly keyFor: JWTVerifyGetKey;
  /** Another number if the keys have changed. */
  generation(): number;
  /** Milliseconds since 1970. Verdicts that need these keys count until then. */
  freshUntil(): number;
}

export interface KeySetOptions {
  readonly issuer: string;
  /** Default: from the metadata of the issuer. */
  readonly jwks: string | undefined;
  readonly fetch: IssuerFetch;
  readonly now: () => number;
}

interface Keys {
  readonly set: ReturnType<typeof createLocalJWKSet>;
  readonly text: string;
  readonly fetchedAt: number;
}

export function createKeySet({ issuer, jwks, fetch, now }: KeySetOptions): KeySet {
  const { keysMs, staleKeysMs, keysCooldownMs } = limits.access;
  let current: Keys | undefined;
  let failure: unknown;
  let triedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;
  let loading: Promise<Keys> | undefined;

  async function fetched(): Promise<Keys> {
    const url = jwks ?? (await fetchIssuerMetadata(issuer, fetch)).jwks_uri;
    if (typeof url !== 'string') throw unusable(issuer, 'its metadata name no keys');
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw unusable(issuer, `${quoteText(url)} answers HTTP ${answer.status}`);
    }
    const document = publicKeysIn(await jsonIn(answer));
    if (document === undefined) throw unusable(issuer, `${quoteText(url)} has no usable keys`);
    return { set: createLocalJWKSet(document), text: JSON.stringify(document), fetchedAt: now() };
  }

  /** One request for all callers. */
  function load(): Promise<Keys> {
    loading ??= fetched()
      .then((keys) => {
        if (keys.text !== current?.text) generation++;
        current = keys;
        failure = undefined;
        return keys;
      })
      .catch((error: unknown) => {
        failure = error;
        throw error;
      })
      .finally(() => {
        triedAt = now();
        loading = undefined;
      });
    return loading;
  }

  const mayTry = (): boolean => loading !== undefined || now() - triedAt >= keysCooldownMs;

  async function keys(): Promise<Keys> {
    const age = current === undefined ? Number.POSITIVE_INFINITY : now() - current.fetchedAt;
    if (current !== undefined && age < keysMs) return current;
    try {
      if (mayTry()) return await load();
    } catch (error) {
      if (current === undefined || age >= staleKeysMs) throw error;
    }
    if (current !== undefined && age < staleKeysMs) return current;
    throw failure;
  }

  return {
    async keyFor(header, token) {
      const known = await keys();
      try {
        return await known.set(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayTry()) throw error;
        return (await load()).set(header, token);
      }
    },
    generation: () => generation,
    freshUntil: () => Math.max(current?.fetchedAt ?? 0, triedAt) + (failure === undefined ? keysMs : keysCooldownMs),
  };
}

const publicKinds = new Set(['RSA', 'EC', 'OKP']);

/** The public keys of a document. Secret keys in it are ignored. */
function publicKeysIn(document: unknown): JSONWebKeySet | undefined {
  const keys = isJsonObject(document) && Array.isArray(document['keys']) ? document['keys'] : [];
  const usable = keys
    .filter((key) => isJsonObject(key) && typeof key['kty'] === 'string' && publicKinds.has(key['kty']))
    .slice(0, limits.access.keys) as unknown as JWK[];
  return usable.length === 0 ? undefined : { keys: usable };
}

function unusable(issuer: string, why: string): SkillwireError {
  return new SkillwireError('ORIGIN_FAILED', `Cannot get the keys of the issuer ${quoteText(issuer)}: ${why}.`, {
    data: { issuer },
  });
}
