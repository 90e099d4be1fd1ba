/** Lines of a text, separated by LF, CRLF or CR as in YAML and editors. */

/** Offsets of line starts; the first is 0. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** Number of lines; the break at the end starts none. */
export function lineCount(text: string): number {
  let count = 0;
  let end = 0;
  if (text.includes('\r')) {
    const starts = lineStarts(text);
    count = starts.length - 1;
    end = starts[count] ?? 0;
  } else
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', end)) {
      count++;
      end = at + 1;
    }
  return end === text.length ? count : count + 1;
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
