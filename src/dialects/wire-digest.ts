/**
 * Digests as other servers write them. The one spelling is `sha256:` and 64 lower-case digits; upper-case digits are
 * read too, as some clients do. Whatever else stands there is a fault and never counts as no digest: that would turn a
 * promise into none.
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
