/** The skills of a site on Node, with the guarded HTTP client and a fast SHA-256. */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createHttpClient, type HttpClientOptions } from '../outbound/http-client.ts';
import { createRequestSlots } from '../outbound/request-slots.ts';
import {
  callback,
  checkOptions,
  count,
  either,
  flag,
  type OptionChecks,
  oneOf,
  required,
  text,
  withMembers,
} from '../skill/checked-options.ts';
import {
  type WellKnownSiteOptions,
  type WellKnownSiteSource,
  wellKnownSiteSource,
} from '../sources/well-known-site/well-known-site-source.ts';

import { nodeDigest } from '../store/embedded/node-digest.ts';

export type { WellKnownSiteSource } from '../sources/well-known-site/well-known-site-source.ts';

/** How to reach a site: its URL, credentials, and when files are fetched. */
export interface SiteOptions extends Omit<WellKnownSiteOptions, 'http' | 'digest'> {
  /** Allow plain http to other machines. */
  readonly insecureHttp?: boolean;
  /** Whether the host may be in a private network, because the user named it. Default true. */
  readonly namedByUser?: boolean;
  /** Concurrent requests. Default: four, of those that the whole process shares. */
  readonly concurrency?: number;
  /**
   * Sent as `traceparent` with each request.
   * @internal
   */
  readonly traceParent?: () => string | undefined;
  /** Replaces the system's DNS lookup. */
  readonly lookup?: NonNullable<HttpClientOptions['lookup']>;
}

const siteChecks: OptionChecks<SiteOptions> = {
  url: required(text),
  fetch: oneOf('session', 'lazy'),
  headers: withMembers('an object'),
  token: either(text, callback()),
  credentials: withMembers('an object'),
  timeoutMs: count,
  ownDigests: flag,
  listingBytes: count,
  cachedBytes: count,
  insecureHttp: flag,
  namedByUser: flag,
  concurrency: count,
  lookup: callback(),
  traceParent: callback(),
};

/**
 * The skills that a site publishes below `.well-known`, or those of one index file.
 *
 * @example
 * ```ts
 * const docs = siteSource({ url: 'https://docs.example.com' });
 * const host = await openHost([{ label: 'docs', source: docs, local: false }]);
 * ```
 */
export function siteSource(given: SiteOptions): WellKnownSiteSource {
  checkOptions('siteSource()', given, siteChecks);
  const { insecureHttp, namedByUser = true, concurrency, lookup, traceParent, ...options } = given;
  if (!URL.canParse(options.url))
    throw new SkillwireError(
      'USAGE',
      `Cannot read "${options.url}": it is not an address such as "https://example.com".`,
    );
  const http = createHttpClient({
    ...(namedByUser ? { trustedHost: new URL(options.url).hostname } : {}),
    maxBytes: limits.site.artifactBytes,
    insecureHttp,
    slots: concurrency === undefined ? undefined : createRequestSlots(concurrency, concurrency),
    lookup,
    traceParent,
  });
  return wellKnownSiteSource({ ...options, http, digest: nodeDigest });
}
