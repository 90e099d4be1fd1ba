/**
 * The headers of a request that a runtime gets to see: those that say what kind of answer the reader wants, and those that the operator
 * names. Nobody can list all headers in which programs carry keys and sessions, so everything else stays here.
 */
import { limits } from '../../limits.ts';

export const forwardedByDefault = [
  'accept',
  'accept-charset',
  'accept-language',
  'cache-control',
  'content-type',
  'if-none-match',
  'prefer',
  'traceparent',
  'user-agent',
] as const;

/** By name in lower case, or `undefined` if there are more than a runtime takes. `allowed` has names in lower case. */
export function forwardedHeaders(
  headers: Headers,
  allowed: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const named = new Set((headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const forwarded: Record<string, string> = {};
  for (const [name, value] of headers)
    if (allowed.has(name) || (usual.has(name) && !named.has(name))) forwarded[name] = value;
  return Object.keys(forwarded).length > limits.runtimes.headers ? undefined : forwarded;
}

const usual: ReadonlySet<string> = new Set(forwardedByDefault);
