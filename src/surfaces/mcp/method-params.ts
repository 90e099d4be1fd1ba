/** Parameters of the methods that we answer. Unknown fields are let through: later revisions add some. */
import { z } from 'zod';

export interface PageParams {
  readonly cursor?: string | undefined;
}

export interface UriParams {
  readonly uri: string;
}

/** Of `skills/get` where skills are also got by name. */
export interface GetParams {
  readonly uri?: string | undefined;
  readonly name?: string | undefined;
}

export interface CompletionParams {
  readonly ref: { readonly type: string; readonly uri?: string | undefined; readonly name?: string | undefined };
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of other variables that are settled. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

export interface PromptParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export const pageParams: z.ZodType<PageParams> = z.looseObject({ cursor: z.string().optional() });

export const uriParams: z.ZodType<UriParams> = z.looseObject({ uri: z.string() });

export const getParams: z.ZodType<GetParams> = z.looseObject({
  uri: z.string().optional(),
  name: z.string().optional(),
});

export const directoryParams: z.ZodType<UriParams & PageParams> = z.looseObject({
  uri: z.string(),
  cursor: z.string().optional(),
});

export const completionParams: z.ZodType<CompletionParams> = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional(), name: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
  context: z.looseObject({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
});

export const toolParams: z.ZodType<ToolParams> = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

export const promptParams: z.ZodType<PromptParams> = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
