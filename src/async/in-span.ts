/** Spans of a trace, for rooms that know nothing about tracing. */

/** Work that a trace shows. */
export interface TracedWork {
  readonly name: string;
  /** `catalog`: a part of a request, and not shown without one. `origin`: a call to another place, shown by itself if nobody requested it. */
  readonly kind: 'catalog' | 'origin';
  /** Never a URI or a text of a skill. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Runs work within a span, which ends when the work is done. The result, synchronous or not, is that of the work. */
export type InSpan = <Value>(span: TracedWork, work: () => Value) => Value;

/** Tracing of calls to origins. */
export interface CallTracing {
  readonly inSpan: InSpan;
  /** The value of the header `traceparent` for calls of the current span. */
  traceParent(): string | undefined;
}
