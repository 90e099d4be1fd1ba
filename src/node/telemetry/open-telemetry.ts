/**
 * Sends traces and metrics to a collector with the OpenTelemetry SDK, whose packages are optional and loaded only here. The SDK reads its usual
 * variables from the environment of the process: addresses, headers, sampling, intervals. Nothing is registered globally except the log of
 * the SDK, so a program that embeds a server keeps its own telemetry.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Context, Span } from '@opentelemetry/api';
import type { CallTracing } from '../../async/in-span.ts';
import { codeOf, reasonOf } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { countedAs } from '../../surfaces/routes.ts';
import { type MetricRow, metricData } from './metric-data.ts';
import { readTraceParent, writeTraceParent } from './trace-parent.ts';
import { otherProtocol, type WantedTelemetry } from './wanted-telemetry.ts';

export interface Telemetry {
  /** Absent if only metrics are sent. */
  readonly tracing?: Tracing;
  /** Sends what the function reads, at the interval of the SDK, until the telemetry is closed. */
  sendMetrics(read: () => Promise<readonly MetricRow[]>): void;
  /** Sends what is left, for a limited time. */
  close(): Promise<void>;
}

export interface Tracing extends CallTracing {
  /** Answers a request within a span, which ends with the answer. */
  request(message: IncomingMessage, response: ServerResponse, answer: () => void): void;
}

export interface TelemetryOptions {
  readonly version: string;
  readonly replica: string;
  readonly log: (line: string) => void;
}

/** The message for a missing package names all of them. */
export const installTelemetry = [
  'npm install @opentelemetry/api@1.9 @opentelemetry/resources@2 @opentelemetry/sdk-trace-base@2',
  '@opentelemetry/exporter-trace-otlp-proto@0.223 @opentelemetry/sdk-metrics@2',
  '@opentelemetry/exporter-metrics-otlp-proto@0.223',
].join(' ');

async function loadPackages() {
  const [api, resources, traces, traceExport, metrics, metricExport] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-metrics-otlp-proto'),
  ]);
  return { api, resources, traces, traceExport, metrics, metricExport };
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** `undefined` if it cannot be used; then the log says why, and the server runs without it. */
export async function openTelemetry(
  wanted: WantedTelemetry,
  options: TelemetryOptions,
): Promise<Telemetry | undefined> {
  const { log } = options;
  const protocol = otherProtocol(process.env, wanted);
  if (protocol !== undefined) {
    log(
      `warning: Telemetry is off: the protocol "${protocol}" is not supported. ` +
        'Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf, or remove it.',
    );
    return undefined;
  }
  let packages: Packages;
  try {
    packages = await loadPackages();
  } catch (error) {
    const reason = codeOf(error) === 'ERR_MODULE_NOT_FOUND' ? 'packages are missing' : reasonOf(error);
    log(`warning: Telemetry is off: ${reason}. Install the packages beside Skillwire: ${installTelemetry}`);
    return undefined;
  }
  logFailures(packages, log);
  return startTelemetry(packages, wanted, options);
}

/** The SDK repeats an error with each batch, so each is logged once. */
function logFailures({ api }: Packages, log: (line: string) => void): void {
  const logged = new Set<string>();
  const error = (...parts: unknown[]): void => {
    const text = parts.map(String).join(' ').slice(0, limits.telemetry.messageCharacters);
    if (logged.has(text) || logged.size >= limits.telemetry.messages) return;
    logged.add(text);
    log(`warning: OpenTelemetry: ${text}`);
  };
  const ignore = (): void => undefined;
  api.diag.setLogger(
    { error, warn: error, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function startTelemetry(packages: Packages, wanted: WantedTelemetry, options: TelemetryOptions): Telemetry {
  const { resources, traces, traceExport, metrics, metricExport, api } = packages;
  const { version, replica } = options;
  const resource = resources
    .defaultResource()
    .merge(
      resources.resourceFromAttributes({
        'service.name': 'skillwire',
        'service.version': version,
        'service.instance.id': replica,
      }),
    )
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const closing: (() => Promise<void>)[] = [];
  let tracing: Tracing | undefined;
  if (wanted.traces) {
    const provider = new traces.BasicTracerProvider({
      resource,
      spanProcessors: [new traces.BatchSpanProcessor(new traceExport.OTLPTraceExporter())],
    });
    tracing = createTracing(packages, provider.getTracer('skillwire', version));
    closing.push(() => provider.shutdown());
  }
  return {
    ...(tracing === undefined ? {} : { tracing }),
    sendMetrics(read) {
      if (!wanted.metrics) return;
      const started = Date.now();
      const producer = {
        async collect() {
          const rows = metricData(await read(), started, Date.now(), metrics, api.ValueType.DOUBLE);
          const scopeMetrics = [{ scope: { name: 'skillwire', version }, metrics: rows }];
          return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
        },
      };
      const everyMs = Number(process.env['OTEL_METRIC_EXPORT_INTERVAL'] ?? '');
      const reader = new metrics.PeriodicExportingMetricReader({
        exporter: new metricExport.OTLPMetricExporter(),
        metricProducers: [producer],
        ...(everyMs > 0 ? { exportIntervalMillis: everyMs, exportTimeoutMillis: everyMs } : {}),
      });
      const provider = new metrics.MeterProvider({ resource, readers: [reader] });
      closing.push(() => provider.shutdown());
    },
    async close() {
      const timer = new AbortController();
      // A collector that is away must not delay the end.
      const patience = setTimeout(limits.telemetry.closeMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(closing.map((close) => close())), patience]);
      timer.abort();
    },
  };
}

function createTracing({ api }: Packages, tracer: ReturnType<Packages['api']['trace']['getTracer']>): Tracing {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const current = new AsyncLocalStorage<Context>();

  function failed(span: Span, error: unknown): void {
    // The message of an error may quote an origin or a skill, so only its code is sent.
    span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) ?? 'INTERNAL' });
    span.end();
  }

  return {
    inSpan({ name, kind, attributes }, work) {
      const around = current.getStore();
      if (around === undefined && kind === 'catalog') return work();
      const parent = around ?? ROOT_CONTEXT;
      const type = kind === 'origin' ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(name, { kind: type, attributes }, parent);
      try {
        const value = current.run(trace.setSpan(parent, span), work);
        if (!(value instanceof Promise)) {
          span.end();
          return value;
        }
        value.then(
          () => span.end(),
          (error: unknown) => failed(span, error),
        );
        return value;
      } catch (error) {
        failed(span, error);
        throw error;
      }
    },
    request(message, response, answer) {
      const { method = 'GET', url = '/' } = message;
      const surface = countedAs(url);
      const sender = readTraceParent(message.headers.traceparent);
      const parent = sender === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sender);
      const attributes = { 'http.request.method': method, 'skillwire.surface': surface };
      const span = tracer.startSpan(`${method} ${surface}`, { kind: SpanKind.SERVER, attributes }, parent);
      response.once('close', () => {
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      current.run(trace.setSpan(parent, span), answer);
    },
    traceParent() {
      const context = current.getStore();
      const span = context === undefined ? undefined : trace.getSpanContext(context);
      return span === undefined ? undefined : writeTraceParent(span);
    },
  };
}
