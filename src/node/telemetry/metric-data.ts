/** The rows of `/metrics` in the form of the OpenTelemetry SDK, so that both have the same names and numbers. */
import type { HrTime } from '@opentelemetry/api';
import type { MetricData } from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export type MetricRow = Pick<MetricObjectWithValues<MetricValue<string>>, 'name' | 'help' | 'values'> & {
  readonly type: unknown;
};

type Sdk = Pick<typeof import('@opentelemetry/sdk-metrics'), 'AggregationTemporality' | 'DataPointType'>;

/** Counters and gauges. Histograms and summaries of the Node process stay on `/metrics`. @param started of the server, in ms since 1970 */
export function metricData(
  rows: readonly MetricRow[],
  started: number,
  now: number,
  sdk: Sdk,
  doubles: number,
): MetricData[] {
  return rows.flatMap(({ name, help, type, values }): MetricData[] => {
    if (type !== 'counter' && type !== 'gauge') return [];
    const shared = {
      descriptor: { name, description: help, unit: name.includes('_seconds') ? 's' : '', valueType: doubles },
      aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
      dataPoints: values.map(({ labels, value }) => ({
        startTime: time(started),
        endTime: time(now),
        attributes: Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, String(text)])),
        value,
      })),
    };
    return type === 'counter'
      ? [{ ...shared, dataPointType: sdk.DataPointType.SUM, isMonotonic: true }]
      : [{ ...shared, dataPointType: sdk.DataPointType.GAUGE }];
  });
}

function time(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}
