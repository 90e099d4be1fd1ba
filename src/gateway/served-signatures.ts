/** Verdicts about signatures, by the signers of a configuration. */
import { createSignatureBook } from '../signing/signature-book.ts';
import type { TrustedSigner } from '../signing/signer.ts';
import { verdictFacts } from '../signing/verdict-text.ts';
import { sameJson } from '../skill/json.ts';
import { seenSignatures } from '../store/decisions/seen-signatures.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import type { ServedOrigins } from './served-origins.ts';
import type { ServingMachine } from './served-source.ts';
import { trustedSigners } from './signers-schema.ts';

export interface SignatureContext {
  readonly found: ServedOrigins['found'];
  readonly place: Pick<ServingMachine, 'trustFile' | 'trustPath'>;
  readonly digest: (bytes: Uint8Array) => string;
}

interface LoadedSigners {
  readonly signers: readonly TrustedSigner[];
  /** The texts of keys and certificates, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** @throws SkillwireError CONFIG_INVALID if a key or certificate cannot be used */
export async function servedSignatures(
  { found, place, digest }: SignatureContext,
  configuration: Pick<Configuration, 'signers'>,
  store: Pick<Store, 'state'>,
) {
  const { file, base } = found ?? {};

  async function load({ signers = [] }: Pick<Configuration, 'signers'>): Promise<LoadedSigners> {
    const texts = new Map<string, string>();
    const read = async (shown: string): Promise<string> => {
      const path = place.trustPath(shown, { file, base });
      const text = await place.trustFile(path, shown);
      texts.set(path, text);
      return text;
    };
    return { signers: await trustedSigners(signers, read), texts };
  }

  let loaded = await load(configuration);
  const book = createSignatureBook({ signers: loaded.signers, digest, seen: seenSignatures(async () => store.state) });
  return {
    served: { book, facts: verdictFacts },
    load,
    use(next: LoadedSigners): void {
      loaded = next;
      book.use(next.signers);
    },
    /** The files of keys and certificates in use. */
    files: (): readonly string[] => [...loaded.texts.keys()],
    /** False if a file has another text than the one in use. @throws SkillwireError CONFIG_INVALID */
    async isCurrent(next: Pick<Configuration, 'signers'>): Promise<boolean> {
      return sameJson(rowsOf(await load(next)), rowsOf(loaded));
    },
  };
}

/** Files are read at the same time, so their order differs. */
function rowsOf({ texts }: LoadedSigners): readonly (readonly [path: string, text: string])[] {
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
}
