import { describe, expect, test } from 'vitest';
import { createColors } from './color.ts';
import { type Column, tableText, tableWidth } from './table.ts';

interface Row {
  readonly name: string;
  readonly size: number;
  readonly text: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'SIZE', right: true, text: ({ size }) => String(size) },
  { title: 'TEXT', rest: true, text: ({ text }) => text },
];

const table = (rows: readonly Row[], width = 40): string =>
  tableText(rows, columns, { width, colors: createColors(false) });

describe('tableText()', () => {
  test('aligns columns without trailing blanks', () => {
    const rows = [
      { name: 'a', size: 5, text: 'first' },
      { name: 'longer', size: 1234, text: '' },
    ];
    expect(table(rows)).toBe('NAME    SIZE  TEXT\na          5  first\nlonger  1234\n');
  });

  test('is empty if there are no rows', () => {
    expect(table([])).toBe('');
  });

  test('cuts the last column to the width, and counts wide characters twice', () => {
    expect(table([{ name: 'a', size: 1, text: 'word '.repeat(20) }])).toBe(
      'NAME  SIZE  TEXT\na        1  word word word word word...\n',
    );
    const wide = table([{ name: 'a', size: 1, text: '漢'.repeat(40) }]).split('\n')[1] ?? '';
    expect(wide).toBe(`a        1  ${'漢'.repeat(12)}...`);
  });

  test('cuts the widest column if the rest is too narrow', () => {
    const lines = table([{ name: 'n'.repeat(80), size: 1, text: 'a text of some length' }], 60)
      .trimEnd()
      .split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines[1]).toContain('nnn...');
  });

  test('escapes text that would act on the terminal', () => {
    const text = table([{ name: '\x1b[2Jx', size: 1, text: 'a\nb\u202ec\x07' }], 200);
    expect(text).toContain('\\u{1b}[2Jx');
    expect(text).toContain('a\\nb\\u{202e}c\\u{7}');
    expect(text.split('\n')).toHaveLength(3);
  });

  test('colors cells without changing their width', () => {
    const colored = tableText(
      [{ name: 'a', size: 1, text: 'b' }],
      [{ ...columns[0], style: (_, colors) => colors.red } as Column<Row>, ...columns.slice(1)],
      {
        width: 40,
        colors: createColors(true),
      },
    );
    expect(colored).toContain('\x1b[31ma\x1b[39m        1  b\n');
  });
});

describe('tableWidth()', () => {
  test('is the width of the terminal, or a fixed one elsewhere', () => {
    const write = (): void => {};
    expect(tableWidth({ isTTY: true, columns: 72, write })).toBe(72);
    expect(tableWidth({ isTTY: true, columns: 0, write })).toBe(120);
    expect(tableWidth({ isTTY: true, write })).toBe(120);
    expect(tableWidth({ columns: 72, write })).toBe(120);
  });
});
