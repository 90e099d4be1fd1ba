/**
 * Paths that have one spelling only, which is nearly all of them: segments of ASCII letters, digits and the signs that
 * `encodeURIComponent` leaves alone, none of them empty, `.` or `..`. They stand in a URI as they are.
 */
import { limits } from '../limits.ts';

const segment = "(?!\\.{1,2}(?:/|$))[\\w!~*'().-]+";
const plain = new RegExp(`${segment}(?:/${segment}){0,${limits.uri.segments - 1}}$`, 'y');

/** Whether a text is such a path from a place on, with no more segments than a URI may have. */
export function isPlainPath(text: string, from = 0): boolean {
  plain.lastIndex = from;
  return plain.test(text);
}
