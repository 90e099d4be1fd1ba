/** A collector on loopback: takes OTLP over HTTP with protobuf, and shows the names, ids and attributes that were sent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The fields of a message by number. */
type Fields = ReadonlyMap<number, readonly Buffer[]>;

export async function otlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const server = createServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (message.headers['content-type'] !== 'application/x-protobuf') response.statusCode = 415;
    else if (message.url === '/v1/traces') spans.push(...spansIn(body));
    else if (message.url === '/v1/metrics') for (const name of metricsIn(body)) metrics.add(name);
    else response.statusCode = 404;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return all(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const service = attributesOf(all(resourceSpans, 1)[0], 1)['service.name'] ?? '';
    return all(resourceSpans, 2).flatMap((scope) =>
      all(scope, 2).map((span) => ({
        service,
        name: text(span, 5),
        traceId: bytes(span, 1).toString('hex'),
        spanId: bytes(span, 2).toString('hex'),
        parentId: bytes(span, 4).toString('hex'),
        attributes: attributesOf(span, 9),
      })),
    );
  });
}

function metricsIn(body: Buffer): readonly string[] {
  const scopes = all(fieldsOf(body), 1).flatMap((resource) => all(resource, 2));
  return scopes.flatMap((scope) => all(scope, 2).map((metric) => text(metric, 1)));
}

function attributesOf(fields: Fields | undefined, number: number): Record<string, string> {
  if (fields === undefined) return {};
  return Object.fromEntries(
    all(fields, number).map((pair) => [text(pair, 1), all(pair, 2)[0] === undefined ? '' : text(all(pair, 2)[0], 1)]),
  );
}

const all = (fields: Fields, number: number): readonly Fields[] => (fields.get(number) ?? []).map(fieldsOf);
const bytes = (fields: Fields, number: number): Buffer => fields.get(number)?.[0] ?? Buffer.alloc(0);
const text = (fields: Fields | undefined, number: number): string =>
  fields === undefined ? '' : bytes(fields, number).toString('utf8');

/** The wire format of protobuf: only fields with a length have content that we need. */
function fieldsOf(body: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = body[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < body.length) {
    const key = varint();
    const type = key & 7;
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else {
      const length = varint();
      const number = Math.floor(key / 8);
      fields.set(number, [...(fields.get(number) ?? []), body.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}
