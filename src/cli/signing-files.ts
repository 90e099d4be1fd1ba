/** Reads keys and certificates that a person names on the command line. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSignatureGate, type SignatureGate } from '../host/approve/signature-gate.ts';
import { readTrustFile as readFileWithin } from '../node/trust-file.ts';
import { createSignatureRules } from '../policy/signature-rules.ts';
import { CertificateFault, parseCertificates, subjectNames } from '../signing/certificate.ts';
import { parsePublicKey } from '../signing/keys.ts';
import { createSignatureBook } from '../signing/signature-book.ts';
import type { TrustedSigner } from '../signing/signer.ts';
import { quoteText } from '../skill/display-text.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import { type Cli, usageError } from './cli.ts';

export interface SignerOptions {
  readonly signer?: string;
  readonly subject?: readonly string[];
  readonly issuer?: string;
  readonly identity?: string;
}

/** The text of a key or certificate. @throws SkillwireError USAGE */
export function readTrustFile({ cwd }: Pick<Cli, 'cwd'>, name: string): Promise<string> {
  return readFileWithin(resolve(cwd, name), name);
}

/** The value of a variable that --passphrase-env names. */
export function passphraseOf(cli: Pick<Cli, 'env'>, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const passphrase = cli.env[variable];
  if (passphrase !== undefined && passphrase !== '') return passphrase;
  throw usageError(`The variable ${quoteText(variable)} is not set. Put the passphrase there.`);
}

/** The signer of --signer, or of --issuer and --identity; a text is the name of a configured one. */
export async function chosenSigner(options: SignerOptions, cli: Cli): Promise<TrustedSigner | string> {
  const { signer: file, subject, issuer, identity } = options;
  if (file === undefined) {
    if (subject !== undefined) throw usageError('--subject needs --signer with a root certificate.');
    if (!issuer || !identity) throw usageError('Use --issuer and --identity together. Neither may be empty.');
    return { name: identity, kind: 'keyless', issuer, identity };
  }
  if (issuer !== undefined || identity !== undefined)
    throw usageError('--signer is for keys and certificates, --issuer and --identity for Sigstore. Choose one.');
  if (subject === undefined && !existsSync(resolve(cli.cwd, file))) return file;
  const text = await readTrustFile(cli, file);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    if (subject !== undefined) throw usageError('--subject needs --signer with a root certificate.');
    return { name: file, kind: 'key', key: parsePublicKey(text, file) };
  }
  if (subject === undefined)
    throw usageError('A root certificate needs --subject. For example: --subject "O=Example Corporation"');
  try {
    return { name: file, kind: 'certificate', roots: parseCertificates(text), subject: subjectOf(subject) };
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    throw usageError(`Cannot use ${quoteText(file)}: a certificate ${error.message}.`, { file });
  }
}

/** Judges by one signer, who is trusted for this command only: nothing is remembered. */
export function gateOf(signer: TrustedSigner): SignatureGate {
  const seen = { read: async () => [], add: async () => undefined };
  const book = createSignatureBook({ signers: [signer], digest: nodeDigest, seen });
  return createSignatureGate([{ book, rules: createSignatureRules([]) }]);
}

function subjectOf(parts: readonly string[]): Readonly<Record<string, string>> {
  const rows = parts.map((part): [string, string] => {
    const [, type = '', text = ''] = /^([A-Za-z]+|[0-9.]+)=(.+)$/.exec(part) ?? [];
    if (subjectNames.includes(type) || /^\d+(?:\.\d+)+$/.test(type)) return [type, text];
    throw usageError(`--subject ${quoteText(part)} must be NAME=TEXT, with one of ${subjectNames.join(', ')}.`);
  });
  const subject = Object.fromEntries(rows);
  if (Object.keys(subject).length === rows.length) return subject;
  throw usageError('--subject names an attribute twice. Give each attribute once.');
}
