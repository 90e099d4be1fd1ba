/**
 * A single range of bytes (RFC 9110, 14.2). Several ranges, other units and whatever is malformed are ignored, which the
 * RFC allows and which leaves nothing to multiply: the whole is sent.
 */

export type ByteRange =
  | { readonly first: number; readonly last: number }
  /** Nothing of what was asked for exists. */
  | 'unsatisfiable';

const single = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/;

/** The range that is asked for; undefined where the whole is to be sent. */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const found = header === undefined ? null : single.exec(header);
  if (found === null) return undefined;
  const [, from, to, suffix] = found;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== undefined && Number(to) < first) return undefined;
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === undefined ? size - 1 : Math.min(Number(to), size - 1) };
}
