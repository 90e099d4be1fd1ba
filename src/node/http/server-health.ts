/**
 * The health routes: `/healthz` (alive), `/readyz` (ready to answer), `/status` (the state of each origin, as JSON) and `/metrics`. `/status`
 * and `/metrics` contain addresses and folders, so they are for local readers and operators only.
 */
import { loadOnce } from '../../async/load-once.ts';
import { orElse } from '../../async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { ConfigurationReloads, ServedGateway } from '../../gateway/server-reports.ts';
import { limits } from '../../limits.ts';
import type { UnservedCounts } from '../../serving/serving-state.ts';
import { countFindings } from '../../skill/finding.ts';
import type { Store } from '../../store/store.ts';
import { defaultServerInfo } from '../../surfaces/mcp/server-options.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import type { MetricRow } from '../telemetry/metric-data.ts';
import type { Metrics, MetricsFacts } from './metrics.ts';
import { mayServe, type ReplicaReport, replicaReport } from './replica-report.ts';
import type { RequestCounts } from './request-counts.ts';
import { type GuardedHandler, textAnswer } from './routes.ts';

export interface HealthOptions {
  readonly gateway: ServedGateway | undefined;
  readonly replica: string;
  readonly requests: RequestCounts;
  /** True if the sender may see the state of the server. */
  readonly mayRead: (request: Request) => boolean;
  readonly metrics: boolean;
  /** Absent without a policy. */
  readonly unserved?: (() => UnservedCounts) | undefined;
  /** The store, if it is open. */
  readonly store: () => Promise<Store> | undefined;
  /** True while the server answers the last requests before it closes. */
  readonly draining: () => boolean;
}

/** The document at `/status`. */
export interface ServerStatus {
  readonly version: string;
  /** The name of this server. */
  readonly replica: string;
  /** ISO 8601: when the server started. */
  readonly since: string;
  readonly ready: boolean;
  readonly skills: number;
  readonly listed: number;
  /** Skills that are not served in their current version, by state; absent without a policy. */
  readonly unserved?: UnservedCounts | undefined;
  readonly findings: { readonly problems: number; readonly warnings: number; readonly notes: number };
  readonly origins: readonly UpstreamReport[];
  /** Absent if no configuration is followed. */
  readonly configuration?: ConfigurationReloads;
  /** Absent without a shared store. */
  readonly replicas?: ReplicaReport | undefined;
}

export type HealthHandlers = Readonly<Record<'healthz' | 'readyz' | 'status' | 'metrics', GuardedHandler | undefined>>;

const noStore = { 'cache-control': 'no-store' } as const;

export interface Health extends HealthHandlers {
  /** The metrics as data, for telemetry. */
  metricRows(): Promise<readonly MetricRow[]>;
}

export function healthHandlers(catalog: Catalog, options: HealthOptions): Health {
  const { gateway, requests, mayRead, replica } = options;
  const { version } = defaultServerInfo;
  const started = new Date().toISOString();
  const metrics = loadOnce(async (): Promise<Metrics> => (await import('./metrics.ts')).createMetrics());

  function reports(): readonly UpstreamReport[] {
    return gateway?.origins() ?? [];
  }

  async function status(): Promise<ServerStatus> {
    const snapshot = await loaded(catalog);
    const origins = reports();
    const configuration = gateway?.reloads?.();
    const replicas = await replicaReport(options.store());
    return {
      version,
      replica,
      since: started,
      ready: isReady(snapshot, origins) && replicas?.serves !== false && !options.draining(),
      skills: snapshot?.skills.length ?? 0,
      listed: listedCount(snapshot),
      unserved: options.unserved?.(),
      findings: countFindings(snapshot?.findings ?? []),
      origins,
      configuration,
      replicas,
    };
  }

  function guarded(page: () => Promise<Response>): GuardedHandler {
    return async (request) => (mayRead(request) ? page() : refused());
  }

  async function metricsFacts(): Promise<MetricsFacts> {
    const snapshot = await loaded(catalog);
    const { problems, warnings, notes } = countFindings(snapshot?.findings ?? []);
    const { applied = 0, refused = 0 } = gateway?.reloads?.() ?? {};
    return {
      version,
      replica,
      origins: reports(),
      requests: requests.read(),
      skills: snapshot?.skills.length ?? 0,
      listed: listedCount(snapshot),
      findings: { problem: problems, warning: warnings, note: notes },
      reloads: { applied, refused },
      replicas: await replicaReport(options.store()),
    };
  }

  async function metricsText(): Promise<Response> {
    const { contentType, text } = await metrics.get();
    const body = await text(await metricsFacts());
    return new Response(body, { headers: { 'content-type': contentType, ...noStore } });
  }

  return {
    metricRows: async () => (await metrics.get()).rows(await metricsFacts()),
    healthz: () => textAnswer(200, 'ok'),
    async readyz() {
      const snapshot = await loaded(catalog);
      const origins = reports();
      const draining = options.draining();
      const current = await mayServe(options.store());
      const ready = isReady(snapshot, origins) && current && !draining;
      const well = origins.filter(({ state }) => state === 'ok' || state === 'empty').length;
      const counted = origins.length === 0 ? '' : `: ${well} of ${origins.length} origins answer`;
      const word = ready ? 'ready' : draining ? 'closing' : current ? waitsFor(snapshot) : 'the shared store is away';
      return textAnswer(ready ? 200 : 503, `${word}${counted}`);
    },
    status: guarded(async () => Response.json(await status(), { headers: noStore })),
    metrics: options.metrics ? guarded(metricsText) : undefined,
  };
}

function refused(): Response {
  return textAnswer(
    403,
    'Forbidden: only readers on this machine may see this. Elsewhere, use an operator token (docs/guides/control-access.md).',
  );
}

/** Not ready: a gateway without a usable origin, and a server without skills one of whose folders is gone. */
function isReady(snapshot: Snapshot | undefined, origins: readonly Pick<UpstreamReport, 'state'>[]): boolean {
  if (snapshot === undefined) return false;
  const lost = snapshot.skills.length === 0 && snapshot.findings.some(({ rule }) => rule === 'root-unavailable');
  if (origins.length === 0) return !lost;
  return origins.some(({ state }) => ['ok', 'stale', 'empty'].includes(state));
}

function waitsFor(snapshot: Snapshot | undefined): string {
  return snapshot === undefined ? 'loading' : 'nothing to serve';
}

/** The number of skills in `skills/list`. */
function listedCount(snapshot: Snapshot | undefined): number {
  return snapshot === undefined ? 0 : offeredSkills(snapshot).length;
}

/** The snapshot, if it is available almost at once. */
async function loaded(catalog: Catalog): Promise<Snapshot | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limits.gateway.probeMs);
  });
  try {
    return await Promise.race([
      orElse<Snapshot | undefined>(
        () => catalog.snapshot(),
        () => undefined,
      ),
      later,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
