/** `https://HOST[/PATH]`, or `http:` on this machine: a site that publishes skills below `.well-known`. */
import { definedFields } from '../../defined-fields.ts';
import { addressActs } from '../../trust/acts.ts';
import { cannotRead, httpUrl, isPlainHttp, withoutUser } from '../http-address.ts';
import { type OriginKind, textField } from '../origin-kind.ts';

export interface SiteLocation {
  readonly kind: 'site';
  readonly url: string;
}

export interface OriginSite {
  readonly label?: string;
  /** Normalized; without a trailing slash, user, password, query and fragment. */
  readonly site: string;
}

export const site: OriginKind<SiteLocation, OriginSite> = {
  key: 'site',
  prefixed: {
    prefixes: ['https://', 'http://'],
    parse: (text, _, insecureHttp) => ({ site: siteUrl(text, insecureHttp) }),
  },
  spec: 'site',
  location: (spec) => ({ kind: 'site', url: spec.site }),
  read: (fields, insecureHttp) => ({ kind: 'site', url: siteUrl(textField(fields, 'url'), insecureHttp) }),
  text: ({ url }) => url,
  local: false,
  polled: true,
  credentials: 'http',
  acts: ({ url }, around) => addressActs(url, around),
  async open({ url }, { guarded, siteFetch, timeoutMs, ...options }) {
    const { ownDigests, token, credentials, headers, concurrency, traceParent } = options;
    const { siteSource } = await import('../site-source.ts');
    return siteSource({
      url,
      insecureHttp: isPlainHttp(url),
      namedByUser: guarded !== true,
      ...definedFields({
        fetch: siteFetch,
        ownDigests,
        token,
        credentials,
        headers,
        timeoutMs,
        concurrency,
        traceParent,
      }),
    });
  },
};

/** The address of a site, without a trailing slash, so that one site has one label. @throws SkillwireError USAGE */
function siteUrl(text: string, insecureHttp: boolean): string {
  const url = httpUrl('', text, insecureHttp, 'Write https://HOST, for example https://example.com.');
  if (url.search !== '') {
    const shown = withoutUser(text).replace(/\?.*$/, '?...');
    throw cannotRead(shown, 'the address of a site has no query ("?")', 'Remove it.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
