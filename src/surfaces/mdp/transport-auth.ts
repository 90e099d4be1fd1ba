/**
 * Reads the authentication of a connection: `Authorization`, headers `x-mdp-auth-*`, and the subprotocol `mdp.token.TOKEN` besides `mdp` for
 * browsers, whose WebSockets cannot set headers. A token in the URL is never read, because URLs end up in logs.
 */
import type { MdpAuth } from '../../dialects/mdp/messages.ts';
import { limits } from '../../limits.ts';

export const mdpSubprotocol = 'mdp';
const tokenSubprotocol = 'mdp.token.';
const extraHeader = 'x-mdp-auth-';

/** Query parameters in which people put tokens. */
const tokenParameters = ['token', 'access_token', 'auth', 'authorization'];

function offeredToken(protocols: string | undefined): string | undefined {
  const offered = (protocols ?? '').split(',').map((protocol) => protocol.trim());
  return offered.find((protocol) => protocol.startsWith(tokenSubprotocol))?.slice(tokenSubprotocol.length);
}

function isShort(text: string): boolean {
  return text.length <= limits.runtimes.tokenCharacters;
}

/** Header names are in lower case. `undefined` if there is no authentication. */
export function transportAuth(headers: Iterable<readonly [name: string, value: string]>): MdpAuth | undefined {
  let authorization: string | undefined;
  let protocols: string | undefined;
  const extra: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === 'authorization') authorization = value;
    else if (name === 'sec-websocket-protocol') protocols = value;
    else if (name.startsWith(extraHeader)) extra[name] = value;
  }
  const [, scheme, token] = /^([!-~]+) +([!-~]+)$/.exec(authorization?.trim() ?? '') ?? [];
  const offered = token ?? offeredToken(protocols);
  const auth: MdpAuth = {
    ...(offered === undefined || !isShort(offered) ? {} : { scheme: scheme ?? 'Bearer', token: offered }),
    ...(Object.keys(extra).length === 0 ? {} : { headers: extra }),
  };
  return Object.keys(auth).length === 0 ? undefined : auth;
}

export function hasTokenInQuery(url: URL): boolean {
  return tokenParameters.some((name) => url.searchParams.has(name));
}

/** The token in an authentication, in any of its fields. */
export function tokenOf({ scheme, token, headers }: MdpAuth): string | undefined {
  if (token !== undefined) return scheme === undefined || /^bearer$/i.test(scheme) ? token : undefined;
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/^(?:authorization|x-mdp-auth-token)$/i.test(name)) continue;
    return value.replace(/^bearer +/i, '');
  }
  return undefined;
}
