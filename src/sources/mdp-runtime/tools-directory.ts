/**
 * The runtimes of any MDP server through the tools of its MCP bridge, which is the only place where the reference server lists
 * them. One started beside a running one joins it by default, and lists what is connected there.
 */

import { unlessAborted } from '../../async/unless-aborted.ts';
import {
  decodeListedRuntimes,
  decodeListedSkills,
  type ListedSkill,
  type ListingRows,
} from '../../dialects/mdp/decode-listing.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { asDeclared } from '../../runtimes/declared-answer.ts';
import type { CallOutcome } from '../../runtimes/runtime-registry.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { McpServerSource } from '../mcp-server/connection-source.ts';
import type { SourceContext } from '../skill-source.ts';
import type { HubDirectory } from './hub-directory.ts';
import { allRows, groupByRuntime, listingFindings } from './listed-runtimes.ts';

/** Without it the reference leaves out what lies deeper than two levels. */
const anyDepth = 1_000_000;

type Rows<R> = Awaited<ReturnType<typeof allRows<R>>>;

interface ToolAnswer {
  readonly failed: boolean;
  readonly structured: unknown;
  readonly text: string;
}

export interface ToolsDirectoryOptions {
  /** How long the server may list nothing before that counts; default `limits.liveSkills.settleMs`. */
  readonly settleMs?: number | undefined;
}

export function toolsDirectory(
  server: Pick<McpServerSource, 'name' | 'request' | 'close'>,
  { settleMs = limits.liveSkills.settleMs }: ToolsDirectoryOptions = {},
): HubDirectory {
  /** When nothing counts as the answer; from the first request on. */
  let settledAt: number | undefined;
  let known: readonly ListedSkill[] = [];
  let unusable = 0;

  async function use(tool: string, args: object, context: SourceContext): Promise<ToolAnswer> {
    return toolAnswer(await server.request('tools/call', { name: tool, arguments: args }, context));
  }

  /** A server that joins a running one lists nothing until it has, and does not say so. */
  async function listing<R>(
    tool: string,
    args: object,
    context: SourceContext,
    decode: (answer: unknown) => ListingRows<R> | undefined,
  ): Promise<Rows<R>> {
    settledAt ??= Date.now() + settleMs;
    for (;;) {
      const found = await listedNow(tool, args, context, decode);
      if (found.rows.length + found.unusable > 0) settledAt = 0;
      const left = settledAt - Date.now();
      if (left <= 0) return found;
      const wait = Math.min(left, limits.liveSkills.settleEveryMs);
      await unlessAborted(new Promise((resolve) => setTimeout(resolve, wait)), context.signal, 'list');
    }
  }

  async function listedNow<R>(
    tool: string,
    args: object,
    context: SourceContext,
    decode: (answer: unknown) => ListingRows<R> | undefined,
  ): Promise<Rows<R>> {
    return allRows(server.name, async (cursor) => {
      const answer = await use(tool, { ...args, cursor }, context);
      if (answer.failed)
        throw new SkillwireError('ORIGIN_FAILED', `${server.name} failed at "${tool}": ${quoteText(answer.text)}`);
      return decode(answer.structured);
    });
  }

  return {
    name: server.name,
    async runtimes(context) {
      ({ rows: known, unusable } = await listing('listPaths', { depth: anyDepth }, context, decodeListedSkills));
      return groupByRuntime(known);
    },
    findings: () => listingFindings(server.name, known.length, unusable),
    clients: async (context) => (await listing('listClients', {}, context, decodeListedRuntimes)).rows,
    async call(clientId, path, context) {
      const outcome = outcomeOf(await use('callPath', { clientId, method: 'GET', path }, context));
      const row = known.find((skill) => skill.clientId === clientId && skill.path === path);
      return row === undefined ? outcome : asDeclared(row, { clientId, method: 'GET', path }, outcome);
    },
    close: () => server.close(),
  };
}

function toolAnswer(result: unknown): ToolAnswer {
  if (!isJsonObject(result)) return { failed: true, structured: undefined, text: 'the answer is no tool result' };
  const content = Array.isArray(result.content) ? result.content : [];
  const text = content
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
  return { failed: result.isError === true, structured: result.structuredContent, text };
}

/** Failures before the runtime was reached are plain text with the words of the reference. */
function outcomeOf({ failed, structured, text }: ToolAnswer): CallOutcome {
  const answer = isJsonObject(structured) ? structured : {};
  if (!failed && answer.ok === true) return { ok: true, data: answer.data };
  const said = isJsonObject(answer.error) && typeof answer.error.message === 'string' ? answer.error.message : text;
  const error = { code: 'handler_error', message: said === '' ? 'the call failed' : said } as const;
  if (answer.error !== undefined) return { ok: false, error };
  if (/is not connected|was not found on client/.test(text)) return { ok: false, hub: 'not-connected', error };
  if (/timed out/.test(text)) return { ok: false, hub: 'timeout', error };
  return { ok: false, error };
}
