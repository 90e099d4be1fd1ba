import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TextDiff, textDiff } from './text-diff.ts';

/** As `kind text`, without the numbers. */
function shown({ lines }: TextDiff): readonly string[] {
  return lines.map(({ kind, text }) => `${kind}${text}`);
}

/** Both sides of a diff that shows everything. */
function sides({ lines }: TextDiff): readonly [string, string] {
  const side = (other: string): string =>
    lines
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join('\n');
  return [side('+'), side('-')];
}

const numbered = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');

describe('textDiff()', () => {
  test('is empty for equal texts', () => {
    expect(textDiff('a\nb', 'a\nb')).toEqual({ lines: [], truncated: false });
  });

  test('shows a single added or removed line, even without time to compare', () => {
    for (const [before, after, sign] of [
      ['a\nc\n', 'a\nb\nc\n', '+'],
      ['a\nb\nc\n', 'a\nc\n', '-'],
    ] as const) {
      const diff = textDiff(before, after, { maxMs: 0 });
      expect(shown(diff)).toEqual([' a', `${sign}b`, ' c']);
      expect(diff.truncated).toBe(false);
    }
  });

  test('shows removed before added lines, with numbers and three lines of context', () => {
    const diff = textDiff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n5b\n6\n7\n8\n9\n');
    expect(diff.truncated).toBe(false);
    expect(diff.lines).toEqual([
      { kind: ' ', text: '2', beforeLine: 2, afterLine: 2 },
      { kind: ' ', text: '3', beforeLine: 3, afterLine: 3 },
      { kind: ' ', text: '4', beforeLine: 4, afterLine: 4 },
      { kind: '-', text: '5', beforeLine: 5 },
      { kind: '+', text: 'five', afterLine: 5 },
      { kind: '+', text: '5b', afterLine: 6 },
      { kind: ' ', text: '6', beforeLine: 6, afterLine: 7 },
      { kind: ' ', text: '7', beforeLine: 7, afterLine: 8 },
      { kind: ' ', text: '8', beforeLine: 8, afterLine: 9 },
    ]);
  });

  test('omits unchanged lines between changes and shows no line twice', () => {
    const before = numbered(20, 'line');
    const after = before.replace('line 3', 'x').replace('line 8', 'y').replace('line 18', 'z');
    expect(shown(textDiff(before, after, { context: 2 }))).toEqual([
      ' line 1',
      ' line 2',
      '-line 3',
      '+x',
      ' line 4',
      ' line 5',
      ' line 6',
      ' line 7',
      '-line 8',
      '+y',
      ' line 9',
      ' line 10',
      ' line 16',
      ' line 17',
      '-line 18',
      '+z',
      ' line 19',
    ]);
  });

  test('shows a new text as added and a removed one as removed', () => {
    expect(shown(textDiff('', 'a\nb\n'))).toEqual(['+a', '+b']);
    expect(shown(textDiff('a\nb', ''))).toEqual(['-a', '-b']);
  });

  test('shows a last line break that one side lacks', () => {
    expect(shown(textDiff('a\nb\n', 'a\nb'))).toEqual([' a', ' b', '-']);
    expect(shown(textDiff('a', 'a\n'))).toEqual([' a', '+']);
  });

  test('shows line ends that change, and hides them if all are CRLF', () => {
    expect(shown(textDiff('a\nb\n', 'a\r\nb\n'))).toEqual(['-a', '+a\\r', ' b']);
    expect(shown(textDiff('a\r\nb\r\n', 'a\r\nc\r\n'))).toEqual([' a', '-b', '+c']);
  });

  test('escapes control and invisible characters', () => {
    expect(shown(textDiff('a', 'a\u202e\u001b[2J\u{e0041}'))).toEqual(['-a', '+a\\u{202e}\\u{1b}[2J\\u{e0041}']);
  });

  test('shows a long line from its first difference, and marks it as cut', () => {
    const line = 'x'.repeat(5_000);
    const diff = textDiff(`${line}${line}`, `${line}EVIL${line}`);
    expect(diff.truncated).toBe(true);
    expect(diff.lines.length).toBe(2);
    expect(diff.lines[1]?.text).toMatch(/^\.\.\. x{40}EVILx+ \.\.\. \(10004 characters\)$/);
    expect(diff.lines[1]?.text.length).toBeLessThan(450);
    const end = textDiff(line, `${line}END`);
    expect(end.lines[1]?.text).toMatch(/^\.\.\. x+END \(5003 characters\)$/);
    expect(textDiff('', line).truncated).toBe(true);
  });

  test('does not mark a diff as cut because unchanged lines are long', () => {
    const diff = textDiff(`${'x'.repeat(1_000)}\na`, `${'x'.repeat(1_000)}\nb`);
    expect(diff.truncated).toBe(false);
    expect(diff.lines[0]?.text.length).toBeLessThan(450);
  });

  test('shows a limited number of lines and marks the rest', () => {
    const diff = textDiff('', numbered(10, 'line'), { maxLines: 4 });
    expect(diff.lines.length).toBe(4);
    expect(diff.truncated).toBe(true);
    expect(textDiff('', numbered(50_000, 'line')).lines.length).toBe(2_000);
  });

  test('stops on texts that differ too much, and shows the start of both', () => {
    const diff = textDiff(`same\n${numbered(5_000, 'old')}\nend`, `same\n${numbered(5_000, 'new')}\nend`);
    expect(diff.truncated).toBe(true);
    expect(diff.lines.length).toBe(2_000);
    expect(diff.lines[0]).toEqual({ kind: '-', text: 'old 0', beforeLine: 2 });
    expect(diff.lines[1_000]).toEqual({ kind: '+', text: 'new 0', afterLine: 2 });
  });

  test('does not search in texts that are too long', () => {
    const long = numbered(60_000, 'line');
    expect(textDiff(`a\n${long}\nb`, `c\n${long}\nd`).truncated).toBe(true);
    expect(textDiff(`${long}\nb`, `${long}\nd`)).toMatchObject({ truncated: false });
  });

  test('terminates on texts that are slow to compare', () => {
    const random = (seed: number): string => {
      let state = seed;
      return Array.from({ length: 40_000 }, () => {
        state = (state * 1103515245 + 12345) % 2 ** 31;
        return state % 2 === 0 ? 'a' : 'b';
      }).join('\n');
    };
    expect(textDiff(random(1), random(7)).truncated).toBe(true);
    const same = `${'y'.repeat(100_000)}\n`.repeat(20);
    expect(textDiff(same, `${same}z\n`).truncated).toBe(false);
  });

  test('shows both texts in full if it is not cut', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => `${lines.join('\n')}!`);
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const diff = textDiff(before, after, { context: 100 });
        expect(diff.truncated).toBe(false);
        expect(sides(diff)).toEqual([before, after]);
      }),
    );
  });
});
