/**
 * `/metrics` for Prometheus. Other modules count plain numbers; names are added only for a scrape, so a server without scrapes pays
 * nothing. Labels are those of the operator. No URI, address or skill text appears.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { UpstreamReport, UpstreamState } from '../../transforms/upstream-report.ts';
import type { MetricRow } from '../telemetry/metric-data.ts';
import type { ReplicaReport } from './replica-report.ts';
import type { RequestCount } from './request-counts.ts';

export interface MetricsFacts {
  readonly version: string;
  readonly replica: string;
  readonly origins: readonly UpstreamReport[];
  readonly requests: readonly RequestCount[];
  readonly skills: number;
  readonly listed: number;
  readonly findings: Readonly<Record<'problem' | 'warning' | 'note', number>>;
  /** Applied and rejected configuration reloads since the start. */
  readonly reloads: Readonly<Record<'applied' | 'refused', number>>;
  /** Absent without a shared store. */
  readonly replicas?: ReplicaReport | undefined;
}

const states: readonly UpstreamState[] = [
  'pending',
  'ok',
  'stale',
  'unauthorized',
  'unreachable',
  'no-extension',
  'empty',
  'invalid',
];

type Labels = Readonly<Record<string, string>>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `skillwire_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: readonly string[]) => {
    const made = new Counter({ name: `skillwire_${name}`, help, labelNames, registers });
    return { reset: () => made.reset(), set: (labels: Labels, value: number) => made.inc(labels, value) };
  };
  const info = gauge('info', 'Running version.', ['version', 'replica']);
  const skills = gauge('skills', 'Served skills.', ['listed']);
  const findings = gauge('findings', 'Findings about served skills.', ['level']);
  const state = gauge('origin_state', '1 for the current state of an origin.', ['origin', 'kind', 'state']);
  const since = gauge('origin_state_since_seconds', 'Start of the current state, Unix time.', ['origin']);
  const ofOrigin = gauge('origin_skills', 'Skills of an origin.', ['origin']);
  const refused = gauge('origin_refused_entries', 'Rejected entries of an origin.', ['origin']);
  const listed = gauge('origin_listed_seconds', 'Last good listing of an origin, Unix time.', ['origin']);
  const breaker = gauge('origin_breaker_open', '1 while the circuit breaker of an origin is open.', ['origin']);
  const calls = counter('origin_calls_total', 'Calls to an origin.', ['origin', 'outcome']);
  const callSeconds = counter('origin_call_seconds_total', 'Duration of calls to an origin.', ['origin']);
  const mismatches = counter('origin_mismatches_total', 'Files that failed verification.', ['origin']);
  const requests = counter('http_requests_total', 'Answered requests.', ['surface', 'status']);
  const requestSeconds = counter('http_request_seconds_total', 'Duration of requests.', ['surface', 'status']);
  const reloads = counter('configuration_reloads_total', 'Configuration reloads.', ['outcome']);

  /** Only servers with a shared store have these. */
  let describeReplicas: ReturnType<typeof replicaGauges> | undefined;

  function describeOrigin(report: UpstreamReport): void {
    const { label: origin, kind } = report;
    for (const one of states) state.set({ origin, kind, state: one }, one === report.state ? 1 : 0);
    since.set({ origin }, Date.parse(report.since) / 1_000);
    ofOrigin.set({ origin }, report.skills);
    refused.set({ origin }, report.refused);
    if (report.listedAt !== undefined) listed.set({ origin }, Date.parse(report.listedAt) / 1_000);
    breaker.set({ origin }, report.breaker === 'closed' ? 0 : 1);
    for (const outcome of ['ok', 'failed', 'refused'] as const) calls.set({ origin, outcome }, report.calls[outcome]);
    callSeconds.set({ origin }, report.calls.ms / 1_000);
    mismatches.set({ origin }, report.mismatches);
  }

  function fill(facts: MetricsFacts): void {
    const all = [info, skills, findings, state, since, ofOrigin, refused, listed, breaker];
    for (const one of [...all, calls, callSeconds, mismatches, requests, requestSeconds, reloads]) one.reset();
    info.set({ version: facts.version, replica: facts.replica }, 1);
    skills.set({ listed: 'true' }, facts.listed);
    skills.set({ listed: 'false' }, facts.skills - facts.listed);
    for (const [level, count] of Object.entries(facts.findings)) findings.set({ level }, count);
    for (const report of facts.origins) describeOrigin(report);
    for (const { surface, status, count, seconds } of facts.requests) {
      requests.set({ surface, status: String(status) }, count);
      requestSeconds.set({ surface, status: String(status) }, seconds);
    }
    for (const [outcome, count] of Object.entries(facts.reloads)) reloads.set({ outcome }, count);
    if (facts.replicas !== undefined) {
      describeReplicas ??= replicaGauges(gauge);
      describeReplicas(facts.replicas);
    }
  }

  return {
    contentType: registry.contentType,
    async text(facts: MetricsFacts): Promise<string> {
      fill(facts);
      return withoutEmptyLag(await registry.metrics());
    },
    /** The same as data. */
    async rows(facts: MetricsFacts): Promise<readonly MetricRow[]> {
      fill(facts);
      return registry.getMetricsAsJSON();
    },
  };
}

type MakeGauge = (name: string, help: string, labelNames?: readonly string[]) => Gauge;

function replicaGauges(gauge: MakeGauge): (report: ReplicaReport) => void {
  const applied = gauge('store_applied_entries', 'Last entry of the shared store that this server has applied.');
  const lag = gauge('store_lag_entries', 'Known entries of the shared store that this server has not applied.');
  const away = gauge('store_away_seconds', 'How long the shared store has been away; 0 while it answers.');
  const serves = gauge('store_serves', '0 if the shared store was away for too long, so requests get 503.');
  const replicas = gauge('store_replicas', 'Servers of the shared store.', ['state']);
  return (report) => {
    applied.set(report.applied);
    lag.set(report.lag);
    away.set(report.away === undefined ? 0 : Math.max(0, Date.now() - Date.parse(report.away.since)) / 1_000);
    serves.set(report.serves ? 1 : 0);
    replicas.reset();
    if (report.members === undefined) return;
    const live = report.members.filter((member) => member.live).length;
    replicas.set({ state: 'live' }, live);
    replicas.set({ state: 'silent' }, report.members.length - live);
  };
}

/** The delays of the event loop are recorded from the first scrape on. Before that, they would be NaN or the largest number. */
function withoutEmptyLag(text: string): string {
  return /^nodejs_eventloop_lag_mean_seconds nan$/im.test(text)
    ? text.replace(/^nodejs_eventloop_lag_\w+_seconds .*\n/gm, '')
    : text;
}

export type Metrics = ReturnType<typeof createMetrics>;
