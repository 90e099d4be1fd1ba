/** Several sets of tools as one. */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type CacheScope, cacheFields, type MethodCall } from './cache-fields.ts';
import type { ServerTools } from './server-options.ts';

type ToolList = Readonly<Record<string, unknown>>;

const anybody: MethodCall = { era: 'legacy', context: {} };

/** A server without tools answers about them all the same: there are clients that ask every server. */
export const noTools: ServerTools = {
  names: [],
  list: (_, { era }) => ({ tools: [], ...cacheFields(era, { ttlMs: limits.ttl.unwatchedMs, cacheScope: 'public' }) }),
  call: async ({ name }) => {
    throw noSuchTool(name);
  },
};

function noSuchTool(name: string): SkillwireError {
  return new SkillwireError('USAGE', `cannot call the tool ${quoteText(name)}: there is none of this name`);
}

/**
 * One set of tools that has those of all parts, in their order; undefined for no parts. The list may be kept as long as the
 * shortest-lived part, and is private if one of them is.
 *
 * @throws TypeError where two parts have a tool of one name, or a part tells its names neither at once nor in `names`.
 */
export function combineTools(parts: readonly ServerTools[]): ServerTools | undefined {
  const [first] = parts;
  if (parts.length < 2 || first === undefined) return first;
  const owners = new Map<string, ServerTools>();
  for (const part of parts)
    for (const name of namesOf(part)) {
      if (owners.has(name)) throw new TypeError(`cannot combine tools: two of them are called ${quoteText(name)}`);
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

function namesOf(part: ServerTools): readonly string[] {
  if (part.names !== undefined) return part.names;
  const list = part.list({}, anybody);
  if (list instanceof Promise) throw new TypeError('cannot combine tools: a set of them does not tell its names');
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
