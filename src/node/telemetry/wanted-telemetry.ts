/** Which telemetry the usual variables of OpenTelemetry enable. Loads nothing, so a server without telemetry pays nothing. */

type Environment = Readonly<Record<string, string | undefined>>;

export interface WantedTelemetry {
  readonly traces: boolean;
  readonly metrics: boolean;
}

/** `undefined` if none is enabled. */
export function wantedTelemetry(env: Environment): WantedTelemetry | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  const wanted = (signal: 'TRACES' | 'METRICS'): boolean => {
    const places = [env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`], env['OTEL_EXPORTER_OTLP_ENDPOINT']];
    return places.some((place) => (place ?? '') !== '') && env[`OTEL_${signal}_EXPORTER`]?.trim() !== 'none';
  };
  const found = { traces: wanted('TRACES'), metrics: wanted('METRICS') };
  return found.traces || found.metrics ? found : undefined;
}

/** The protocol that a signal is to use, if it is not the one that we send. */
export function otherProtocol(env: Environment, wanted: WantedTelemetry): string | undefined {
  const usual = env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  const named = [
    wanted.traces ? (env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? usual) : undefined,
    wanted.metrics ? (env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] ?? usual) : undefined,
  ];
  return named.find((protocol) => (protocol ?? '') !== '' && protocol !== 'http/protobuf');
}
