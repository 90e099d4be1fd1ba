/** The rows about the signature of a skill, for a person who decides about it. */
import type { JudgedSignature } from '../../host/approve/signature-gate.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { signatureUri } from '../../signing/signature-book.ts';
import { verdictText } from '../../signing/verdict-text.ts';
import type { Colors } from './color.ts';

export interface ShownSignature {
  /** Absent if no signers are trusted. */
  readonly signature?: JudgedSignature | undefined;
  readonly signerChange?: string | undefined;
}

/** Empty for a skill without a signature if no signers are trusted. */
export function signatureRows(
  { entry }: CapturedEntry,
  { signature, signerChange }: ShownSignature,
  colors: Colors,
): string {
  const row = (title: string, text: string): string => `${colors.dim(title.padEnd(7))} ${text}\n`;
  const rows = [
    ...(signature !== undefined ? [row('signed', verdictText(signature.verdict))] : []),
    ...(signature === undefined && signatureUri(entry) !== undefined
      ? [row('signed', 'not verified: "signers" in skillwire.json names nobody')]
      : []),
    ...(signature?.refusal === undefined ? [] : [row('refused', colors.red(signature.refusal))]),
    ...(signerChange === undefined ? [] : [row('signer', colors.red(signerChange))]),
  ];
  return rows.join('');
}
