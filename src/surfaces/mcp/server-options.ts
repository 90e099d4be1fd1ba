/** Options and capabilities of a skills server. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { dialectSettings } from './aliases/served-dialects.ts';
import type { MethodCall } from './cache-fields.ts';
import type { NamedParams, PageParams } from './method-params.ts';
import type { SkillMethodsOptions } from './skill-methods.ts';
import { skillsCapability } from './skills-capability.ts';

export interface SkillsServerOptions extends SkillMethodsOptions {
  /** Name and version of the server. */
  readonly info?: Implementation;
  /** Replaces the instructions for models. */
  readonly instructions?: string;
  /** Additional tools. */
  readonly tools?: ServerTools | undefined;
}

/** A link to a resource in a tool result, since revision 2025-06-18. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface CallToolAnswer {
  readonly content: readonly ({ readonly type: 'text'; readonly text: string } | ResourceLink)[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export interface ServerTools {
  /** Names of the tools; required if `list()` is asynchronous. */
  readonly names?: readonly string[];
  list(
    params: PageParams,
    call: MethodCall,
  ): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  call(params: NamedParams, call: MethodCall): Promise<CallToolAnswer>;
}

export const defaultServerInfo: Implementation = { name: 'skillwire', version: '0.1.0' };

const capabilities = {
  resources: { listChanged: true, subscribe: true },
  completions: {},
  extensions: skillsCapability,
} as const;

/** The capabilities of the server. SEP-2076 has its own capability, which no protocol revision defines. */
export function serverCapabilities(options: SkillsServerOptions): ServerCapabilities {
  const { served, fallback } = dialectSettings(options);
  const own = offersTools(options);
  return {
    ...capabilities,
    ...(options.experimentalCapability === true ? { experimental: skillsCapability } : {}),
    // Declared even without tools: mcpc calls every server and fails if the method is unknown.
    tools: own ? { listChanged: true } : {},
    ...(fallback.includes('prompts') || served.has('skilljack-tools') ? { prompts: { listChanged: true } } : {}),
    ...(served.has('sep-2076') ? { skills: { listChanged: true } } : {}),
  };
}

/** True if skills are offered as tools, whose list then changes with the skills. */
export function offersTools(options: SkillsServerOptions): boolean {
  const { served, fallback } = dialectSettings(options);
  return fallback.includes('tools') || served.has('skilljack-tools');
}
