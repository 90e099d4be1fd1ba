/**
 * Compares two texts line by line for the person who approves the change. Lines are escaped, so that none can hide or
 * reorder itself or another. Hostile texts take bounded time: only lines between the first and last difference are
 * compared, up to a number of edits and a deadline. Beyond that, both sides are shown within the limits, and
 * `truncated` is set. No difference is omitted without it.
 */
import { diffArrays } from 'diff';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';

export interface DiffLine {
  readonly kind: ' ' | '+' | '-';
  /** Escaped for display. */
  readonly text: string;
  /** From 1; a jump means that unchanged lines are omitted. */
  readonly beforeLine?: number;
  readonly afterLine?: number;
}

export interface TextDiff {
  readonly lines: readonly DiffLine[];
  /** A difference is not shown, or not in full. */
  readonly truncated: boolean;
}

export interface TextDiffOptions {
  /** Unchanged lines shown around a change; 3 by default. */
  readonly context?: number;
  /** Maximum number of lines in the result. */
  readonly maxLines?: number;
  /**
   * Time to find a short difference; without any left, everything between the first and the last difference is shown.
   */
  readonly maxMs?: number;
}

/** A run of lines on one side or both, as positions (from 0) in the two lists. */
interface Stretch {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly added: number;
}

export function textDiff(before: string, after: string, options: TextDiffOptions = {}): TextDiff {
  const { context = 3, maxLines = limits.host.diffLines, maxMs = limits.host.diffMs } = options;
  if (before === after) return { lines: [], truncated: false };
  const [a, b] = linesOf(before, after);
  const stretches = changedStretches(a, b, maxMs);
  const output = createOutput(a, b, maxLines);
  if (stretches === undefined) {
    output.change(wholeChange(a, b), Math.floor(maxLines / 2));
    return output.result(true);
  }
  let shownTo = 0;
  for (const [index, stretch] of stretches.entries()) {
    const next = stretches[index + 1];
    const from = Math.max(shownTo, stretch.before - context);
    const offset = stretch.after - stretch.before;
    output.same(from, stretch.before, offset);
    output.change(stretch, maxLines);
    const end = stretch.before + stretch.removed;
    shownTo = Math.min(end + context, next?.before ?? a.length);
    output.same(end, shownTo, offset + stretch.added - stretch.removed);
  }
  return output.result(false);
}

/** The last line break is shown only if one side lacks it, and CR only if not all lines of both sides have it. */
function linesOf(before: string, after: string): readonly [readonly string[], readonly string[]] {
  const texts = [before, after];
  const windows = texts.every((text) => !/(?:^|[^\r])\n/.test(text));
  const sides = texts.map((text) => (text === '' ? [] : text.split(windows ? '\r\n' : '\n')));
  const ended = sides.every((lines) => lines.length === 0 || lines.at(-1) === '');
  const [a = [], b = []] = ended ? sides.map((lines) => lines.slice(0, -1)) : sides;
  return [a, b];
}

function commonEdges(a: readonly string[], b: readonly string[]): readonly [start: number, end: number] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [start, end];
}

/** Everything from the first to the last difference. */
function wholeChange(a: readonly string[], b: readonly string[]): Stretch {
  const [start, end] = commonEdges(a, b);
  return { before: start, removed: a.length - start - end, after: start, added: b.length - start - end };
}

/** `undefined` if the texts are too long or too different. */
function changedStretches(a: readonly string[], b: readonly string[], timeout: number): readonly Stretch[] | undefined {
  const { before: start, removed, added } = wholeChange(a, b);
  if (removed === 0 || added === 0) return [{ before: start, removed, after: start, added }];
  const { diffedLines, diffEdits } = limits.host;
  if (Math.max(removed, added) > diffedLines || timeout <= 0) return undefined;
  // Numbers instead of lines, so that each comparison costs the same for lines of any length.
  const numbers = new Map<string, number>();
  const number = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const parts = diffArrays(a.slice(start, start + removed).map(number), b.slice(start, start + added).map(number), {
    maxEditLength: diffEdits,
    timeout,
  });
  if (parts === undefined) return undefined;
  const stretches: Stretch[] = [];
  let [before, after] = [start, start];
  for (const { count, added: isAdded, removed: isRemoved } of parts) {
    const last = stretches.at(-1);
    const current = { before, removed: isRemoved ? count : 0, after, added: isAdded ? count : 0 };
    if (isAdded || isRemoved) {
      if (last !== undefined && last.before + last.removed === before && last.after + last.added === after)
        stretches[stretches.length - 1] = {
          ...last,
          removed: last.removed + current.removed,
          added: last.added + current.added,
        };
      else stretches.push(current);
    }
    if (!isAdded) before += count;
    if (!isRemoved) after += count;
  }
  return stretches;
}

function createOutput(a: readonly string[], b: readonly string[], maxLines: number) {
  const lines: DiffLine[] = [];
  let truncated = false;
  const add = (line: DiffLine): boolean => lines.length < maxLines && lines.push(line) > 0;
  const addChanged = (kind: '+' | '-', text: string, other: string | undefined, at: object): void => {
    const shown = shownLine(text, other);
    if (!add({ kind, text: shown.text, ...at }) || shown.cut) truncated = true;
  };
  return {
    /** Unchanged lines between two positions of the first text. */
    same(from: number, to: number, offset: number): void {
      for (let at = from; at < to; at++) {
        const { text } = shownLine(a[at] ?? '', undefined);
        add({ kind: ' ', text, beforeLine: at + 1, afterLine: at + offset + 1 });
      }
    },
    /** Removed lines, then added ones, at most `most` of each. */
    change({ before, removed, after, added }: Stretch, most: number): void {
      for (let at = 0; at < Math.min(removed, most); at++)
        addChanged('-', a[before + at] ?? '', at < added ? b[after + at] : undefined, { beforeLine: before + at + 1 });
      for (let at = 0; at < Math.min(added, most); at++)
        addChanged('+', b[after + at] ?? '', at < removed ? a[before + at] : undefined, { afterLine: after + at + 1 });
      if (Math.max(removed, added) > most) truncated = true;
    },
    result: (cut: boolean): TextDiff => ({ lines, truncated: truncated || cut }),
  };
}

/** A long line is shown from shortly before the first difference. */
function shownLine(line: string, other: string | undefined): { readonly text: string; readonly cut: boolean } {
  const most = limits.host.diffLineCharacters;
  if (line.length <= most) return { text: displayText(line), cut: false };
  let same = 0;
  while (other !== undefined && same < line.length && line[same] === other[same]) same++;
  const from = other === undefined ? 0 : Math.max(0, Math.min(same - most / 10, line.length - most));
  const text = displayText(line.slice(from, from + most));
  return {
    text: `${from > 0 ? '... ' : ''}${text}${from + most < line.length ? ' ...' : ''} (${line.length} characters)`,
    cut: true,
  };
}
