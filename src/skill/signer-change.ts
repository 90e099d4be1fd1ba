/** Compares the signer of an approved or installed version with the signer of another version. */
import { displayText } from './display-text.ts';
import { type SignerIdentity, sameSigner, signerText } from './signer-identity.ts';

/** The part of a verdict that counts: a signer is known only if every served file is signed. */
export interface SignedVersion {
  readonly state: string;
  readonly signer?: { readonly identity: SignerIdentity };
}

/** How the signer changed, for people; `undefined` if it is the same. */
export function signerChangeText(before: SignerIdentity, now: SignedVersion): string | undefined {
  const was = displayText(signerText(before));
  if (now.state === 'signed' && now.signer !== undefined) {
    if (sameSigner(before, now.signer.identity)) return undefined;
    return `the signer changed from ${was} to ${displayText(signerText(now.signer.identity))}`;
  }
  return `the signer was ${was}; this version is ${now.state}`;
}
