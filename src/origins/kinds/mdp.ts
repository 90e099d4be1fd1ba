/** `mdp:URL`: a hub of live runtimes. */
import { SkillwireError } from '../../errors.ts';
import { given } from '../../given.ts';
import type { HubDirectory } from '../../sources/mdp-runtime/hub-directory.ts';
import { addressActs } from '../../trust/location-acts.ts';
import { isLoopbackName, withoutUser } from '../http-address.ts';
import type { OriginKind } from '../origin-kind.ts';
import { textField } from '../place-fields.ts';
import type { OpenOriginOptions } from '../place-way.ts';

export interface MdpLocation {
  readonly kind: 'mdp';
  readonly hub: string;
}

export interface OriginHub {
  readonly label?: string;
  /** Normalized; `ws:` or `wss:`, host and port alone. */
  readonly hub: string;
}

export const mdp: OriginKind<MdpLocation, OriginHub> = {
  key: 'mdp',
  prefixed: {
    prefixes: ['mdp:'],
    parse: (text, prefix, insecureHttp) => ({ hub: hubUrl(text.slice(prefix.length), insecureHttp) }),
  },
  spec: 'hub',
  location: ({ hub }) => ({ kind: 'mdp', hub }),
  read: (fields, insecureHttp) => ({ kind: 'mdp', hub: hubUrl(textField(fields, 'hub'), insecureHttp) }),
  text: ({ hub }) => `mdp:${hub}`,
  local: false,
  polled: true,
  credentials: 'http',
  acts: ({ hub }, around) => addressActs(hub, around),
  async open(location, way) {
    const { liveSource } = await import('../../sources/mdp-runtime/mdp-runtime-source.ts');
    return liveSource(await openHub(location, way));
  },
  hub: openHub,
};

async function openHub({ hub }: MdpLocation, way: OpenOriginOptions): Promise<HubDirectory> {
  const [{ createHttpClient }, { createRequestSlots }, { hubDirectory }] = await Promise.all([
    import('../../outbound/http-client.ts'),
    import('../../outbound/request-slots.ts'),
    import('../../sources/mdp-runtime/hub-directory.ts'),
  ]);
  const { protocol, hostname } = new URL(hub);
  const { guarded, concurrency, timeoutMs, token, headers } = way;
  const client = createHttpClient({
    ...(guarded === true ? {} : { trustedHost: hostname }),
    insecureHttp: protocol === 'ws:' && !isLoopbackName(hostname),
    slots: concurrency === undefined ? undefined : createRequestSlots(concurrency, concurrency),
    ...given({ deadlineMs: timeoutMs }),
  });
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return hubDirectory({ url: hub, client, headers: { ...headers, ...authorization } });
}

/** The address of a hub: host and port. @throws SkillwireError USAGE */
function hubUrl(written: string, insecureHttp: boolean): string {
  const refuse = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('USAGE', `cannot read "mdp:${withoutUser(written)}": ${fault}; ${remedy}`, {
      data: { origin: `mdp:${withoutUser(written)}` },
    });
  const example = 'write mdp:ws://HOST:PORT, for example mdp:ws://127.0.0.1:4711';
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^(?:wss?|https?):$/.test(url.protocol)) throw refuse('it is no address of a hub', example);
  if (url.username !== '' || url.password !== '')
    throw refuse('an address must not hold a user or a password', 'name the token with --token-env');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw refuse('a hub is named by host and port alone', example);
  const secure = url.protocol === 'wss:' || url.protocol === 'https:';
  if (!secure && !insecureHttp && !isLoopbackName(url.hostname))
    throw refuse(
      `"${url.protocol}" to "${url.hostname}" can be read and changed on the way`,
      'use wss:, or add --insecure-http if you trust every network in between',
    );
  return `${secure ? 'wss' : 'ws'}://${url.host}`;
}
