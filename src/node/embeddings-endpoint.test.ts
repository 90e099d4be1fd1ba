import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { embeddingsEndpoint } from './embeddings-endpoint.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function endpoint(status: number, answer: string, requests: ReceivedRequest[] = []): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`;
}

const { signal } = new AbortController();

test('embeddingsEndpoint() sends model, texts and key, and orders the vectors by their index', async () => {
  const requests: ReceivedRequest[] = [];
  const rows = {
    data: [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ],
  };
  const url = await endpoint(200, JSON.stringify(rows), requests);
  const embedder = embeddingsEndpoint({ url, model: 'small', key: 'a-secret-key' });
  expect(await embedder.embed(['one', 'two'], signal)).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    model: 'small',
    input: ['one', 'two'],
    encoding_format: 'float',
  });
  expect(requests[0]?.headers.authorization).toBe('Bearer a-secret-key');
});

test.each([
  [401, '{}', 'NOT_AUTHORIZED'],
  [400, '{}', 'ORIGIN_FAILED'],
  [200, 'no json', 'BAD_ANSWER'],
  [200, '{"data":[]}', 'BAD_ANSWER'],
  [200, '{"data":[{"index":0}]}', 'BAD_ANSWER'],
  [200, '{"data":[{"index":4000000000,"embedding":[1]}]}', 'BAD_ANSWER'],
  [200, '{"data":[null]}', 'BAD_ANSWER'],
])(
  'embeddingsEndpoint() reports HTTP %i with %s as %s, without the key in the message',
  async (status, answer, code) => {
    const embedder = embeddingsEndpoint({ url: await endpoint(status, answer), model: 'small', key: 'a-secret-key' });
    const failure = await Promise.resolve(embedder.embed(['one'], signal)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain('a-secret-key');
  },
);
