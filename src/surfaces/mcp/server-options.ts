/** How a server of skills introduces itself, whoever answers for it. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { dialectSettings } from './aliases/served-dialects.ts';
import type { MethodCall } from './cache-fields.ts';
import type { PageParams, ToolParams } from './method-params.ts';
import type { SkillMethodsOptions } from './skill-methods.ts';
import { skillsCapability } from './skills-capability.ts';

export interface SkillsServerOptions extends SkillMethodsOptions {
  /** How the server names itself. */
  readonly info?: Implementation;
  /** Replaces the sentence that tells models how to find the skills. */
  readonly instructions?: string;
  /** Tools beside the skills. */
  readonly tools?: ServerTools | undefined;
}

/** A resource that a tool names without its content; revisions before 2025-06-18 do not know it. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface ToolResult {
  readonly content: readonly ({ readonly type: 'text'; readonly text: string } | ResourceLink)[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export interface ServerTools {
  /** Names of the tools, where the list of them has to be waited for. */
  readonly names?: readonly string[];
  list(
    params: PageParams,
    call: MethodCall,
  ): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  call(params: ToolParams, call: MethodCall): Promise<ToolResult>;
}

export const defaultServerInfo: Implementation = { name: 'skillwire', version: '0.1.0' };

const capabilities = {
  resources: { listChanged: true, subscribe: true },
  completions: {},
  extensions: skillsCapability,
} as const;

/** What the server declares. SEP-2076 had a capability of its own that no revision of the protocol knows. */
export function serverCapabilities(options: SkillsServerOptions): ServerCapabilities {
  const { served, fallback } = dialectSettings(options);
  const own = offersTools(options);
  return {
    ...capabilities,
    ...(options.experimentalCapability === true ? { experimental: skillsCapability } : {}),
    // Declared even if there are none: mcpc asks every server, and gives up if the method is unknown.
    tools: own ? { listChanged: true } : {},
    ...(fallback.includes('prompts') || served.has('skilljack-tools') ? { prompts: { listChanged: true } } : {}),
    ...(served.has('sep-2076') ? { skills: { listChanged: true } } : {}),
  };
}

/** Whether skills are offered as tools, whose list then changes with the skills. */
export function offersTools(options: SkillsServerOptions): boolean {
  const { served, fallback } = dialectSettings(options);
  return fallback.includes('tools') || served.has('skilljack-tools');
}
