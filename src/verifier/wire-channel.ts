/**
 * An MCP server as a channel: one request, one answer. A listing that repeats a cursor, brings nothing new or does not
 * end is cut, and the cut is reported. A verifier must neither hang nor report a partial listing as complete.
 */
import { decodeReadResult } from '../dialects/skills-extension/decode-resources.ts';
import { decodeGetResult, decodeListPage, type ListPage } from '../dialects/skills-extension/decode-skills.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText, shortText } from '../skill/display-text.ts';
import { isJsonObject } from '../skill/json.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import { isNotFound } from './judge.ts';
import type { ChannelPage, SkillChannel } from './skill-channel.ts';

export function wireChannel(wire: Wire, deadlineMs: number): SkillChannel {
  return {
    hasMediaTypes: true,
    hasGet: true,
    async *pages(signal) {
      const walk = createWalk();
      let cursor: string | undefined;
      do {
        // Does not keep the answer in memory while its skills are read.
        const { page, next } = await listPage(wire, cursor, walk, { deadlineMs, signal });
        yield page;
        cursor = next;
      } while (cursor !== undefined);
    },

    async get(uri, signal) {
      const options = { deadlineMs, signal, maxBytes: limits.origin.pageBytes };
      return orNotFound(async () => {
        const result = await wire.request('skills/get', { uri }, options);
        demandComplete('skills/get', 'S-42', result);
        return decodeGetResult(result, uri, wire.rules);
      });
    },

    async read(uri, requestedBytes, signal) {
      const maxBytes = Math.min(requestedBytes, limits.skill.bytes);
      const escaped = maxBytes * limits.origin.escapedBytes + limits.origin.envelopeBytes;
      const options = { deadlineMs, signal, maxBytes: Math.min(limits.origin.lineBytes, escaped) };
      return orNotFound(async () => {
        const result = await wire.request('resources/read', { uri }, options);
        return decodeReadResult(result, uri, { maxBytes, rules: wire.rules });
      });
    },
  };
}

/** One page, and the cursor of the next one. */
async function listPage(
  wire: Wire,
  cursor: string | undefined,
  walk: Walk,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<{ readonly page: ChannelPage; readonly next: string | undefined }> {
  const result = await wire.request(
    'skills/list',
    { cursor },
    {
      deadlineMs,
      signal,
      maxBytes: limits.origin.pageBytes,
      onBytes: walk.received,
    },
  );
  demandComplete('skills/list', 'S-38', result);
  const { skills, refused, remarks, nextCursor, cursorFault } = decodeListPage(result, wire.rules);
  const end =
    cursorFault === undefined
      ? walk.ending({ skills, refused }, nextCursor)
      : { cut: `cannot use the answer to "skills/list": ${cursorFault}`, fault: true };
  const { cut } = end;
  if (cut === undefined) return { page: { skills, refused, remarks }, next: nextCursor };
  const allRemarks = end.fault === true ? [...remarks, { requirement: 'S-36', message: cut }] : remarks;
  return { page: { skills, refused, remarks: allRemarks, cut }, next: undefined };
}

async function orNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Rejects any other `resultType`; the broken rule depends on the method. */
export function demandComplete(method: string, requirement: string, result: unknown): void {
  const type = isJsonObject(result) ? result['resultType'] : undefined;
  if (type === undefined || type === 'complete') return;
  throw new SkillwireError(
    'BAD_ANSWER',
    `the resultType of the answer to ${quoteText(method)} is ${shortText(JSON.stringify(type))}, not "complete"`,
    { data: { method, requirement } },
  );
}

interface Ending {
  /** Why the walk stops although there is more. */
  readonly cut?: string;
  /** True if the server is at fault, false if it is one of our limits. */
  readonly fault?: boolean;
}

interface Walk {
  received(bytes: number): void;
  ending(page: Pick<ListPage, 'skills' | 'refused'>, next: string | undefined): Ending;
}

function createWalk(): Walk {
  const most = limits.origin;
  const cursors = new Set<string>();
  const uris = new Set<string>();
  let pages = 0;
  let bytes = 0;
  let refused = 0;
  let idle = 0;
  return {
    received(count) {
      bytes += count;
    },
    ending(page, next) {
      pages++;
      const before = uris.size;
      for (const { entry } of page.skills) uris.add(entry.uri);
      refused += page.refused.length;
      idle = uris.size > before || page.refused.length > 0 ? 0 : idle + 1;
      if (next === undefined) return {};
      if (cursors.has(next))
        return { cut: `the listing repeats the cursor ${quoteText(next)} after ${pages} pages`, fault: true };
      cursors.add(next);
      if (idle >= most.idlePages)
        return { cut: `the last ${idle} pages of the listing bring nothing new, each with a new cursor`, fault: true };
      if (pages >= most.pages) return { cut: `the listing has more than ${pages} pages` };
      if (uris.size >= most.entries) return { cut: `the listing has more than ${most.entries} skills` };
      if (refused >= most.refused) return { cut: `more than ${most.refused} entries of the listing are refused` };
      return bytes >= most.listingBytes ? { cut: `the listing has more than ${most.listingBytes} bytes` } : {};
    },
  };
}
