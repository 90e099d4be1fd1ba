/**
 * Decides whether a peer may connect, before the connection exists: a client that is rejected later would retry forever. Host and Origin
 * headers were checked before. Tokens in the URL and invalid tokens are rejected. If tokens are required and none was sent, the peer can
 * still authenticate with its registration. A server without tokens only accepts local peers.
 */
import type { MdpAuth } from '../../dialects/mdp/messages.ts';
import type { RuntimeConnection, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Authenticate } from '../../runtimes/session.ts';
import type { Sender } from '../sender.ts';
import type { AuthTickets } from './auth-tickets.ts';
import { hasTokenInQuery, transportAuth } from './transport-auth.ts';

export type CheckedPeer =
  | { readonly ok: true; readonly connection: Pick<RuntimeConnection, 'secure' | 'credential' | 'auth' | 'origin'> }
  | {
      readonly ok: false;
      readonly status: 401 | 403 | 503;
      readonly reason: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export type PeerCheck = (headers: Headers, url: URL, sender: Sender) => CheckedPeer;

type Refused = Extract<CheckedPeer, { readonly ok: false }>;

function refused(status: Refused['status'], reason: string, headers: Refused['headers'] = {}): Refused {
  return { ok: false, status, reason, headers };
}

const askForToken = { 'www-authenticate': 'Bearer' } as const;

export function createPeerCheck(
  registry: RuntimeRegistry,
  tickets: Pick<AuthTickets, 'redeem'>,
  authenticate: Authenticate | undefined,
): PeerCheck {
  return (headers, url, { local }) => {
    if (authenticate === undefined && !local)
      return refused(
        403,
        'This server only accepts runtimes of this machine. To accept others, start it with --mdp-token-env.',
      );
    if (hasTokenInQuery(url))
      return refused(
        401,
        'Tokens in the URL are not accepted. Send the token as a header or subprotocol.',
        askForToken,
      );
    const auth: MdpAuth | undefined = transportAuth(headers) ?? tickets.redeem(headers.get('cookie') ?? undefined);
    const credential = auth === undefined ? undefined : authenticate?.(auth);
    if (authenticate !== undefined && auth?.token !== undefined && credential === undefined)
      return refused(401, 'The token is not accepted.', askForToken);
    const full = registry.refusal(credential);
    // Random, because after a restart all runtimes reconnect at the same moment.
    if (full !== undefined) return refused(503, full, { 'retry-after': String(2 + Math.floor(Math.random() * 9)) });
    const origin = headers.get('origin');
    return {
      ok: true,
      connection: {
        secure: url.protocol === 'https:' || url.protocol === 'wss:',
        credential,
        auth,
        ...(origin === null ? {} : { origin }),
      },
    };
  };
}
