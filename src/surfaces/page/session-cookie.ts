/**
 * The parts of page sessions, for links and tokens alike (sec:V-8):
 * - a cookie that scripts cannot read and other sites do not send
 * - a secret that only our pages can read
 * - the check of the sending page
 * - a limit on wrong attempts
 */
import { limits } from '../../limits.ts';
import type { PlainRequest } from '../plain-answer.ts';
import type { Sender } from '../sender.ts';
import type { PageRequest } from './page-request.ts';

type WithHeaders = Pick<PlainRequest, 'header'>;

/** Browsers send cookies to all ports of a host, so each server on a machine has its own cookie name. */
function cookieName(request: WithHeaders): string {
  return `skillwire-page-${/:(\d+)$/.exec(request.header('host') ?? '')?.[1] ?? ''}`;
}

export const csrfHeader = 'x-skillwire-csrf';

export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

export function cookieIn(request: WithHeaders): string | undefined {
  for (const part of (request.header('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookieName(request) && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/**
 * @param secure true if browsers reach the server over TLS
 * @param path default: the folder of the request, because the page may be below a prefix
 */
export function setCookie(request: WithHeaders, value: string, seconds: number, secure = false, path?: string): string {
  const where = path === undefined ? '' : `; Path=${path}`;
  return `${cookieName(request)}=${value}${where}; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
}

/** True if a page of this server sent the request. */
export function isOwnPage(request: Pick<PageRequest, 'header' | 'sender'>): boolean {
  const site = request.header('sec-fetch-site');
  return (site === undefined || site === 'same-origin') && request.sender.page === 'own';
}

/** Compares texts of equal length in constant time. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

const encoder = new TextEncoder();

/** Compares texts of any length in constant time, by their hashes. */
export async function sameSecret(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all(
    [a, b].map(async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))),
  );
  let difference = 0;
  for (const [index, byte] of (left ?? new Uint8Array(0)).entries()) difference |= byte ^ (right?.[index] ?? 1);
  return difference === 0;
}

/** Limits wrong tokens per client, so that no client locks out others, and in total. */
export function countAttempts(now: () => number) {
  const { attempts, allAttempts, attemptsMs } = limits.page;
  let minute = { since: now(), all: 0, clients: new Map<string, number>() };
  return {
    /** Counts an attempt. Returns a function to call if the token was right, or `undefined` if there were too many. */
    begin({ client }: Sender): (() => void) | undefined {
      if (now() - minute.since > attemptsMs) minute = { since: now(), all: 0, clients: new Map() };
      const counted = minute;
      const ofClient = client === undefined ? 0 : (counted.clients.get(client) ?? 0);
      if (counted.all >= allAttempts || ofClient >= attempts) return undefined;
      const count = (by: number): void => {
        counted.all += by;
        if (client !== undefined) counted.clients.set(client, (counted.clients.get(client) ?? 0) + by);
      };
      count(1);
      return () => count(-1);
    },
  };
}

/** Sessions by cookie value. They expire, and their number is limited. */
export function sessionBook<T>(now: () => number): {
  get(request: WithHeaders): T | undefined;
  /** The value of the cookie. @param id the value of a known cookie */
  add(session: T, id?: string): string;
  delete(request: WithHeaders): void;
} {
  const sessions = new Map<string, { readonly session: T; readonly until: number }>();
  return {
    get(request) {
      const id = cookieIn(request);
      const found = id === undefined ? undefined : sessions.get(id);
      if (id === undefined || found === undefined) return undefined;
      if (found.until > now()) return found.session;
      sessions.delete(id);
      return undefined;
    },
    add(session, id = randomText()) {
      sessions.set(id, { session, until: now() + limits.page.sessionMs });
      const [oldest] = sessions.keys();
      if (sessions.size > limits.page.sessions && oldest !== undefined) sessions.delete(oldest);
      return id;
    },
    delete(request) {
      const id = cookieIn(request);
      if (id !== undefined) sessions.delete(id);
    },
  };
}
