/**
 * Lists the runtimes of any MDP server through the tools of its MCP bridge, the only place where the reference server
 * lists them. A server started beside a running one joins it by default and lists its connections.
 */

import { unlessAborted } from '../../async/unless-aborted.ts';
import {
  decodeListedRuntimes,
  decodeListedSkills,
  type ListedLiveSkill,
  type ListingRows,
} from '../../dialects/mdp/decode-listing.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { asDeclared } from '../../runtimes/pending-calls.ts';
import type { CallOutcome } from '../../runtimes/runtime-registry.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { McpServerSource } from '../mcp-server/connection-source.ts';
import type { SourceContext } from '../skill-source.ts';
import type { HubDirectory } from './hub-directory.ts';
import { allRows, groupByRuntime, listingFindings } from './runtime-directory.ts';

/** Without it the reference omits paths deeper than two levels. */
const anyDepth = 1_000_000;

type Rows<R> = Awaited<ReturnType<typeof allRows<R>>>;

interface ToolAnswer {
  readonly failed: boolean;
  readonly structured: unknown;
  readonly text: string;
}

export interface ToolsDirectoryOptions {
  /** How long an empty listing does not count yet; default `limits.liveSkills.settleMs`. */
  readonly settleMs?: number | undefined;
}

export function toolsDirectory(
  server: Pick<McpServerSource, 'name' | 'request' | 'close'>,
  { settleMs = limits.liveSkills.settleMs }: ToolsDirectoryOptions = {},
): HubDirectory {
  /** When an empty listing starts to count, measured from the first request. */
  let settledAt: number | undefined;
  let known: readonly ListedLiveSkill[] = [];
  let unusable = 0;

  async function use(tool: string, args: object, context: SourceContext): Promise<ToolAnswer> {
    return toolAnswer(await server.request('tools/call', { name: tool, arguments: args }, context));
  }

  /** A server that joins a running one lists nothing until it has joined, and does not report that. */
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
        throw new SkillwireError(
          'ORIGIN_FAILED',
          `The tool "${tool}" of ${server.name} failed: ${quoteText(answer.text)}.`,
        );
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
  if (!isJsonObject(result)) return { failed: true, structured: undefined, text: 'the answer is not a tool result' };
  const content = Array.isArray(result.content) ? result.content : [];
  const text = content
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
  return { failed: result.isError === true, structured: result.structuredContent, text };
}

/** Failures before the runtime was reached are plain text in the reference's words. */
function outcomeOf({ failed, structured, text }: ToolAnswer): CallOutcome {
  const answer = isJsonObject(structured) ? structured : {};
  if (!failed && answer.ok === true) return { ok: true, data: answer.data };
  const message = isJsonObject(answer.error) && typeof answer.error.message === 'string' ? answer.error.message : text;
  const error = { code: 'handler_error', message: message === '' ? 'the call failed' : message } as const;
  if (answer.error !== undefined) return { ok: false, error };
  if (/is not connected|was not found on client/.test(text)) return { ok: false, hub: 'not-connected', error };
  if (/timed out/.test(text)) return { ok: false, hub: 'timeout', error };
  return { ok: false, error };
}
