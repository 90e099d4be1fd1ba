/** Data of this server. Addresses are relative to the page, so it works below any prefix. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/surfaces/page/page-data.ts';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const refusedEvent = 'skillwire-refused';

async function answerOf<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const { code = '', message = `the server answered ${response.status}` } =
    (body as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  // Whoever shows the page finds out whether the reader is still signed in.
  if (response.status === 401) dispatchEvent(new Event(refusedEvent));
  throw new ApiError(response.status, code, message);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf(await fetch(path, { credentials: 'same-origin', signal }));
}

export async function post<T>(path: string, body: object, session?: SessionInfo): Promise<T> {
  const csrf: Record<string, string> = session?.csrf === undefined ? {} : { 'x-skillwire-csrf': session.csrf };
  return answerOf(
    await fetch(path, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json', ...csrf },
      body: JSON.stringify(body),
    }),
  );
}

export function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters)}`;
}

export interface Loaded<T> {
  readonly data?: T;
  readonly error?: ApiError | Error;
  readonly loading: boolean;
}

/** The answer of a path; asked again when `version` changes, while what is there stays. Undefined asks nothing. */
export function useData<T>(path: string | undefined, version: number | string = 0): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { path?: string | undefined }>({ loading: true });
  const shown = useRef<string | undefined>(undefined);
  // The version is not used inside: a new one means to ask again.
  useEffect(() => {
    if (path === undefined) return undefined;
    const aborted = new AbortController();
    if (shown.current !== path) setState({ loading: true, path });
    shown.current = path;
    get<T>(path, aborted.signal).then(
      (data) => setState({ data, loading: false, path }),
      (error: Error) => {
        if (!aborted.signal.aborted) setState({ error, loading: false, path });
      },
    );
    return () => aborted.abort();
  }, [path, version]);
  // An answer to what was asked before is not one to this.
  return state.path === path ? state : { loading: true };
}

/** The address for MCP clients, as this browser reaches it. */
export const mcpAddress: string = new URL('mcp', document.baseURI.replace(/[#?].*$/, '')).href;
