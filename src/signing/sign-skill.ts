/**
 * Signs what a skill publishes, with a key, or with a key and its certificates. Unpublished files are listed as ignored, so both the
 * source folder and an installed copy pass strict tools.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { SkillwireError } from '../errors.ts';
import { writeBundle } from './bundle.ts';
import type { Certificate } from './certificate.ts';
import { checkChain } from './certificate-chain.ts';
import { signEnvelope } from './dsse.ts';
import { curveOf, verifyingKey } from './keys.ts';
import { type SignedFiles, statementPayloadType, writeStatement } from './statement.ts';

export interface SigningKey {
  readonly key: KeyObject;
  /** The certificate of the key, then its issuers. */
  readonly chain?: readonly Certificate[];
}

/** The bytes of `skill.oms.sig`. */
export function signSkill(name: string, signed: SignedFiles, { key, chain }: SigningKey): Uint8Array {
  const envelope = signEnvelope(statementPayloadType, writeStatement(name, signed), key);
  if (chain !== undefined) return writeBundle({ kind: 'certificate', chain: chain.map(({ der }) => der) }, envelope);
  return writeBundle({ kind: 'key', hint: verifyingKey(createPublicKey(key)).hint }, envelope);
}

/** @throws SkillwireError USAGE if nobody could verify what the key signs */
export function assertSigningKey({ key, chain }: SigningKey): void {
  if (curveOf(key) === 'Ed25519')
    throw new SkillwireError('USAGE', 'Ed25519 keys cannot sign skills. Make a P-256 key with "skillwire keygen".');
  const [leaf] = chain ?? [];
  if (chain === undefined) return;
  if (leaf === undefined)
    throw new SkillwireError('USAGE', 'The certificate file has no certificate in PEM form. Convert it with openssl.');
  if (!leaf.publicKey.equals(createPublicKey(key)))
    throw new SkillwireError(
      'USAGE',
      'The first certificate belongs to another key. Put the certificate of the key first.',
    );
  const last = chain.at(-1) ?? leaf;
  if (chain.length === 1) return;
  const checked = checkChain(
    chain.map(({ der }) => der),
    [last],
  );
  if (!checked.ok)
    throw new SkillwireError(
      'USAGE',
      `Nobody could verify these certificates: ${checked.reason} (${checked.check}). Check the chain and its dates.`,
    );
}
