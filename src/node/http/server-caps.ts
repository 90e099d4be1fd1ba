/**
 * How much a server may have open at a time, in one table. Each kind of cap has one answer beyond it: 429 if one address has too much, 503
 * if everybody together has. Both have `Retry-After` and say what is full. Sessions make room instead.
 */
import { limits } from '../../limits.ts';

interface Cap {
  readonly most: number;
  readonly answer?: { readonly status: 429 | 503; readonly text: string };
}

export const serverCaps = {
  connections: {
    most: limits.http.connections,
    answer: { status: 503, text: 'This server has too many connections. Try again later.' },
  },
  connectionsPerAddress: {
    most: limits.http.connectionsPerAddress,
    answer: { status: 429, text: 'Too many connections are open from this address. Close one first.' },
  },
  streams: {
    most: limits.http.streams,
    answer: { status: 503, text: 'This server has too many open streams. Try again later.' },
  },
  streamsPerAddress: {
    most: limits.http.streamsPerAddress,
    answer: { status: 429, text: 'Too many streams are open from this address. Close one first.' },
  },
  sessions: { most: limits.sessions.count },
} as const satisfies Record<string, Cap>;

export type ServerCap = keyof typeof serverCaps;
/** A cap whose excess is answered. */
export type AnsweredCap = Exclude<ServerCap, 'sessions'>;

/** Most connections, streams and sessions at a time. Absent ones have their defaults. */
export type ServeLimits = Readonly<Partial<Record<ServerCap, number>>>;

/** Seconds after which a client may try again. */
export const retryAfter = { 'retry-after': '5' } as const;

export const capNames: readonly ServerCap[] = Object.keys(serverCaps) as ServerCap[];

export function capOf(name: ServerCap, limited: ServeLimits = {}): number {
  return limited[name] ?? serverCaps[name].most;
}
