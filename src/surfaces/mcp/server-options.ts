/** How a server of skills introduces itself, whoever answers for it. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import type { MethodCall } from './cache-fields.ts';
import type { ReportError } from './method-errors.ts';
import type { PageParams, ToolParams } from './method-params.ts';
import type { SkillMethodsOptions } from './skill-methods.ts';
import { skillsCapability } from './skills-capability.ts';

export interface SkillsServerOptions extends SkillMethodsOptions {
  /** How the server names itself. */
  readonly info?: Implementation;
  /** Replaces the sentence that tells models how to find the skills. */
  readonly instructions?: string;
  /** Hears of errors that are not the client's fault. Clients learn nothing of their content. */
  readonly onerror?: ReportError;
  /** Tools beside the skills. */
  readonly tools?: ServerTools | undefined;
}

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export interface ServerTools {
  list(params: PageParams, call: MethodCall): Readonly<Record<string, unknown>>;
  call(params: ToolParams, call: MethodCall): Promise<ToolResult>;
}

export const defaultServerInfo: Implementation = { name: 'skillwire', version: '0.1.0' };

const capabilities = {
  resources: { listChanged: true, subscribe: true },
  completions: {},
  extensions: skillsCapability,
} as const;

export function serverCapabilities({ tools }: Pick<SkillsServerOptions, 'tools'>): ServerCapabilities {
  return tools === undefined ? capabilities : { ...capabilities, tools: {} };
}
