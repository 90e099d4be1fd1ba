/** Reasons to refuse signatures of skills, and the meaning of verdicts; rows SG-1 to SG-26 of the signing requirements. */
import type { Requirement } from './requirement.ts';

export const signingRules: readonly Requirement[] = [
  { id: 'SG-1', strength: 'MUST', text: 'Only known types of payload, statement and predicate are accepted.' },
  {
    id: 'SG-2',
    strength: 'MUST',
    text: 'The signature is over the bytes of the payload, which is never written again.',
  },
  { id: 'SG-3', strength: 'MUST NOT', text: 'Nothing of the payload is used before its signature is verified.' },
  {
    id: 'SG-4',
    strength: 'MUST',
    text: 'The key fixes the hash; other curves, RSA, keys of small order and key ids are refused.',
  },
  { id: 'SG-5', strength: 'MUST', text: 'A bundle has exactly one signature.' },
  {
    id: 'SG-6',
    strength: 'MUST',
    text: 'Base64 is canonical; equal keys, __proto__, depth and more than 1 MiB are refused.',
  },
  { id: 'SG-7', strength: 'MUST NOT', text: 'Nothing is identified by the bytes of a signature.' },
  { id: 'SG-8', strength: 'MUST', text: 'Chains of certificates pass the checks C1 to C10.' },
  { id: 'SG-9', strength: 'MUST', text: 'A root that only the bundle has is not trusted.' },
  { id: 'SG-10', strength: 'MUST', text: 'Time before, inside and after validity is told apart; first use may count.' },
  {
    id: 'SG-11',
    strength: 'MUST',
    text: 'Changed, missing, unsigned, unpublished, ignored and renamed files are named apart.',
  },
  { id: 'SG-12', strength: 'MUST', text: 'Files may be listed in any order; the root digest is over the listed one.' },
  { id: 'SG-13', strength: 'MUST NOT', text: 'Names of a statement never touch the disk.' },
  { id: 'SG-14', strength: 'MUST NOT', text: 'What the signer ignores never counts as signed.' },
  { id: 'SG-15', strength: 'MUST', text: 'A stale signature with a true chain is a mismatch.' },
  { id: 'SG-16', strength: 'MUST', text: 'The bytes that leave or are installed are those that were verified.' },
  { id: 'SG-17', strength: 'MUST', text: 'The signature of another skill or folder is a mismatch.' },
  { id: 'SG-18', strength: 'MUST', text: 'Identities are compared exactly.' },
  { id: 'SG-19', strength: 'MUST', text: 'The reader decides which kind of signature is expected.' },
  {
    id: 'SG-22',
    strength: 'MUST',
    text: 'A compromised key voids everything; a retired one keeps what was seen before.',
  },
  { id: 'SG-20', strength: 'MUST', text: 'A changed, weaker or missing signer is stopped until a person accepts it.' },
  { id: 'SG-21', strength: 'MUST', text: 'The signer is shown before the first decision, and recorded with it.' },
  { id: 'SG-23', strength: 'MUST NOT', text: 'An absent field skips no rule.' },
  { id: 'SG-24', strength: 'MUST NOT', text: 'A signature approves nothing, enables no scripts and lifts no denial.' },
  { id: 'SG-25', strength: 'MUST', text: 'Gateways pass bytes unchanged, so every reader gets the same verdict.' },
  { id: 'SG-26', strength: 'MUST', text: 'Claims of upstreams about signatures are dropped.' },
];
