/** The same tools in the shapes that frameworks expect, as plain objects without dependencies. */
import type { SkillTool, ToolCallOptions, ToolInputSchema } from './skill-tools.ts';

export interface McpToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError: boolean;
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  call(args: unknown, options?: ToolCallOptions): Promise<McpToolResult>;
}

/** The tools in the shape of MCP, with `tools/list` and `tools/call`. */
export function asMcpTools(tools: readonly SkillTool[]): readonly McpTool[] {
  return tools.map(({ name, description, inputSchema, handler }) => ({
    name,
    description,
    inputSchema,
    async call(args, options) {
      const { text, isError } = await handler(args, options);
      return { content: [{ type: 'text', text }], isError };
    },
  }));
}

export interface AiSdkTool {
  readonly description: string;
  /** The argument for `jsonSchema()` of the AI SDK; use its result as `inputSchema` of a tool. */
  readonly inputSchema: { readonly jsonSchema: ToolInputSchema };
  execute(args: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<string>;
}

/** The tools in the shape of the AI SDK. Errors are text for the model too. */
export function asAiSdkTools(tools: readonly SkillTool[]): Readonly<Record<string, AiSdkTool>> {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, handler }) => [
      name,
      {
        description,
        inputSchema: { jsonSchema: inputSchema },
        async execute(args, { abortSignal } = {}) {
          return (await handler(args, { signal: abortSignal })).text;
        },
      } satisfies AiSdkTool,
    ]),
  );
}

export interface OpenAiTools {
  readonly tools: readonly {
    readonly type: 'function';
    readonly function: { readonly name: string; readonly description: string; readonly parameters: ToolInputSchema };
  }[];
  /** The text for the `tool` message; `undefined` if the call is for another tool. */
  dispatch(
    call: { readonly function: { readonly name: string; readonly arguments: string } },
    options?: ToolCallOptions,
  ): Promise<string | undefined>;
}

/** The tools in the shape of OpenAI chat completions and compatible APIs. */
export function asOpenAiTools(tools: readonly SkillTool[]): OpenAiTools {
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    async dispatch({ function: { name, arguments: json } }, options) {
      const found = tools.find((tool) => tool.name === name);
      return found === undefined ? undefined : (await found.handler(parsed(json), options)).text;
    },
  };
}

/** The model may write invalid JSON; the handler then says what it needs. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
