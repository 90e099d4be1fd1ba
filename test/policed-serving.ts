/** The serving authority over one store, and its origins, as in a gateway. */
import type { ServingPolicy } from '../src/policy/serving-policy.ts';
import { decisionFeed } from '../src/serving/decision-feed.ts';
import { createServing, type Serving } from '../src/serving/serving.ts';
import type { SignatureBook } from '../src/signing/signature-book.ts';
import { verdictFacts } from '../src/signing/verdict-text.ts';
import { nodeDigest } from '../src/store/embedded/node-digest.ts';
import type { Store } from '../src/store/store.ts';
import { type PolicedOrigins, policedOrigins } from '../src/transforms/policed-origins.ts';

export interface PolicedServing extends PolicedOrigins {
  readonly serving: Serving;
}

export function policedServing(
  store: Store,
  policy: ServingPolicy | undefined,
  onerror: (error: Error) => void,
  onPinFailed: (label: string, error: unknown) => void = () => undefined,
  book?: SignatureBook,
): PolicedServing {
  const serving = createServing({
    ...(book === undefined ? {} : { signatures: { book, facts: verdictFacts } }),
    feed: decisionFeed(async () => store, onerror),
    store: async () => store,
    ...(policy === undefined ? {} : { policy }),
    digest: nodeDigest,
    onerror,
    queue: { server: 'skillwire.json', configured: true },
    onPinFailed,
  });
  return { serving, ...policedOrigins(serving) };
}
