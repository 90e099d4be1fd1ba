/**
 * Lists the runtimes of a hub over plain HTTP. Our own hub lists them at `/mdp/skills` and `/mdp/clients`. The
 * reference server lists nothing over the network; the error suggests its MCP bridge. Texts come from the skill route.
 */
import {
  decodeListedRuntimes,
  decodeListedSkills,
  type ListedLiveSkill,
  type ListedRuntime,
} from '../../dialects/mdp/decode-listing.ts';
import { listedClientsPath, listedSkillsPath, liveSkillsPath, metaPath } from '../../dialects/mdp/messages.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { HttpAnswer, HttpClient } from '../../outbound/http-messages.ts';
import { asDeclared } from '../../runtimes/pending-calls.ts';
import type { CallOutcome } from '../../runtimes/runtime-registry.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { SourceContext } from '../skill-source.ts';
import { allRows, groupByRuntime, listingFindings, type RuntimeDirectory } from './runtime-directory.ts';

export interface HubOptions {
  /** `ws:`, `wss:`, `http:` or `https:`; only scheme, host and port count. */
  readonly url: string;
  readonly client: HttpClient;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HubDirectory extends RuntimeDirectory {
  clients(context: SourceContext): Promise<readonly ListedRuntime[]>;
}

/** A hub on the network, which may be restarted at any time. */
export interface NetworkHub extends HubDirectory {
  /** When the hub of the last listing started; `undefined` if it does not say so. */
  startedAt(): string | undefined;
}

export function hubDirectory({ url, client, headers = {} }: HubOptions): NetworkHub {
  const base = new URL(url.replace(/^ws/i, 'http')).origin;
  const name = `the hub at ${base}`;
  let known: readonly ListedLiveSkill[] = [];
  let unusable = 0;
  let startedAt: string | undefined;

  async function get(path: string, { signal, maxBytes = limits.origin.pageBytes }: SourceContext): Promise<HttpAnswer> {
    const answer = await client.request({ url: `${base}${path}`, headers, maxBytes, idempotent: true, signal });
    if (answer.status !== 401 && answer.status !== 403) return answer;
    throw new SkillwireError(
      'NOT_AUTHORIZED',
      `${name} answered ${answer.status}: ${quoteText(textOf(answer))}. Pass its token with --token-env.`,
      { data: { url: base, status: answer.status } },
    );
  }

  async function listing(path: string, cursor: string | undefined, context: SourceContext): Promise<unknown> {
    const answer = await get(cursor === undefined ? path : `${path}?cursor=${encodeURIComponent(cursor)}`, context);
    if (answer.status === 404) throw await notListed(context);
    if (answer.status !== 200)
      throw new SkillwireError('ORIGIN_FAILED', `${name} answered ${answer.status} to "${path}".`, {
        data: { url: base, status: answer.status },
      });
    return jsonOf(answer);
  }

  async function notListed(context: SourceContext): Promise<SkillwireError> {
    const meta = jsonOf(await get(metaPath, context));
    const isMdp = isJsonObject(meta) && meta['protocol'] === 'mdp';
    const message = isMdp
      ? `${name} lists its skills only over its MCP bridge on stdio. ` +
        'Use mdp:stdio:COMMAND with the command that starts it, for example "mdp:stdio:node .../server/dist/cli.js".'
      : `${name} is not an MDP server. For an MCP server, use mcp:URL.`;
    return new SkillwireError(isMdp ? 'ORIGIN_UNSUPPORTED' : 'BAD_ANSWER', message, { data: { url: base } });
  }

  return {
    name,
    async runtimes(context) {
      const read = async (cursor: string | undefined) => {
        const page = decodeListedSkills(await listing(listedSkillsPath, cursor, context));
        startedAt = page?.startedAt;
        return page;
      };
      ({ rows: known, unusable } = await allRows(name, read));
      return groupByRuntime(known);
    },
    startedAt: () => startedAt,
    findings: () => listingFindings(name, known.length, unusable),
    async clients(context) {
      const read = async (cursor: string | undefined) =>
        decodeListedRuntimes(await listing(listedClientsPath, cursor, context));
      return (await allRows(name, read)).rows;
    },
    async call(clientId, path, context) {
      const route = `${liveSkillsPath}/${encodeURIComponent(clientId)}${path}`;
      const outcome = outcomeOf(await get(route, { ...context, maxBytes: context.maxBytes ?? limits.dynamic.bytes }));
      const row = known.find((skill) => skill.clientId === clientId && skill.path === path);
      return row === undefined ? outcome : asDeclared(row, { clientId, method: 'GET', path }, outcome);
    },
    async close() {
      client.close();
    },
  };
}

function outcomeOf(answer: HttpAnswer): CallOutcome {
  if (answer.status === 200) return { ok: true, data: textOf(answer) };
  const json = jsonOf(answer);
  const error = isJsonObject(json) ? json['error'] : undefined;
  const details = isJsonObject(error) ? error['message'] : error;
  const message = typeof details === 'string' ? details : undefined;
  const failed = { code: 'handler_error', message: message ?? `the hub answered ${answer.status}` } as const;
  if (answer.status === 404) return { ok: false, hub: 'not-connected', error: failed };
  if (answer.status === 504 || /timed out/.test(message ?? '')) return { ok: false, hub: 'timeout', error: failed };
  return { ok: false, error: failed };
}

function textOf({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}

/** `undefined` if it is not JSON. */
function jsonOf(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(textOf(answer));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
