/** Parameters of the methods. Unknown fields are allowed, because later revisions add some. */
import { z } from 'zod';

export interface PageParams {
  readonly cursor?: string | undefined;
}

export interface UriParams {
  readonly uri: string;
}

/** For `skills/get` by URI or name. */
export interface GetParams {
  readonly uri?: string | undefined;
  readonly name?: string | undefined;
}

export interface CompletionParams {
  readonly ref: { readonly type: string; readonly uri?: string | undefined; readonly name?: string | undefined };
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of variables that are already chosen. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** For `tools/call` and `prompts/get`. */
export interface NamedParams {
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

export const namedParams: z.ZodType<NamedParams> = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
