import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installTelemetry } from './open-telemetry.ts';
import { readTraceParent, writeTraceParent } from './trace-parent.ts';
import { otherProtocol, wantedTelemetry } from './wanted-telemetry.ts';

const endpoint = 'http://127.0.0.1:4318';
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'True' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, { traces: true, metrics: true }],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRICS_EXPORTER: 'none' },
    { traces: true, metrics: false },
  ],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }, { traces: false, metrics: true }],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
])('%j enables %j', (env, wanted) => {
  expect(wantedTelemetry(env)).toEqual(wanted);
});

test('only the protocol of a wanted signal matters', () => {
  const both = { traces: true, metrics: true };
  expect(otherProtocol({}, both)).toBeUndefined();
  expect(otherProtocol({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, both)).toBeUndefined();
  expect(otherProtocol({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, both)).toBe('grpc');
  const env = { OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json' };
  expect(otherProtocol(env, both)).toBe('http/json');
  expect(otherProtocol(env, { traces: true, metrics: false })).toBeUndefined();
});

test.each([
  [`00-${trace}-${span}-01`, 1],
  [`00-${trace}-${span}-00`, 0],
  [`00-${trace}-${span}-ff`, 1],
  [`01-${trace}-${span}-01-more`, 1],
])('%s is a parent', (header, traceFlags) => {
  expect(readTraceParent(header)).toEqual({ traceId: trace, spanId: span, traceFlags, isRemote: true });
});

test.each([
  undefined,
  '',
  `00-${trace}-${span}-01-more`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
])('%s is no parent', (header) => {
  expect(readTraceParent(header)).toBeUndefined();
});

test('a written parent is read', () => {
  const parent = { traceId: trace, spanId: span, traceFlags: 1 };
  expect(readTraceParent(writeTraceParent(parent))).toEqual({ ...parent, isRemote: true });
});

test('the message names every optional package', () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { peerDependencies } = JSON.parse(readFileSync(file, 'utf8')) as { peerDependencies: Record<string, string> };
  const peers = Object.keys(peerDependencies).filter((name) => name.startsWith('@opentelemetry/'));
  const named = [...installTelemetry.matchAll(/(@opentelemetry\/[\w-]+)@/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(peers.sort());
});
