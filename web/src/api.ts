/** Data of this server. Addresses are relative to the page, so it works below any prefix. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConfirmationData, SessionInfo } from '../../src/surfaces/page/page-data.ts';

export class ApiError extends Error {
  /** 0 if the server did not answer. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const refusedEvent = 'skillwire-refused';
export const confirmedEvent = 'skillwire-confirmed';
const retryEvent = 'skillwire-retry';

async function answerOf<T>(request: Promise<Response>): Promise<T> {
  const response = await request.catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The server does not answer. It may have been stopped.');
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const { code = '', message = `The server answered with status ${response.status}.` } =
    (body as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  // The frame checks whether the reader is still signed in.
  if (response.status === 401) dispatchEvent(new Event(refusedEvent));
  throw new ApiError(response.status, code, message);
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf(fetch(path, { credentials: 'same-origin', signal }));
}

export async function post<T extends object>(path: string, body: object, session?: SessionInfo): Promise<T> {
  const csrf: Record<string, string> = session?.csrf === undefined ? {} : { 'x-skillwire-csrf': session.csrf };
  const answer = await answerOf<T & { readonly confirmation?: ConfirmationData }>(
    fetch(path, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json', ...csrf },
      body: JSON.stringify(body),
    }),
  );
  const { confirmation: detail } = answer;
  if (detail !== undefined) dispatchEvent(new CustomEvent(confirmedEvent, { detail }));
  return answer;
}

export function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters)}`;
}

/** Repeats failed requests. */
export function retry(): void {
  dispatchEvent(new Event(retryEvent));
}

/** Counts the retries that a person asked for while `failed` is true. */
export function useRetries(failed: boolean): number {
  const [retries, setRetries] = useState(0);
  useEffect(() => {
    if (!failed) return undefined;
    const again = (): void => setRetries((count) => count + 1);
    addEventListener(retryEvent, again);
    return () => removeEventListener(retryEvent, again);
  }, [failed]);
  return retries;
}

export interface Loaded<T> {
  readonly data?: T;
  readonly error?: ApiError | Error;
  readonly loading: boolean;
}

/**
 * The answer of a path. A new `version` requests it again; the last answer stays until then. Without a path, nothing is requested.
 */
export function useData<T>(path: string | undefined, version: number | string = 0): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { path?: string | undefined }>({ loading: true });
  const shown = useRef<string | undefined>(undefined);
  const retries = useRetries(state.error !== undefined);
  useEffect(() => {
    if (path === undefined) return undefined;
    const aborted = new AbortController();
    if (shown.current !== path) setState({ loading: true, path });
    shown.current = path;
    get<T>(path, aborted.signal).then(
      (data) => setState({ data, loading: false, path }),
      (error: Error) => {
        if (aborted.signal.aborted) return;
        // Known data stays readable while the server is unreachable, but not after it refused access.
        const isGone = error instanceof ApiError && error.status === 0;
        setState((before) => {
          const { data } = isGone && before.path === path ? before : {};
          return { ...(data === undefined ? {} : { data }), error, loading: false, path };
        });
      },
    );
    return () => aborted.abort();
  }, [path, version, retries]);
  // An answer to an earlier path does not belong to this one.
  return state.path === path ? state : { loading: true };
}

/** The address for MCP clients, as this browser reaches it. */
export const mcpAddress: string = new URL('mcp', document.baseURI.replace(/[#?].*$/, '')).href;
