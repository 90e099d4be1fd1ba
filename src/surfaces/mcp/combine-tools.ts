/** Combines sets of tools. */
import type { z } from 'zod';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type CacheScope, cacheFields, type MethodCall } from './cache-fields.ts';
import { foreignCursor } from './catalog-lookups.ts';
import type { CallToolAnswer, ServerTools } from './server-options.ts';

type ToolList = Readonly<Record<string, unknown>>;

const anybody: MethodCall = { era: 'legacy', context: {} };

/** Tools of a server without tools: some clients ask every server. */
export const noTools: ServerTools = {
  names: [],
  list: (_, { era }) => ({ tools: [], ...cacheFields(era, { ttlMs: limits.ttl.unwatchedMs, cacheScope: 'public' }) }),
  call: async ({ name }) => {
    throw noSuchTool(name);
  },
};

export function noSuchTool(name: string): SkillwireError {
  return new SkillwireError(
    'USAGE',
    `Unknown tool ${quoteText(name)}. Call "tools/list" for the tools of this server.`,
  );
}

/**
 * Combines the tools of all parts, in order; `undefined` for no parts. The list may be cached as long as its shortest-lived part, and is
 * private if one part is.
 *
 * @throws TypeError if two parts have a tool of the same name, or a part has neither `names` nor a synchronous list
 */
export function combineTools(parts: readonly ServerTools[]): ServerTools | undefined {
  const [first] = parts;
  if (parts.length < 2 || first === undefined) return first;
  const owners = new Map<string, ServerTools>();
  for (const part of parts)
    for (const name of namesOf(part)) {
      if (owners.has(name)) throw new TypeError(`Cannot combine tools: two are named ${quoteText(name)}`);
      owners.set(name, part);
    }
  return {
    names: [...owners.keys()],
    async list(params, call) {
      return merged(await Promise.all(parts.map((part) => part.list(params, call))));
    },
    async call(params, call) {
      const owner = owners.get(params.name);
      if (owner === undefined) throw noSuchTool(params.name);
      return owner.call(params, call);
    },
  };
}

/** `tools/list` of a fixed set of tools, on a single page. */
export function fixedList(tools: readonly object[]): ServerTools['list'] {
  return ({ cursor }, { era, context }) => {
    if (cursor !== undefined) throw foreignCursor();
    const cacheScope = context.principal === undefined ? 'public' : 'private';
    return { tools, ...cacheFields(era, { ttlMs: limits.ttl.unwatchedMs, cacheScope }) };
  };
}

export function failed(text: string): CallToolAnswer {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The result for arguments that do not match the schema of a tool. */
export function invalidArguments({ issues }: z.ZodError): CallToolAnswer {
  const faults = issues.map(({ path, message }) => `${message}${path.length === 0 ? '' : ` at ${path.join('.')}`}`);
  return failed(`MCP error -32602: Input validation error: ${faults.join('; ')}`);
}

function namesOf(part: ServerTools): readonly string[] {
  if (part.names !== undefined) return part.names;
  const list = part.list({}, anybody);
  if (list instanceof Promise) throw new TypeError('Cannot combine tools: a set has no "names"');
  return toolsOf(list).map(({ name }) => String(name));
}

function toolsOf({ tools }: ToolList): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(tools) ? tools : [];
}

function merged(lists: readonly ToolList[]): ToolList {
  const times = lists.flatMap(({ ttlMs }) => (typeof ttlMs === 'number' ? [ttlMs] : []));
  const scopes = lists.map(({ cacheScope }) => cacheScope);
  const cacheScope: CacheScope = scopes.includes('private') ? 'private' : 'public';
  return {
    tools: lists.flatMap(toolsOf),
    ...(times.length === 0 ? {} : { ttlMs: Math.min(...times), cacheScope }),
  };
}
