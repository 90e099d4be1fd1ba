/**
 * The route table: every path of the server, with who may ask and what answers. The first row that matches wins. `node/http/` binds the
 * handlers and lets requests in; the table itself stands here because surfaces read it too: ids of live skills may not be taken for
 * another route, and the page's data knows where it is. Paths that clients of other servers also use are named in `dialects/`.
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

/** If readers need tokens. Otherwise `operator` means a reader on this machine, and everything else is open. */
export type WhoMay =
  /** Everybody, without a token. */
  | 'open'
  /** A token, or the profile for those without one. */
  | 'reader'
  /** A token with the right of an operator. */
  | 'operator'
  /** As a reader; the cookie of the page stands for its token. */
  | 'page'
  /** Runtimes, which have tokens of their own. */
  | 'runtime';

export type RouteHandler =
  | 'mcp'
  | 'access'
  | 'site'
  | 'search'
  | 'session'
  | 'data'
  | 'runtimes'
  | 'healthz'
  | 'readyz'
  | 'metrics'
  | 'status'
  | 'file'
  | 'page'
  | 'overview';

/** The label of requests in the metrics. */
export type CountedAs = 'mcp' | 'site' | 'runtimes' | 'other';

export interface Route {
  /** Matches exactly, or everything below if it ends in `*`. */
  readonly path: string;
  /** Matches instead of the path: the id of a runtime and the path of its skill. */
  readonly pattern?: RegExp;
  /** Others are answered 405. Absent: the handler decides. */
  readonly methods?: readonly string[];
  readonly who: WhoMay;
  /** The methods that may be answered without the Fetch API. */
  readonly plain?: readonly string[];
  readonly handler: RouteHandler;
  /** For all paths with the same first segment. Default `other`. */
  readonly countedAs?: CountedAs;
  /** `own`: only pages of this server and of `--allowed-origin` may ask for paths with this first segment, but for rows with `any`. */
  readonly pages?: 'own' | 'any';
  /** True: a runtime may have the first segment as its id, and its skills are reachable at `/:id/skills/` too. */
  readonly mayBeId?: boolean;
}

export const mcpPath = '/mcp';
export const dataPath = '/api';
/** A data route of the page: `surfaces/page/` has their names. */
export const dataAt = (name: string): string => `${dataPath}/${name}`;
export const statusPath = '/status';
export const rootPath = '/';
export const assetsPath = '/assets/';
/** Cookies of other sites' pages count below here alone: tickets of `/mdp/auth`. */
export const runtimesPath = '/mdp/';

const reads = ['GET', 'HEAD'] as const;
const resourceMetadata = '/.well-known/oauth-protected-resource';
const serverMetadata = '/.well-known/oauth-authorization-server';

export const routes: readonly Route[] = [
  { path: mcpPath, who: 'reader', plain: ['POST'], handler: 'mcp', countedAs: 'mcp' },
  { path: resourceMetadata, who: 'open', handler: 'access', countedAs: 'site' },
  { path: `${resourceMetadata}/*`, who: 'open', handler: 'access' },
  { path: serverMetadata, who: 'open', handler: 'access' },
  { path: `${serverMetadata}/*`, who: 'open', handler: 'access' },
  { path: `/${folderV02}/*`, methods: reads, who: 'reader', plain: reads, handler: 'site' },
  { path: `/${folderV01}/*`, methods: reads, who: 'reader', plain: reads, handler: 'site' },
  { path: dataAt('search'), methods: reads, who: 'page', plain: reads, handler: 'search', pages: 'own' },
  // Signing in, which is a POST, is open.
  { path: dataAt('session'), who: 'page', handler: 'session' },
  { path: dataPath, who: 'page', handler: 'data' },
  { path: dataAt('*'), who: 'page', handler: 'data' },
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
  { path: `${assetsPath}*`, who: 'open', handler: 'file' },
  { path: '/favicon.svg', who: 'open', handler: 'file', mayBeId: true },
  // The page if it was built, which holds no data; else the overview, for readers.
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

export interface LiveSkillPlace {
  readonly route: Route;
  /** Both as they stand in the path. */
  readonly id: string;
  readonly path: string;
}

/** The skill of a runtime that a path names. Reserved first segments are no id in the second form. */
export function liveSkillAt(pathname: string): LiveSkillPlace | undefined {
  for (const route of routes) {
    const [, id, path] = route.pattern?.exec(pathname) ?? [];
    if (id === undefined || path === undefined) continue;
    return route.path.startsWith('/:') && reservedSegments.has(firstSegment(pathname))
      ? undefined
      : { route, id, path };
  }
  return undefined;
}

/** Whether a request may be answered without the Fetch API. */
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

/** Whether pages of other ports of our names may not ask for this. */
export function isForOwnPages(path: string): boolean {
  return ownSegments.has(firstSegment(path)) && routeOf(path)?.pages !== 'any';
}

/** Whether a WebSocket on this path may be a runtime's: on all but the routes of the protocol itself. */
export function takesSockets(path: string): boolean {
  return !routes.some((route) => {
    const place = route.path.replace(/\/\*$/, '');
    return place.startsWith(runtimesPath) && (path === place || path.startsWith(`${place}/`));
  });
}
