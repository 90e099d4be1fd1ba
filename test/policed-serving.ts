/** The authority on what is served over one store, and the origins that it is put before, as a gateway makes them. */
import type { ServingPolicy } from '../src/policy/serving-policy.ts';
import { decisionFeed } from '../src/serving/decision-feed.ts';
import { createServing, type Serving } from '../src/serving/serving.ts';
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
): PolicedServing {
  const serving = createServing({
    feed: decisionFeed(async () => store, onerror),
    store: async () => store,
    ...(policy === undefined ? {} : { policy }),
    digest: nodeDigest,
    onerror,
    queue: 'skillwire.json',
    onPinFailed,
  });
  return { serving, ...policedOrigins(serving) };
}
