/** How a server of skills introduces itself, whoever answers for it. */
import type { Implementation } from '@modelcontextprotocol/server';
import type { ReportError } from './method-errors.ts';
import type { SkillMethodsOptions } from './skill-methods.ts';
import { skillsCapability } from './skills-capability.ts';

export interface SkillsServerOptions extends SkillMethodsOptions {
  /** How the server names itself. */
  readonly info?: Implementation;
  /** Replaces the sentence that tells models how to find the skills. */
  readonly instructions?: string;
  /** Hears of errors that are not the client's fault. Clients learn nothing of their content. */
  readonly onerror?: ReportError;
}

export const defaultServerInfo: Implementation = { name: 'skillwire', version: '0.1.0' };

export const serverCapabilities = {
  resources: { listChanged: true, subscribe: true },
  completions: {},
  extensions: skillsCapability,
} as const;
