/**
 * Judges the signature of a skill on the reading side: who signed it, and whether the rules of the reader accept that. Each layer is one
 * configuration with its own signers and rules, and a skill must satisfy all of them. So a file that came with a folder can demand more
 * than the user does, never less. Its signers satisfy none of the user's rules.
 */
import type { SignatureRules, SignedSkillPaths } from '../../policy/signature-rules.ts';
import type { SignatureBook } from '../../signing/signature-book.ts';
import { verdictFacts } from '../../signing/verdict-text.ts';
import type { SignatureVerdict } from '../../signing/verify-signature.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { folderPath, namedPath, nestedOf } from '../../skill/nested-skills.ts';
import type { SignerIdentity } from '../../skill/signer-identity.ts';

export interface SignatureLayer {
  readonly book: SignatureBook;
  readonly rules: SignatureRules;
  /** The file, if it is not the user's own: its names of signers are shown with it. */
  readonly file?: string | undefined;
}

/** The verdict about a signature, and why a rule refuses the skill. */
export interface JudgedSignature {
  readonly verdict: SignatureVerdict;
  readonly refusal?: string;
}

/** Judges signatures by the trusted signers and rules of the reader. */
export interface SignatureGate {
  /**
   * `undefined` if the reader trusts no signers and has no rules.
   *
   * @param read the bytes of the signature file
   */
  judge(
    skill: { readonly label: string; readonly entry: SkillEntry },
    read: (uri: string) => Promise<Uint8Array>,
  ): Promise<JudgedSignature | undefined>;
}

export function createSignatureGate(layers: readonly SignatureLayer[]): SignatureGate {
  return {
    async judge({ label, entry }, read) {
      let best: SignatureVerdict | undefined;
      let refusal: string | undefined;
      let bytes: Uint8Array | undefined;
      for (const { book, rules, file } of layers) {
        const uri = book.unread(entry);
        if (uri !== undefined) bytes ??= await read(uri);
        const verdict = (bytes === undefined ? undefined : await book.note(entry, bytes)) ?? book.verdict(entry);
        if (verdict === undefined) throw new TypeError('no verdict about a signature that was read');
        refusal ??= rules.fault(placeOf(label, entry), verdictFacts(verdict));
        if (best === undefined || (best.state !== 'signed' && 'signer' in verdict)) best = named(verdict, file);
      }
      if (best === undefined) return undefined;
      return refusal === undefined ? { verdict: best } : { verdict: best, refusal };
    },
  };
}

/** The identity of the signer; `undefined` unless every served file is signed. */
export function signerOf(judged: Pick<JudgedSignature, 'verdict'> | undefined): SignerIdentity | undefined {
  return judged?.verdict.state === 'signed' ? judged.verdict.signer.identity : undefined;
}

/** The paths that a server with the same configuration would judge. */
function placeOf(label: string, entry: SkillEntry): SignedSkillPaths {
  const below = /^[\w.-]+$/.test(label) ? `${label}/` : '';
  const paths = [folderPath(entry.uri), namedPath(entry), ...nestedOf(entry).map(folderPath)];
  return { origin: label, paths: [...new Set(paths)].map((path) => `${below}${path}`) };
}

function named(verdict: SignatureVerdict, file: string | undefined): SignatureVerdict {
  if (file === undefined || !('signer' in verdict)) return verdict;
  const names = verdict.signer.names.map((name) => `${name} of ${file}`);
  return { ...verdict, signer: { ...verdict.signer, names } };
}
