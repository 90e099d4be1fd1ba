/**
 * Fetches templates of skills that cannot be listed, and completions for their variables while a person types. A
 * template becomes a skill only when its entry is fetched.
 */
import {
  type CompletionAnswer,
  decodeCompletion,
  encodeCompletionParams,
} from '../../../dialects/resource-templates/completion.ts';
import type { ParsedSkillTemplate } from '../../../dialects/resource-templates/skill-templates.ts';
import { limits } from '../../../limits.ts';
import { rpcCodes } from '../protocol.ts';
import { RpcError } from '../wire.ts';
import { templateRows } from './answered-skills.ts';
import type { RequestServer } from './ask.ts';
import { allPages } from './interview.ts';

/** The known templates, then those of `resources/templates/list`, without duplicates. */
export async function listTemplates(
  ask: RequestServer,
  known: readonly ParsedSkillTemplate[],
  signal: AbortSignal | undefined,
): Promise<readonly ParsedSkillTemplate[]> {
  const found = new Map<string, ParsedSkillTemplate>();
  for (const one of [...known, ...(await publishedTemplates(ask, signal))])
    if (!found.has(one.template.text)) found.set(one.template.text, one);
  return [...found.values()];
}

async function publishedTemplates(
  ask: RequestServer,
  signal: AbortSignal | undefined,
): Promise<readonly ParsedSkillTemplate[]> {
  try {
    const { results } = await allPages(ask, 'resources/templates/list', {}, signal);
    return templateRows(results).templates;
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcCodes.methodNotFound) return [];
    throw error;
  }
}

export interface CompletionQuestion {
  /** As published. */
  readonly template: string;
  readonly variable: string;
  /** The beginning of the value. */
  readonly typed: string;
  /** Already chosen variables. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** `undefined` if the server does not complete anything. */
export async function completeVariable(
  ask: RequestServer,
  { template, variable, typed, chosen }: CompletionQuestion,
  signal: AbortSignal | undefined,
): Promise<CompletionAnswer | undefined> {
  const params = encodeCompletionParams(template, variable, typed, chosen);
  try {
    return decodeCompletion(
      await ask('completion/complete', { ...params }, { maxBytes: limits.origin.pageBytes, signal }),
    );
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcCodes.methodNotFound) return undefined;
    throw error;
  }
}
