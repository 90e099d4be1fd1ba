/** Lines of a text, separated by LF, CRLF or CR as in YAML and editors. */

/** Offsets of line starts; the first is 0. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** Index (from 0) of the line at the offset. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Number (from 1) of the line at the offset, for a single lookup. */
export function lineNumber(text: string, offset: number): number {
  return lineStarts(text.slice(0, offset)).length;
}
