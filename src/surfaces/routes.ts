/**
 * The route table: every path of the server, who may request it, and its handler. The first matching row wins. `node/http/` binds the handlers
 * and checks access. The table is here because surfaces use it too: ids of runtimes must not collide with routes, and the page needs its
 * own paths. Paths that other servers share are in `dialects/`.
 */
import {
  authPath,
  clusterPath,
  httpLoopPath,
  listedClientsPath,
  listedSkillsPath,
  liveSkillsPath,
  metaPath,
} from '../dialects/mdp/messages.ts';
import { folderV01, folderV02 } from '../dialects/well-known/index-places.ts';

/** Applies if readers need tokens. Otherwise `operator` means a reader on this machine, and everything else is open. */
export type WhoMay =
  /** Everybody. */
  | 'open'
  /** A token, or the anonymous profile. */
  | 'reader'
  /** A token with operator rights. */
  | 'operator'
  /** Like `reader`; the cookie of the page can replace the token. */
  | 'page'
  /** Runtimes, which have their own tokens. */
  | 'runtime';

export type RouteHandler =
  | 'mcp'
  | 'access'
  | 'site'
  | 'search'
  | 'session'
  | 'signIn'
  | 'data'
  | 'runtimes'
  | 'healthz'
  | 'readyz'
  | 'metrics'
  | 'status'
  | 'file'
  | 'page'
  | 'overview';

/** Label in the metrics. */
export type CountedAs = 'mcp' | 'site' | 'runtimes' | 'other';

export interface Route {
  /** Matches exactly, or as a prefix if it ends with `*`. */
  readonly path: string;
  /** Used instead of the path; captures the id of a runtime and the path of its skill. */
  readonly pattern?: RegExp;
  /** Allowed methods; others get 405. Absent: the handler decides. */
  readonly methods?: readonly string[];
  readonly who: WhoMay;
  /** Methods that may be answered without the Fetch API. */
  readonly plain?: readonly string[];
  readonly handler: RouteHandler;
  /** For all paths with the same first segment. Default `other`. */
  readonly countedAs?: CountedAs;
  /** `own`: only pages of this server and of `--allowed-origin` may request paths with this first segment, except rows with `any`. */
  readonly pages?: 'own' | 'any';
  /** True: a runtime may use the first segment as its id, so its skills are also at `/:id/skills/`. */
  readonly mayBeId?: boolean;
}

export const mcpPath = '/mcp';
export const dataPath = '/api';
/** A data route of the page; `surfaces/page/` defines the names. */
export const dataAt = (name: string): string => `${dataPath}/${name}`;
/** Sign-in at an identity provider. */
export const signInPath = '/auth/login';
/** The provider sends the browser here. */
export const signedInPath = '/auth/callback';
export const statusPath = '/status';
export const rootPath = '/';
export const assetsPath = '/assets/';
export const runtimeClientPath = '/runtime.js';
/** The only path with cookies for pages of other sites: tickets of `/mdp/auth`. */
export const runtimesPath = '/mdp/';

const reads = ['GET', 'HEAD'] as const;
const resourceMetadata = '/.well-known/oauth-protected-resource';
const serverMetadata = '/.well-known/oauth-authorization-server';

export const routes: readonly Route[] = [
  { path: mcpPath, who: 'reader', plain: ['POST'], handler: 'mcp', countedAs: 'mcp' },
  { path: resourceMetadata, methods: reads, who: 'open', handler: 'access', countedAs: 'site' },
  { path: `${resourceMetadata}/*`, methods: reads, who: 'open', handler: 'access' },
  { path: serverMetadata, methods: reads, who: 'open', handler: 'access' },
  { path: `${serverMetadata}/*`, methods: reads, who: 'open', handler: 'access' },
  { path: `/${folderV02}/*`, methods: reads, who: 'reader', plain: reads, handler: 'site' },
  { path: `/${folderV01}/*`, methods: reads, who: 'reader', plain: reads, handler: 'site' },
  { path: dataAt('search'), methods: reads, who: 'page', plain: reads, handler: 'search', pages: 'own' },
  // Signing in (POST) is open.
  { path: dataAt('session'), who: 'page', handler: 'session' },
  { path: dataPath, who: 'page', handler: 'data' },
  { path: dataAt('*'), who: 'page', handler: 'data' },
  { path: signInPath, methods: reads, who: 'open', handler: 'signIn' },
  { path: signedInPath, methods: reads, who: 'open', handler: 'signIn' },
  { path: metaPath, who: 'runtime', handler: 'runtimes', countedAs: 'runtimes', pages: 'own' },
  { path: authPath, who: 'runtime', handler: 'runtimes', pages: 'any' },
  { path: `${httpLoopPath}/*`, who: 'runtime', handler: 'runtimes', pages: 'any' },
  { path: listedSkillsPath, who: 'reader', handler: 'runtimes' },
  { path: listedClientsPath, who: 'reader', handler: 'runtimes' },
  { path: clusterPath, who: 'reader', handler: 'runtimes' },
  { path: `${runtimesPath}*`, who: 'reader', handler: 'runtimes' },
  { path: '/healthz', methods: reads, who: 'open', handler: 'healthz' },
  { path: '/readyz', methods: reads, who: 'open', handler: 'readyz' },
  { path: '/metrics', methods: reads, who: 'operator', handler: 'metrics', pages: 'own' },
  { path: statusPath, methods: reads, who: 'operator', handler: 'status', pages: 'own', mayBeId: true },
  { path: `${assetsPath}*`, methods: reads, who: 'open', handler: 'file' },
  { path: '/favicon.svg', methods: reads, who: 'open', handler: 'file', mayBeId: true },
  // The client for live programs in pages, also in pages of other origins.
  { path: runtimeClientPath, methods: reads, who: 'open', handler: 'file', mayBeId: true },
  // The built page, which contains no data; if it was not built, the overview for readers.
  { path: rootPath, methods: reads, who: 'open', handler: 'page' },
  { path: '/ui/plain', methods: reads, who: 'page', handler: 'overview' },
  {
    path: `${liveSkillsPath}/:id/*`,
    pattern: new RegExp(`^${liveSkillsPath}/([^/]+)/(.+)$`),
    who: 'reader',
    handler: 'runtimes',
    countedAs: 'runtimes',
  },
  {
    path: `/:id${liveSkillsPath}/*`,
    pattern: new RegExp(`^/(.+?)${liveSkillsPath}/(.+)$`),
    who: 'reader',
    handler: 'runtimes',
  },
];

/** The first segment of a path, or of a request target. */
function firstSegment(path: string): string {
  return /^\/([^/?]*)/.exec(path)?.[1] ?? '';
}

const named = routes.filter(({ path }) => path !== rootPath && !path.startsWith('/:'));

function segmentsOf(chosen: (route: Route) => boolean): ReadonlySet<string> {
  return new Set(named.filter(chosen).map(({ path }) => firstSegment(path)));
}

const exact = new Map(routes.filter(({ path }) => !path.endsWith('*')).map((route) => [route.path, route]));
const below = routes
  .filter(({ path, pattern }) => path.endsWith('*') && pattern === undefined)
  .map((route) => ({ route, prefix: route.path.slice(0, -1) }));
const reservedSegments = segmentsOf(({ mayBeId }) => mayBeId !== true);
const ownSegments = segmentsOf(({ pages }) => pages === 'own');
const labels = new Map(
  named.flatMap(({ path, countedAs }) => (countedAs === undefined ? [] : [[firstSegment(path), countedAs]])),
);

/** @param path without a query */
export function routeOf(path: string): Route | undefined {
  return exact.get(path) ?? below.find(({ prefix }) => path.startsWith(prefix))?.route ?? liveSkillAt(path)?.route;
}

export interface LiveSkillPath {
  readonly route: Route;
  /** As written in the path. */
  readonly id: string;
  readonly path: string;
}

/** The skill of a runtime at a path. In the second form, reserved first segments are not ids. */
export function liveSkillAt(pathname: string): LiveSkillPath | undefined {
  for (const route of routes) {
    const [, id, path] = route.pattern?.exec(pathname) ?? [];
    if (id === undefined || path === undefined) continue;
    return route.path.startsWith('/:') && reservedSegments.has(firstSegment(pathname))
      ? undefined
      : { route, id, path };
  }
  return undefined;
}

/** True if a request may be answered without the Fetch API. */
export function isPlain(method: string, target: string): boolean {
  return routeOf(pathOf(target))?.plain?.includes(method) === true;
}

/** A request target without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

export function countedAs(target: string): CountedAs {
  return labels.get(firstSegment(target)) ?? 'other';
}

/** True if pages on other ports of our hosts may not request this. */
export function isForOwnPages(path: string): boolean {
  return ownSegments.has(firstSegment(path)) && routeOf(path)?.pages !== 'any';
}

/** True if runtimes may open a WebSocket on this path: on all but the routes of the protocol itself. */
export function takesSockets(path: string): boolean {
  return !routes.some((route) => {
    const place = route.path.replace(/\/\*$/, '');
    return place.startsWith(runtimesPath) && (path === place || path.startsWith(`${place}/`));
  });
}
