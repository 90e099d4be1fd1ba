/**
 * Verdicts about signatures, cached by the digests of a skill's content and of its signature file. A verdict is made once, so
 * reading a served file costs nothing more. A verdict that ends with a certificate or with the trust in a signer is made again at that time.
 */
import { limits } from '../limits.ts';
import { type ContentFiles, contentFiles, contentLines, signatureFileName } from '../skill/content-digest.ts';
import { type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import { type SignerIdentity, sameSigner } from '../skill/signer-identity.ts';
import type { TrustedSigner } from './signer.ts';
import { tooLarge } from './strict-json.ts';
import { type SignatureVerdict, type SignedSkill, verifySignature } from './verify-signature.ts';

/** When this machine first saw content with a valid signature. */
export interface SeenSignatures {
  read(content: string): Promise<readonly { readonly signer: SignerIdentity; readonly at: Date }[]>;
  add(content: string, signer: SignerIdentity, at: Date): Promise<void>;
}

export interface SignatureBookOptions {
  readonly signers: readonly TrustedSigner[];
  /** SHA-256, synchronously. */
  readonly digest: (bytes: Uint8Array) => string;
  readonly seen: SeenSignatures;
  /** Default: the clock. */
  readonly now?: () => Date;
}

export interface SignatureBook {
  /** The verdict about an entry; `undefined` until its signature file was read. */
  verdict(entry: SkillEntry): SignatureVerdict | undefined;
  /** The URI of the signature file, if it must be read for a verdict. */
  unread(entry: SkillEntry): string | undefined;
  /** Verifies the bytes of the signature file of an entry. */
  note(entry: SkillEntry, bytes: Uint8Array): Promise<SignatureVerdict>;
  /** False if no signature can be trusted, so reading one says nothing. */
  hasSigners(): boolean;
  /** True if a verdict ended, so that decisions must be made again. */
  isDue(): boolean;
  /** The same, once for each end: the caller makes the decisions again. */
  takeDue(): boolean;
  /** Replaces the trusted signers. */
  use(signers: readonly TrustedSigner[]): void;
}

interface Known {
  readonly verdict: SignatureVerdict;
  /** In milliseconds since 1970. */
  readonly until: number;
}

const unsigned: SignatureVerdict = { state: 'unsigned' };
const encoder = new TextEncoder();

export function createSignatureBook(options: SignatureBookOptions): SignatureBook {
  const { digest, seen, now = () => new Date() } = options;
  let { signers } = options;
  let verdicts = new Map<string, Known>();
  let nextEnd = Number.POSITIVE_INFINITY;
  const isDue = (): boolean => now().getTime() > nextEnd;

  function known(entry: SkillEntry): Known | undefined {
    const found = verdicts.get(keyOf(entry, digest).key);
    return found === undefined || found.until < now().getTime() ? undefined : found;
  }

  async function verified(skill: SignedSkill, content: string): Promise<SignatureVerdict> {
    const at = now();
    const verdict = await verifySignature(skill, { signers, at });
    if (verdict.state === 'signed') {
      const before = await seen.read(content);
      if (!before.some(({ signer }) => sameSigner(signer, verdict.signer.identity)))
        await seen.add(content, verdict.signer.identity, at);
      return verdict;
    }
    // An expired certificate or a retired key may count for content that was seen in time, with the same signer.
    if (verdict.state !== 'invalid' && verdict.state !== 'untrusted') return verdict;
    for (const { signer, at: firstSeen } of await seen.read(content)) {
      const again = await verifySignature(skill, { signers, at, firstSeen });
      if (again.state === 'signed' && sameSigner(again.signer.identity, signer)) return again;
    }
    return verdict;
  }

  /** The verdict about an entry whose signature need not be read. */
  function withoutReading(entry: SkillEntry): SignatureVerdict | undefined {
    const file = signatureFile(entry);
    if (file === undefined) return unsigned;
    const reason = file.size > limits.signing.bundleBytes ? tooLarge(file.size) : undefined;
    return reason === undefined ? known(entry)?.verdict : { state: 'invalid', step: 'file', reason: `it ${reason}` };
  }

  return {
    verdict: withoutReading,
    unread: (entry) => (withoutReading(entry) === undefined ? signatureUri(entry) : undefined),
    async note(entry, bytes) {
      const files = contentFiles(entry);
      if (files === undefined || signatureUri(entry) === undefined) return unsigned;
      const from = signers;
      const verdict = await verified({ files, signature: bytes }, keyOf(entry, digest).content);
      // Other bytes than promised say nothing about the entry.
      const isPromised = digest(bytes) === files.get(signatureFileName);
      if (!isPromised || from !== signers) return verdict;
      const until = endOf(verdict, now());
      if (verdicts.size >= limits.signing.cachedVerdicts) verdicts = new Map();
      verdicts.set(keyOf(entry, digest).key, { verdict, until });
      nextEnd = Math.min(nextEnd, until);
      return verdict;
    },
    hasSigners: () => signers.length > 0,
    isDue,
    takeDue() {
      const due = isDue();
      if (due) nextEnd = Number.POSITIVE_INFINITY;
      return due;
    },
    use(next) {
      signers = next;
      verdicts = new Map();
    },
  };
}

/** A refusal may end too: a certificate that is not valid yet becomes valid. */
function endOf(verdict: SignatureVerdict, now: Date): number {
  if ('signer' in verdict) return verdict.signer.until?.getTime() ?? Number.POSITIVE_INFINITY;
  const isOfTime = verdict.state === 'invalid' && verdict.check === 'C6';
  return isOfTime ? now.getTime() + limits.signing.timeVerdictMs : Number.POSITIVE_INFINITY;
}

/** The URI of the signature file of an entry; `undefined` if it has none, or cannot be verified. */
export function signatureUri(entry: SkillEntry): string | undefined {
  return signatureFile(entry)?.uri;
}

function signatureFile({ uri, resources }: SkillEntry): SkillResource | undefined {
  if (resources === 'dynamic') return undefined;
  const file = `${uri.slice(0, -skillFileName.length)}${signatureFileName}`;
  return resources.find((resource) => resource.uri === file);
}

interface EntryKey {
  /** The content digest. */
  readonly content: string;
  /** The same for the same content with the same signature file, at every URI. */
  readonly key: string;
}

const keys = new WeakMap<SkillEntry, EntryKey>();

function keyOf(entry: SkillEntry, digest: (bytes: Uint8Array) => string): EntryKey {
  const known = keys.get(entry);
  if (known !== undefined) return known;
  const files: ContentFiles = contentFiles(entry) ?? new Map();
  const content = digest(encoder.encode(contentLines(files)));
  const made = { content, key: `${content} ${files.get(signatureFileName) ?? ''}` };
  keys.set(entry, made);
  return made;
}
