/**
 * The identity of a signer, independent of the names that configurations give it. Approvals and lock files store it, so a later version by
 * somebody else is noticed. Identities are compared exactly.
 */
import { definedFields } from '../defined-fields.ts';
import { isDigest } from './digest.ts';
import { isJsonObject } from './json.ts';

export type SignerIdentity =
  | { readonly kind: 'key'; readonly key: string }
  /** Keys below a root may change, so the root and the subject identify the signer. */
  | { readonly kind: 'certificate'; readonly root: string; readonly subject: string }
  | KeylessIdentity;

/** A CI job or person with a Sigstore certificate. */
export interface KeylessIdentity {
  readonly kind: 'keyless';
  readonly issuer: string;
  readonly identity: string;
  /** The class of machine that ran the job, such as `github-hosted`. */
  readonly runner?: string;
  /** The repository of the job, which may use a workflow of another repository. */
  readonly repository?: string;
}

export type SignerKind = SignerIdentity['kind'];

export function sameSigner(a: SignerIdentity, b: SignerIdentity): boolean {
  return signerKey(a) === signerKey(b);
}

/** One text for each identity. */
export function signerKey(signer: SignerIdentity): string {
  if (signer.kind === 'key') return JSON.stringify(['key', signer.key]);
  if (signer.kind === 'certificate') return JSON.stringify(['certificate', signer.root, signer.subject]);
  const { issuer, identity, runner = '', repository = '' } = signer;
  return JSON.stringify(['keyless', issuer, identity, runner, repository]);
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
  if (kind === 'keyless') {
    const { issuer, identity, runner, repository } = rest;
    const job = definedFields({ runner, repository });
    if (has('issuer', 'identity', ...Object.keys(job)))
      return { kind, issuer: String(issuer), identity: String(identity), ...job } as KeylessIdentity;
  }
  return undefined;
}

/** For people. The texts come from outside and need escaping. */
export function signerText(identity: SignerIdentity): string {
  if (identity.kind === 'key') return `key ${identity.key}`;
  if (identity.kind === 'certificate') return `certificate ${identity.subject}`;
  const { issuer, identity: name, runner, repository } = identity;
  const isOwn = repository === undefined || name.startsWith(`${repository}/`);
  const details = [issuer, ...(runner === undefined ? [] : [runner]), ...(isOwn ? [] : [`for ${repository}`])];
  return `${name} (${details.join(', ')})`;
}
