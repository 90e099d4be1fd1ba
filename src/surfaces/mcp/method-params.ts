/** Parameters of the methods that we answer. Unknown fields are let through: later revisions add some. */
import { z } from 'zod';

export interface PageParams {
  readonly cursor?: string | undefined;
}

export interface UriParams {
  readonly uri: string;
}

export interface CompletionParams {
  readonly ref: { readonly type: string; readonly uri?: string | undefined };
  readonly argument: { readonly name: string; readonly value: string };
}

export interface ToolParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export const pageParams: z.ZodType<PageParams> = z.looseObject({ cursor: z.string().optional() });

export const uriParams: z.ZodType<UriParams> = z.looseObject({ uri: z.string() });

export const directoryParams: z.ZodType<UriParams & PageParams> = z.looseObject({
  uri: z.string(),
  cursor: z.string().optional(),
});

export const completionParams: z.ZodType<CompletionParams> = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
});

export const toolParams: z.ZodType<ToolParams> = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
