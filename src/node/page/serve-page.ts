/** The page at work: its files, its data routes and its events, as one answer to requests that are for it. Loaded on the first visit. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { defaultServerInfo } from '../../surfaces/mcp/server-options.ts';
import { createPageApi } from '../../surfaces/page/page-api.ts';
import { createPageEvents } from '../../surfaces/page/page-events.ts';
import type { PageSessions } from '../../surfaces/page/page-sessions.ts';
import { type PlainAnswer, type PlainRequest, toPlainRequest, toResponse } from '../../surfaces/plain-answer.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import { pageAssets } from '../page-assets.ts';
import { markdownRenderer } from './markdown-renderer.ts';
import { isDataPath, type ServePageOptions } from './page-options.ts';
import { servedOrigins } from './page-origins.ts';
import { type OpenPageReview, pageReview } from './page-review.ts';
import { pageTrial } from './page-trial.ts';

/** The page at work. */
export interface ServedPage {
  /** Undefined where there is no such file. */
  answer(request: Request, url: URL): Promise<Response | undefined>;
  /** URIs of skills that agents do not get: disabled, or denied as they are. */
  switchedOff(snapshot: Snapshot): Promise<ReadonlySet<string>>;
  /** Ends streams of events and closes the state. */
  close(): Promise<void>;
}

export interface PageSurroundings {
  readonly catalog: Catalog;
  readonly sessions: PageSessions;
  readonly runtimes: RuntimeRegistry | undefined;
  /** How the origins of a gateway do. */
  readonly reports?: (() => readonly UpstreamReport[]) | undefined;
  readonly onerror: (error: Error) => void;
  /** Told after each decision. */
  readonly onDecision: () => void;
  /** Where the built page and the built thread are. Default: beside this file. */
  readonly built?: { readonly assets: URL; readonly worker: URL };
}

const pack = promisify(gzip);

export function servePage(options: ServePageOptions, surroundings: PageSurroundings): ServedPage {
  const { catalog, sessions, runtimes, onerror, onDecision } = surroundings;
  const built = surroundings.built ?? {
    assets: new URL('../../web/', import.meta.url),
    worker: new URL('./markdown-worker.js', import.meta.url),
  };
  const origins = options.originStates ?? servedOrigins(options.origins ?? [], () => review, surroundings.reports);
  const labelOf = (skill: SkillRecord): string => origins.labelOf(skill);
  const review: OpenPageReview = pageReview({
    store: options.store ?? (async () => memoryStore()),
    catalog,
    labelOf,
    onerror,
  });
  const assets = pageAssets(built.assets);
  const renderer = markdownRenderer(built.worker);
  const events = createPageEvents({ catalog, review, runtimes, onerror });
  const api = createPageApi({
    catalog,
    version: defaultServerInfo.version,
    origins,
    review,
    trial: pageTrial({ catalog, labelOf, isServed: served }),
    sessions,
    render: (text, base, signal) => renderer.render(text, base, signal),
    runtimes,
    onDecision() {
      onDecision();
      events.tell({ type: 'review' });
    },
  });

  async function served(snapshot: Snapshot): Promise<(skill: SkillRecord) => boolean> {
    const standingOf = await review.standings(snapshot, labelOf);
    return (skill) => {
      const { enabled, review: state } = standingOf(skill);
      return enabled && state !== 'denied';
    };
  }

  async function data(request: Request, url: URL): Promise<Response> {
    if (url.pathname === '/api/events' && request.method === 'GET') {
      const stream = events.open(request.signal);
      if (stream === undefined) return new Response('too many pages follow changes\n', { status: 503 });
      return new Response(stream, { headers: eventHeaders });
    }
    if (url.pathname === '/api/skills') review.follow();
    const plain = await plainRequest(request);
    const answer = plain === undefined ? tooLarge : await api.answer(plain);
    return answer === undefined ? new Response('not found\n', { status: 404 }) : packed(request, answer);
  }

  return {
    async answer(request, url) {
      if (isDataPath(url.pathname)) return data(request, url);
      return request.method === 'GET' || request.method === 'HEAD' ? assets.answer(request, url.pathname) : undefined;
    },
    async switchedOff(snapshot) {
      const isOn = await served(snapshot);
      return new Set(snapshot.skills.filter((skill) => !isOn(skill)).map(({ entry }) => entry.uri));
    },
    async close() {
      events.close();
      await renderer.close();
      await review.close();
    },
  };
}

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

/** Undefined where the body is too large. */
async function plainRequest(request: Request): Promise<PlainRequest | undefined> {
  const plain = toPlainRequest(request);
  if (request.body === null) return plain;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body) {
    length += piece.length;
    if (length > limits.page.bodyBytes) return undefined;
    pieces.push(piece);
  }
  return { ...plain, body: Buffer.concat(pieces) };
}

/** The answer, packed where it is large and the browser can unpack it. */
async function packed(request: Request, answer: PlainAnswer): Promise<Response> {
  const { body } = answer;
  const packs = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (!packs || typeof body !== 'string' || body.length < limits.page.packedBytes) return toResponse(answer);
  const bytes = new Uint8Array(await pack(body, { level: 4 }));
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'Origin, Cookie, Accept-Encoding' };
  return toResponse({ ...answer, headers, body: { length: bytes.length, parts: [bytes] } });
}
