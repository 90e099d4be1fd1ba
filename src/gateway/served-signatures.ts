/** Verdicts about signatures, by the signers of a configuration. */
import { createSignatureBook } from '../signing/signature-book.ts';
import { verdictFacts } from '../signing/verdict-text.ts';
import { seenSignatures } from '../store/decisions/seen-signatures.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import type { ServedOrigins } from './served-origins.ts';
import type { ServingPlace } from './served-source.ts';
import { trustedSigners } from './signers-schema.ts';

export interface SignaturePlace {
  readonly found: ServedOrigins['found'];
  readonly place: Pick<ServingPlace, 'trustFile'>;
  readonly digest: (bytes: Uint8Array) => string;
}

/** @throws SkillwireError CONFIG_INVALID if a key or certificate cannot be used */
export async function servedSignatures(
  { found, place, digest }: SignaturePlace,
  configuration: Configuration,
  store: Pick<Store, 'state'>,
) {
  const { file, base } = found ?? {};
  const load = ({ signers = [] }: Configuration) =>
    trustedSigners(signers, (path) => place.trustFile(path, { file, base }));
  const signers = await load(configuration);
  const book = createSignatureBook({ signers, digest, seen: seenSignatures(async () => store.state) });
  return { load, served: { book, facts: verdictFacts } };
}
