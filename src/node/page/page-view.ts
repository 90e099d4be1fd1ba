/** The data of the page for one group of readers: routes and events over their view of the catalog. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { limits } from '../../limits.ts';
import { createPageApi, type PageApiContext } from '../../surfaces/page/page-api.ts';
import { createPageEvents } from '../../surfaces/page/page-events.ts';
import type { PageRequest } from '../../surfaces/page/page-request.ts';
import type { PageSessions } from '../../surfaces/page/page-sessions.ts';
import { type PlainAnswer, toResponse } from '../../surfaces/plain-answer.ts';
import { dataAt } from '../../surfaces/routes.ts';
import { retryAfter } from '../http/server-caps.ts';
import { pageRequest, plainRequest } from './plain-request.ts';

export interface PageViewContext extends PageApiContext {
  /** Calls the listener when the connected runtimes change. */
  readonly watchRuntimes: ((listener: () => void) => () => void) | undefined;
  readonly onerror: (error: Error) => void;
}

/** The reader of a request, if the server authenticates readers. */
export interface Visitor {
  readonly sessions: PageSessions;
  /** Resolves to true while the reader may still receive events. */
  mayStay(): Promise<boolean>;
}

const pack = promisify(gzip);

export function pageView(context: PageViewContext) {
  const { catalog, reviewed, review, watchRuntimes, onerror } = context;
  const api = createPageApi(context);
  const forAll = createPageEvents({ catalog, review, onerror });
  // Only trusted readers may learn of waiting skills and connected runtimes.
  const forTrusted = createPageEvents({ catalog: reviewed, review, watchRuntimes, onerror });
  const hubs = [forAll, forTrusted];

  function events(request: Request, plain: PageRequest, visitor: Visitor | undefined): Response {
    const { trusted, name } = (visitor?.sessions ?? context.sessions).info(plain);
    const mayStay = visitor === undefined ? undefined : () => visitor.mayStay();
    const listener = { signal: request.signal, sender: plain.sender, name, mayStay };
    const stream = (trusted ? forTrusted : forAll).open(listener);
    if (stream === undefined)
      return new Response('Too many pages follow changes. Close some.\n', { status: 503, headers: retryAfter });
    return new Response(stream, { headers: eventHeaders });
  }

  return {
    async answer(request: Request, url: URL, visitor?: Visitor): Promise<Response> {
      if (url.pathname === dataAt('events') && request.method === 'GET')
        return events(request, pageRequest(request), visitor);
      const plain = await plainRequest(request);
      const answer = plain === undefined ? tooLarge : await api.answer(plain, visitor?.sessions);
      return packed(request, answer);
    },
    /** Closes event streams. */
    close(): void {
      for (const hub of hubs) hub.close();
    },
  };
}

export type PageView = ReturnType<typeof pageView>;

const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const tooLarge: PlainAnswer = {
  status: 413,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error: { code: 'LIMIT_EXCEEDED', message: 'the request is too large' } }),
};

/** Compresses the answer if it is large and the browser accepts gzip. */
async function packed(request: Request, answer: PlainAnswer): Promise<Response> {
  const { body } = answer;
  const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (!acceptsGzip || typeof body !== 'string' || body.length < limits.page.packedBytes) return toResponse(answer);
  const bytes = new Uint8Array(await pack(body, { level: 4 }));
  const vary = `${answer.headers.vary ?? 'Origin, Cookie'}, Accept-Encoding`;
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary };
  return toResponse({ ...answer, headers, body: { length: bytes.length, parts: [bytes] } });
}
