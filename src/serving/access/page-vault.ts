/**
 * Values of page sessions that every server of a shared store can use. A value is sealed with the secret in the browser's cookie. The store
 * has neither of them, so a copy of the database signs nobody in.
 */
import type { JsonValue } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { TemporaryValues } from '../../store/store.ts';

export interface PageVault {
  /** @param secret long and random; it opens the value */
  save(secret: string, value: JsonValue, ms: number): Promise<void>;
  find(secret: string): Promise<JsonValue | undefined>;
  /** `true` for exactly one caller per value. */
  remove(secret: string): Promise<boolean>;
}

const encoder = new TextEncoder();

async function hash(use: string, secret: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(`skillwire page ${use} ${secret}`)));
}

const toText = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

async function rowOf(secret: string): Promise<readonly string[]> {
  return ['page', toText(await hash('row', secret))];
}

async function keyOf(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', await hash('key', secret), 'AES-GCM', false, ['encrypt', 'decrypt']);
}

export function pageVault(values: TemporaryValues): PageVault {
  return {
    async save(secret, value, ms) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const plain = encoder.encode(JSON.stringify(value));
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await keyOf(secret), plain);
      await values.set(await rowOf(secret), { iv: toText(iv), sealed: toText(new Uint8Array(sealed)) }, ms);
    },
    async find(secret) {
      const found = await values.get(await rowOf(secret));
      if (!isJsonObject(found)) return undefined;
      const { iv, sealed } = found;
      if (typeof iv !== 'string' || typeof sealed !== 'string') return undefined;
      const plain = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: toBytes(iv) },
        await keyOf(secret),
        toBytes(sealed),
      );
      return JSON.parse(new TextDecoder().decode(plain)) as JsonValue;
    },
    remove: async (secret) => values.delete(await rowOf(secret)),
  };
}
