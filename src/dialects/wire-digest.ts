/**
 * Digests of other servers. The canonical form is `sha256:` and 64 lower-case digits; upper-case digits are accepted,
 * as some clients do. Anything else is a fault and never counts as no digest, which would drop a promise.
 */
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';

export type WireDigest =
  | { readonly kind: 'absent' }
  | { readonly kind: 'digest'; readonly digest: string; readonly unusual: boolean }
  | { readonly kind: 'fault'; readonly message: string };

export function readDigest(field: string, value: unknown): WireDigest {
  if (value === undefined) return { kind: 'absent' };
  if (isDigest(value)) return { kind: 'digest', digest: value, unusual: false };
  if (typeof value === 'string' && isDigest(value.toLowerCase()))
    return { kind: 'digest', digest: value.toLowerCase(), unusual: true };
  const shown = typeof value === 'string' ? ` ${quoteText(value)}` : '';
  return { kind: 'fault', message: `${field}${shown} is not "sha256:" and 64 lower-case hexadecimal digits` };
}
