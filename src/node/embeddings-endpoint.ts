/**
 * An embedder for OpenAI-compatible endpoints: `POST {url}` with `model` and `input` returns `data[].embedding`. Requests go through the
 * guarded client. The key is sent to this host only and appears in no message.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { Embedder } from '../search/embedder.ts';
import { isJsonObject } from '../skill/json.ts';

/** An embeddings endpoint and its model. */
export interface EmbeddingsEndpoint {
  /** Full URL, for example `https://api.openai.com/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** Allow plain http to another machine. */
  readonly insecureHttp?: boolean | undefined;
  readonly onFailure?: (error: unknown) => void;
}

/** An embedder that calls an OpenAI-compatible endpoint (`POST …/embeddings`). */
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
        `Cannot embed texts: ${where} does not accept the key (HTTP ${status}). Check "keyEnv".`,
      );
    if (status !== 200)
      throw new SkillwireError(
        'ORIGIN_FAILED',
        `Cannot embed texts: ${where} answered HTTP ${status}. Check its address and key.`,
      );
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
    // The caller reports a response without vectors.
    return undefined;
  }
}

function badAnswer(where: string): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot embed texts: the response of ${where} has no "data" list with an "embedding" for each text. Check its address and model.`,
  );
}
