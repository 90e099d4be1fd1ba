/**
 * The identity of a signer, independent of the names that configurations give it. Approvals and lock files store it, so a later version by
 * somebody else is noticed. Identities are compared exactly.
 */
import { isDigest } from './digest.ts';
import { isJsonObject } from './json.ts';

export type SignerIdentity =
  | { readonly kind: 'key'; readonly key: string }
  /** Keys below a root may change, so the root and the subject identify the signer. */
  | { readonly kind: 'certificate'; readonly root: string; readonly subject: string }
  | { readonly kind: 'keyless'; readonly issuer: string; readonly identity: string };

export type SignerKind = SignerIdentity['kind'];

export function sameSigner(a: SignerIdentity, b: SignerIdentity): boolean {
  return signerKey(a) === signerKey(b);
}

/** One text for each identity. */
export function signerKey(signer: SignerIdentity): string {
  if (signer.kind === 'key') return JSON.stringify(['key', signer.key]);
  if (signer.kind === 'certificate') return JSON.stringify(['certificate', signer.root, signer.subject]);
  return JSON.stringify(['keyless', signer.issuer, signer.identity]);
}

/** `undefined` unless the value is exactly an identity. */
export function readSignerIdentity(value: unknown): SignerIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, ...rest } = value;
  const has = (...names: readonly string[]): boolean =>
    Object.keys(rest).length === names.length &&
    names.every((name) => typeof rest[name] === 'string' && rest[name] !== '');
  if (kind === 'key' && has('key') && isDigest(rest.key)) return { kind, key: rest.key };
  if (kind === 'certificate' && has('root', 'subject') && isDigest(rest.root))
    return { kind, root: rest.root, subject: String(rest.subject) };
  if (kind === 'keyless' && has('issuer', 'identity'))
    return { kind, issuer: String(rest.issuer), identity: String(rest.identity) };
  return undefined;
}

/** For people. The texts come from outside and need escaping. */
export function signerText(identity: SignerIdentity): string {
  if (identity.kind === 'key') return `key ${identity.key}`;
  if (identity.kind === 'certificate') return `certificate ${identity.subject}`;
  return `${identity.identity} (${identity.issuer})`;
}
