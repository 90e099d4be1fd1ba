/** The two ways of `skillwire sign`: a key with or without certificates, and the Sigstore identity of a CI job. */
import { createPublicKey } from 'node:crypto';
import { CertificateFault, parseCertificates } from '../signing/certificate.ts';
import { checkChain, validityFault } from '../signing/certificate-chain.ts';
import { parsePrivateKey, verifyingKey } from '../signing/keys.ts';
import { ciToken, type KeylessSigning, signKeyless, tokenIdentity } from '../signing/sign-keyless.ts';
import { assertSigningKey, type SigningKey, signSkill } from '../signing/sign-skill.ts';
import type { TrustedSigner } from '../signing/signer.ts';
import type { SignedFiles } from '../signing/statement.ts';
import { type SignedSkill, type Trust, verifySignature } from '../signing/verify-signature.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Cli, usageError } from './cli.ts';
import { passphraseOf, readTrustFile } from './signing-files.ts';

export interface SigningOptions {
  readonly key?: string;
  readonly certificate?: string;
  readonly passphraseEnv?: string;
  readonly keyless?: boolean;
}

/** Sigstore services other than the public ones, and the root that names them. */
export type OtherSigstore = Required<KeylessSigning>['services'] & Required<Pick<Trust, 'sigstoreRoot'>>;

export interface SignatureMaker {
  /** The signer, for `--json`. */
  readonly signer: object;
  /** True if the skill has a valid signature of the same signer over all its files. */
  isCurrent(skill: SignedSkill): Promise<boolean>;
  sign(name: string, files: SignedFiles): Promise<Uint8Array>;
}

export async function signatureMaker(
  options: SigningOptions,
  cli: Cli,
  other?: OtherSigstore,
): Promise<SignatureMaker> {
  const { key, certificate, passphraseEnv, keyless = false } = options;
  if (keyless === (key !== undefined)) throw usageError('Use either --key FILE or --keyless.');
  if (key !== undefined) return keyMaker(await signingKey({ ...options, key }, cli));
  if (certificate !== undefined || passphraseEnv !== undefined)
    throw usageError('--certificate and --passphrase-env need --key.');
  return keylessMaker(await ciToken(cli.env), other);
}

function keyMaker(key: SigningKey): SignatureMaker {
  return {
    signer: { key: verifyingKey(createPublicKey(key.key)).id },
    isCurrent: (skill) => isSignedBy(key, skill),
    sign: async (name, files) => signSkill(name, files, key),
  };
}

function keylessMaker(token: string, other: OtherSigstore | undefined): SignatureMaker {
  const identity = tokenIdentity(token);
  const signers: readonly TrustedSigner[] =
    identity === undefined ? [] : [{ name: 'job', kind: 'keyless', ...identity }];
  const root = other === undefined ? {} : { sigstoreRoot: other.sigstoreRoot };
  return {
    signer: identity ?? {},
    isCurrent: async (skill) => (await verifySignature(skill, { signers, at: new Date(), ...root })).state === 'signed',
    sign: (name, files) => signKeyless(name, files, { token, services: other }),
  };
}

async function signingKey(
  { key: file, certificate, passphraseEnv }: SigningOptions & { readonly key: string },
  cli: Cli,
): Promise<SigningKey> {
  const key = parsePrivateKey(await readTrustFile(cli, file), file, passphraseOf(cli, passphraseEnv));
  let chain: SigningKey['chain'];
  try {
    chain = certificate === undefined ? undefined : parseCertificates(await readTrustFile(cli, certificate));
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    throw usageError(`Cannot use ${quoteText(certificate ?? '')}: a certificate ${error.message}.`);
  }
  const signing: SigningKey = chain === undefined ? { key } : { key, chain };
  assertSigningKey(signing);
  return signing;
}

/** Signatures differ on every run, so a good one stays. */
async function isSignedBy({ key, chain }: SigningKey, skill: SignedSkill): Promise<boolean> {
  const at = new Date();
  const root = chain?.at(-1);
  const publicKey = verifyingKey(createPublicKey(key));
  if (chain === undefined || root === undefined || chain.length < 2) {
    const signer: TrustedSigner = { name: 'key', kind: 'key', key: publicKey };
    return chain === undefined && (await verifySignature(skill, { signers: [signer], at })).state === 'signed';
  }
  const checked = checkChain(
    chain.map(({ der }) => der),
    [root],
  );
  if (!checked.ok || validityFault(checked, at) !== undefined) return false;
  const subject = Object.fromEntries(checked.subject);
  const verdict = await verifySignature(skill, {
    signers: [{ name: 'key', kind: 'certificate', roots: [root], subject }],
    at,
  });
  return verdict.state === 'signed';
}
