/** The header `traceparent` of W3C Trace Context. */
import type { SpanContext } from '@opentelemetry/api';

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const none = /^0+$/;

/** The span that sent a request; `undefined` if the header is absent or malformed. */
export function readTraceParent(header: string | readonly string[] | undefined): SpanContext | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] = form.exec(String(header ?? '')) ?? [];
  // Later versions may add fields; the first one has none, and "ff" is not a version.
  if (traceId === '' || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (none.test(traceId) || none.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function writeTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
