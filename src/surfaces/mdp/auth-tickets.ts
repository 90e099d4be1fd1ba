/**
 * `/mdp/auth`: clients post their authentication here before they open a WebSocket, and do not connect if that fails. They get a cookie for
 * the next connection. The reference stores the authentication itself in the cookie, readable and forgeable; ours is a random ticket that
 * works once, for one minute.
 */
import { authFault } from '../../dialects/mdp/decode-fields.ts';
import type { MdpAuth } from '../../dialects/mdp/messages.ts';
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import { empty, json, methodNotAllowed, readJson } from './json-http.ts';
import { transportAuth } from './transport-auth.ts';

const cookieName = 'mdp_auth';

interface Ticket {
  readonly auth: MdpAuth;
  readonly until: number;
}

const corsHeaders = { 'access-control-allow-credentials': 'true' } as const;

function cookie(value: string, seconds: number, url: URL): string {
  const secure = url.protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function ticketIn(cookies: string | undefined): string | undefined {
  for (const pair of (cookies ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName) return value;
  }
  return undefined;
}

/** `accepts` returns true if an authentication is valid, or if none is required. */
export function createAuthTickets(accepts: (auth: MdpAuth) => boolean) {
  const tickets = new Map<string, Ticket>();
  const { ticketMs, tickets: most } = limits.runtimes;

  function issue(auth: MdpAuth): string {
    for (const [id, { until }] of tickets) if (until < Date.now() || tickets.size >= most) tickets.delete(id);
    const id = crypto.randomUUID();
    tickets.set(id, { auth, until: Date.now() + ticketMs });
    return id;
  }

  async function post(request: Request, url: URL): Promise<Response> {
    const body = await readJson(request);
    if (!body.ok) return json(body.status, { error: body.fault }, corsHeaders);
    const posted = isJsonObject(body.value) ? body.value.auth : undefined;
    const fault = posted === undefined ? undefined : authFault('auth', posted);
    if (fault !== undefined) return json(400, { error: fault }, corsHeaders);
    const auth = (posted as MdpAuth | undefined) ?? transportAuth(request.headers);
    if (auth === undefined) return json(400, { error: 'Auth endpoint requires an auth context' }, corsHeaders);
    if (!accepts(auth)) return json(401, { error: 'The token is not accepted' }, corsHeaders);
    return empty(204, { ...corsHeaders, 'set-cookie': cookie(issue(auth), ticketMs / 1_000, url) });
  }

  return {
    async answer(request: Request, url: URL): Promise<Response> {
      if (request.method === 'POST') return post(request, url);
      if (request.method === 'DELETE') return empty(204, { ...corsHeaders, 'set-cookie': cookie('', 0, url) });
      if (request.method === 'OPTIONS') return empty(204, corsHeaders);
      return methodNotAllowed('POST, DELETE, OPTIONS');
    },
    /** The authentication behind the cookie of a request. A ticket works once. */
    redeem(cookies: string | undefined): MdpAuth | undefined {
      const id = ticketIn(cookies);
      const ticket = id === undefined ? undefined : tickets.get(id);
      if (id === undefined || ticket === undefined) return undefined;
      tickets.delete(id);
      return ticket.until < Date.now() ? undefined : ticket.auth;
    },
  };
}

export type AuthTickets = ReturnType<typeof createAuthTickets>;
