/**
 * An embedder behind an endpoint that speaks the OpenAI form: `POST {url}` with `model` and `input`, answered with `data[].embedding`. The
 * request goes through the guarded client; the key is sent to this host only and is in no message.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { Embedder } from '../search/embedder.ts';
import { isJsonObject } from '../skill/json.ts';

/** Where texts are embedded, and by which model. */
export interface EmbeddingsEndpoint {
  /** The whole address, for example `https://api.openai.com/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** Allow plain http to another machine. */
  readonly insecureHttp?: boolean | undefined;
  readonly onFailure?: (error: unknown) => void;
}

/** An embedder that asks an endpoint which speaks the form of OpenAI, by `POST …/embeddings`. */
export function embeddingsEndpoint({ url, model, key, insecureHttp, onFailure }: EmbeddingsEndpoint): Embedder {
  const client = createHttpClient({ trustedHost: new URL(url).hostname, insecureHttp: insecureHttp === true });
  const where = client.check(url);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };

  async function embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]> {
    const { status, body } = await client.request({
      url,
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal,
      deadlineMs: limits.search.embedMs,
      idempotent: true,
    });
    if (status === 401 || status === 403)
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        `cannot embed texts: ${where} does not accept the key (HTTP ${status})`,
      );
    if (status !== 200)
      throw new SkillwireError('ORIGIN_FAILED', `cannot embed texts: ${where} answered HTTP ${status}`);
    return vectorsIn(body, where);
  }

  return { embed, onFailure };
}

function vectorsIn(body: Uint8Array, where: string): readonly ArrayLike<number>[] {
  const vectors: number[][] = [];
  const answer = parsed(body);
  for (const row of isJsonObject(answer) && Array.isArray(answer['data']) ? answer['data'] : []) {
    const { index, embedding } = isJsonObject(row) ? row : {};
    const place = typeof index === 'number' ? index : vectors.length;
    if (!Array.isArray(embedding) || !(place >= 0 && place < limits.search.embeddedAtOnce)) throw badAnswer(where);
    vectors[place] = embedding as number[];
  }
  if (vectors.length === 0) throw badAnswer(where);
  return vectors;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    // The caller reports an answer without vectors.
    return undefined;
  }
}

function badAnswer(where: string): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `cannot embed texts: the answer of ${where} has no list "data" with an "embedding" each`,
  );
}
