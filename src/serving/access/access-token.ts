/**
 * The text of a token: `skw_<id>_<secret>`. The id is public and names the token in lists and in the audit; the secret has 256 random
 * bits and is shown once. What is kept is the SHA-256 of the whole text: of so much randomness a slow hash protects no better.
 */
import { sha256Digest } from '../../skill/digest.ts';

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

/** The id that a text has if it is a token of ours. */
export function tokenId(text: string): string | undefined {
  return tokenPattern.exec(text)?.[1];
}

/** Without the prefix of digests: nothing shall take it for that of a file. */
export async function tokenHash(token: string): Promise<string> {
  return (await sha256Digest(new TextEncoder().encode(token))).slice('sha256:'.length);
}

/** Takes the same time wherever two texts of one length differ. */
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
