/** A real endpoint with the API of OpenAI that embeds texts by three topics, and records its requests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const topics = [/horse|stable|equine/i, /money|invoice|bill/i, /ship|sea|harbor/i];

export interface EmbeddingsServer {
  readonly url: string;
  /** Texts that were sent, in order. */
  readonly texts: string[];
  /** The header of each request. */
  readonly authorizations: (string | undefined)[];
  /** The status of answers from now on. */
  status: number;
  /** How many zeros follow the topics. */
  padding: number;
}

export async function startEmbeddings(): Promise<EmbeddingsServer> {
  const state: { -readonly [Key in keyof EmbeddingsServer]: EmbeddingsServer[Key] } = {
    url: '',
    texts: [],
    authorizations: [],
    status: 200,
    padding: 0,
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    state.authorizations.push(request.headers.authorization);
    const { input } = JSON.parse(body) as { input: string[] };
    state.texts.push(...input);
    const vector = (text: string): number[] => [
      0.1,
      ...topics.map((topic) => (topic.test(text) ? 1 : 0)),
      ...new Array<number>(state.padding).fill(0),
    ];
    const data = input.map((text, index) => ({ index, embedding: vector(text) }));
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`;
  return state;
}
