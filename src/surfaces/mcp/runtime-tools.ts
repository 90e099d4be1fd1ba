/**
 * The four tools of the Model Drive Protocol, with the names, arguments and results of the reference bridge, on every MCP transport.
 * Additions: published schemas, a type filter in `listPaths`, pages, and a result per runtime in `callPaths`, where the reference fails as
 * a whole.
 *
 * Failed calls and invalid arguments are tool results with `isError`, in the words of the reference.
 */
import { z } from 'zod';
import { definedFields } from '../../defined-fields.ts';
import { mdpMethods } from '../../dialects/mdp/messages.ts';
import { matchPath } from '../../dialects/mdp/path-grammar.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { CallOutcome, RuntimeClient } from '../../runtimes/runtime-registry.ts';
import { listClients, listPaths } from '../mdp/listings.ts';
import { failed, fixedList, invalidArguments, noSuchTool } from './combine-tools.ts';
import type { CallToolAnswer, ServerTools } from './server-options.ts';

const search = z
  .string()
  .optional()
  .describe('Text that ids, names, paths, descriptions or schemas must contain, ignoring case');
const cursor = z.string().optional().describe('nextCursor of the page before');
const nextCursor = z.string().optional().describe('Pass it as cursor to get the next page; absent on the last page');

const clientsInput = z.strictObject({ search, cursor });

const pathsInput = z.strictObject({
  clientId: z.string().optional().describe('Only paths of this client'),
  search,
  depth: z
    .int()
    .positive()
    .optional()
    .describe('How deep paths may lie; 1 (the default without a search) is up to /a/b/skill.md, each level adds one'),
  type: z.enum(['skill', 'prompt', 'endpoint']).optional().describe('Only paths of this type'),
  cursor,
});

const target = {
  method: z.enum(mdpMethods).describe('GET for skills and prompts'),
  path: z.string().describe('A path as listPaths names it, with values in the place of :parameters'),
  query: z.record(z.string(), z.unknown()).optional().describe('Arguments of the path'),
  body: z.unknown().optional().describe('For endpoints that take one'),
  headers: z.record(z.string(), z.string()).optional(),
  auth: z
    .strictObject({
      scheme: z.string().optional(),
      token: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    })
    .optional()
    .describe('Handed to the client unchecked'),
};

const callInput = z.strictObject({ clientId: z.string(), ...target });

const callsInput = z.strictObject({
  clientIds: z.array(z.string()).optional().describe('Absent or empty: every client that has the path'),
  ...target,
});

const failure = z.looseObject({ code: z.string().optional(), message: z.string() }).optional();
const outcome = { ok: z.boolean(), data: z.unknown().optional(), error: failure };

const clientsOutput = z.looseObject({
  clients: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  nextCursor,
});
const pathsOutput = z.looseObject({
  paths: z.array(z.looseObject({ clientId: z.string(), type: z.string(), path: z.string() })),
  nextCursor,
});
const callOutput = z.looseObject(outcome);
const callsOutput = z.looseObject({ results: z.array(z.looseObject({ clientId: z.string(), ...outcome })) });

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Throws a SkillwireError for errors that a model can fix. */
  run(args: unknown, signal: AbortSignal | undefined): Promise<CallToolAnswer> | CallToolAnswer;
  readonly readOnly: boolean;
}

function succeeded(payload: Readonly<Record<string, unknown>>): CallToolAnswer {
  return { content: [{ type: 'text', text: JSON.stringify(payload, null, 2) }], structuredContent: payload };
}

function paged(key: string, page: { readonly rows: readonly unknown[]; readonly nextCursor?: string }): CallToolAnswer {
  return succeeded({ [key]: page.rows, nextCursor: page.nextCursor });
}

function callResult(answer: CallOutcome): CallToolAnswer {
  if (answer.ok) return succeeded({ ok: true, ...('data' in answer ? { data: answer.data } : {}) });
  if (answer.hub !== undefined) return failed(answer.error.message);
  return { ...succeeded({ ok: false, error: answer.error }), isError: true };
}

function has({ paths }: RuntimeClient, { method, path }: z.infer<typeof callsInput>): boolean {
  const offered = paths.filter((one) => (one.type === 'endpoint' ? one.method === method : method === 'GET'));
  return matchPath(offered, path) !== undefined;
}

type Call = Parameters<ReadableRegistry['call']>[0];

function callOf(clientId: string, { method, path, ...rest }: z.infer<typeof callsInput>): Call {
  // Peers reject fields without a value.
  const { query, body, headers, auth } = rest;
  return { clientId, method, path, ...(definedFields({ query, body, headers, auth }) as Partial<Call>) };
}

function createTools(registry: ReadableRegistry): readonly Tool[] {
  return [
    {
      name: 'listClients',
      description: 'List currently connected MDP clients and their path catalogs.',
      input: clientsInput,
      output: clientsOutput,
      readOnly: true,
      run: (args) => paged('clients', listClients(registry.clients(), clientsInput.parse(args))),
    },
    {
      name: 'listPaths',
      description: 'List path descriptors registered by connected MDP clients.',
      input: pathsInput,
      output: pathsOutput,
      readOnly: true,
      run: (args) => paged('paths', listPaths(registry.clients(), pathsInput.parse(args))),
    },
    {
      name: 'callPath',
      description: 'Invoke one exact path on one exact MDP client. Reading a skill is a GET of its path.',
      input: callInput,
      output: callOutput,
      readOnly: false,
      async run(args, signal) {
        const { clientId, ...rest } = callInput.parse(args);
        return callResult(await registry.call(callOf(clientId, rest), signal));
      },
    },
    {
      name: 'callPaths',
      description: 'Invoke one path on one or more MDP clients. Returns a result for each.',
      input: callsInput,
      output: callsOutput,
      readOnly: false,
      async run(args, signal) {
        const call = callsInput.parse(args);
        const named = call.clientIds ?? [];
        const found =
          named.length > 0
            ? named
            : registry
                .clients()
                .filter((one) => has(one, call))
                .map(({ id }) => id);
        const ids = [...new Set(found)];
        const { fanOut } = limits.runtimes;
        if (ids.length === 0) return failed('No matching MDP clients were found');
        if (ids.length > fanOut)
          return failed(
            `The call would reach ${ids.length} clients; at most ${fanOut} are allowed. Name them in clientIds.`,
          );
        const results = await Promise.all(
          ids.map(async (clientId) => {
            const { hub: _, ...answer } = { hub: undefined, ...(await registry.call(callOf(clientId, call), signal)) };
            return { clientId, ...answer };
          }),
        );
        return succeeded({ results });
      },
    },
  ];
}

export function createRuntimeTools(registry: ReadableRegistry): ServerTools {
  const tools = new Map(createTools(registry).map((tool) => [tool.name, tool]));
  const rows = [...tools.values()].map(({ name, description, input, output, readOnly }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }),
    outputSchema: z.toJSONSchema(output),
    annotations: { readOnlyHint: readOnly, openWorldHint: true },
  }));

  return {
    list: fixedList(rows),
    async call({ name, arguments: args = {} }, { context }) {
      const tool = tools.get(name);
      if (tool === undefined) throw noSuchTool(name);
      const input = tool.input.safeParse(args);
      if (!input.success) return invalidArguments(input.error);
      try {
        return await tool.run(args, context.signal);
      } catch (error) {
        if (error instanceof SkillwireError && error.code === 'INVALID_CURSOR') return failed(error.message);
        throw error;
      }
    },
  };
}
