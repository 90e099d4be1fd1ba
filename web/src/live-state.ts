/** Events of the server while the page is open: which data to request again, and whether the server still answers. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { PageEvent, PageInfo, SessionInfo } from '../../src/surfaces/page/page-data.ts';

export interface Versions {
  readonly catalog: number;
  readonly review: number;
  readonly runtimes: number;
  readonly connected: boolean;
  /** How often the server closed the connection: the reader may have been signed out. */
  readonly ended: number;
}

/** @param reader identifies the reader, because others get other events; empty: no events */
export function useVersions(reader: string): Versions {
  const [versions, setVersions] = useState<Versions>({
    catalog: 0,
    review: 0,
    runtimes: 0,
    connected: true,
    ended: 0,
  });
  useEffect(() => {
    if (reader === '') return undefined;
    const events = new EventSource('api/events');
    let lost = false;
    const bump = (kind: 'catalog' | 'review' | 'runtimes') => (): void =>
      setVersions((now) => ({ ...now, [kind]: now[kind] + 1 }));
    const types: readonly Exclude<PageEvent['type'], 'hello'>[] = ['catalog', 'review', 'runtimes'];
    for (const type of types) events.addEventListener(type, bump(type));
    events.addEventListener('hello', () => {
      // Changes in between were not reported.
      if (lost) for (const type of types) bump(type)();
      lost = false;
      setVersions((now) => ({ ...now, connected: true }));
    });
    events.addEventListener('error', () => {
      lost = true;
      const ended = events.readyState === EventSource.CLOSED ? 1 : 0;
      setVersions((now) => ({ ...now, connected: false, ended: now.ended + ended }));
    });
    return () => events.close();
  }, [reader]);
  return versions;
}

export interface Server {
  readonly info: PageInfo;
  readonly session: SessionInfo;
  readonly versions: Versions;
  /** Requests the session again, after signing in or out. */
  renew(): void;
}

export const ServerContext = createContext<Server | undefined>(undefined);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === undefined) throw new Error('there is no server around this part of the page');
  return server;
}
