/**
 * The headers of a request that a runtime gets to see. What proves who the reader is, what belongs to one connection and what
 * carries the session of another runtime stays here, unless the operator allows a name.
 */
import { limits } from '../../limits.ts';

const withheld = new Set([
  'authorization',
  'connection',
  'cookie',
  'host',
  'keep-alive',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-mdp-session-id',
]);

function isWithheld(name: string): boolean {
  return withheld.has(name) || name.startsWith('proxy-') || name.startsWith('x-mdp-auth-') || name.startsWith('sec-');
}

/** By name in lower case, or undefined where there are more than a runtime takes. `allowed` has names in lower case. */
export function forwardedHeaders(
  headers: Headers,
  allowed: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const named = new Set((headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const forwarded: Record<string, string> = {};
  for (const [name, value] of headers)
    if (allowed.has(name) || !(isWithheld(name) || named.has(name))) forwarded[name] = value;
  return Object.keys(forwarded).length > limits.runtimes.headers ? undefined : forwarded;
}
