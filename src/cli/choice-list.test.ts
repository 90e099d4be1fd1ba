import { describe, expect, test } from 'vitest';
import { choiceList, type Key } from './choice-list.ts';
import type { Choice } from './cli.ts';
import { createColors } from './render/color.ts';
import { shownWidth } from './render/text-width.ts';

const screen = { columns: 80, rows: 24 };

function choice(name: string, description = ''): Choice<string> {
  return { value: name, name, facts: '1 file, 12 B', description };
}

function list(...choices: readonly Choice<string>[]) {
  const made = choiceList('Which?', choices, createColors(false));
  const press = (...keys: readonly (string | Key)[]): readonly string[] | undefined => {
    let done: readonly Choice<string>[] | undefined;
    for (const key of keys)
      done = made.press(typeof key === 'string' && key.length > 1 ? { name: key } : asKey(key)) ?? done;
    return done?.map(({ value }) => value);
  };
  const shown = (size = screen): string[] => made.lines(size).map(({ plain }) => plain);
  return { press, shown };
}

function asKey(key: string | Key): Key {
  return typeof key === 'string' ? { name: key, sequence: key } : key;
}

const type = (text: string): Key[] => [...text].map((sequence) => ({ name: sequence, sequence }));
const three = [choice('notes', 'Writes a pdf.'), choice('a-pdf'), choice('pdf-tools', 'Merges.')];

describe('choiceList()', () => {
  test('returns the marked item if none is chosen, else all chosen ones in order', () => {
    expect(list(...three).press('return')).toEqual(['notes']);
    expect(list(...three).press('down', 'return')).toEqual(['a-pdf']);
    expect(list(...three).press('down', 'space', 'up', 'space', 'return')).toEqual(['notes', 'a-pdf']);
    expect(list(...three).press('space', 'space', 'down', 'return')).toEqual(['a-pdf']);
    expect(list(...three).press('end', 'return')).toEqual(['pdf-tools']);
    expect(list(...three).press('end', 'home', 'up', 'return')).toEqual(['notes']);
  });

  test('searches names first, then descriptions, and keeps the chosen items', () => {
    const { press, shown } = list(...three);
    press(...type('PDF'));
    expect(
      shown()
        .slice(1, -1)
        .map((line) => /\] (\S+)/.exec(line)?.[1]),
    ).toEqual(['pdf-tools', 'a-pdf', 'notes']);
    expect(shown().at(-1)).toContain('3 of 3 skills, 0 chosen');
    press('space', 'escape', ...type('note'));
    expect(shown()).toHaveLength(3);
    expect(press('space', 'return')).toEqual(['notes', 'pdf-tools']);
  });

  test('names the keys that fit, each whole, and those of a search while there is one', () => {
    const { press, shown } = list(...three);
    const hints = (columns: number): string | undefined => shown({ columns, rows: 24 }).at(-1);
    expect(hints(80)).toBe('3 skills, 0 chosen. Space: choose. Enter: install. Tab: all. Type to search.');
    expect(hints(200)).toContain('Ctrl-C: cancel.');
    expect(hints(36)).toBe('3 skills, 0 chosen. Space: choose.');
    press(...type('pdf'));
    expect(hints(80)).toBe('3 of 3 skills, 0 chosen. Space: choose. Enter: install. Esc: clear. Tab: all.');
  });

  test('selects and deselects all shown items', () => {
    const { press, shown } = list(...three);
    press(...type('pdf-'), 'tab', 'escape');
    expect(shown().at(-1)).toContain('1 chosen');
    press('tab');
    expect(shown().at(-1)).toContain('3 chosen');
    press('tab');
    expect(shown().at(-1)).toContain('0 chosen');
  });

  test('does nothing on Enter without a match, and deletes letters', () => {
    const { press, shown } = list(...three);
    expect(press(...type('xyz'), 'return')).toBeUndefined();
    expect(shown().join('\n')).toContain('Nothing matches');
    press('backspace', 'backspace', 'backspace');
    expect(shown()).toHaveLength(5);
    press(...type('abc'), { name: 'u', sequence: '\x15', ctrl: true });
    expect(shown()).toHaveLength(5);
  });

  test.each([
    { columns: 20, rows: 6 },
    { columns: 1, rows: 1 },
    { columns: 200, rows: 60 },
  ])('fits $columns columns and $rows rows, whatever the names are', (size) => {
    const hostile = [choice(`a\x1b[2J\r\n${'漢'.repeat(60)}`, '\u202egpj.'), choice('b'.repeat(300), 'x\ty')];
    const many = Array.from({ length: 40 }, (_, index) => choice(`skill-${index}`));
    const { press, shown } = list(...hostile, ...many);
    for (let step = 0; step < 45; step++) {
      const lines = shown(size);
      expect(lines.length).toBeLessThanOrEqual(Math.max(3, size.rows));
      for (const line of lines) {
        expect(shownWidth(line)).toBeLessThan(Math.max(size.columns, 2));
        expect(line).not.toMatch(/\p{Cc}|\u202e/u);
      }
      if (size.columns > 20 - 1) expect(lines.filter((line) => line.startsWith('>'))).toHaveLength(1);
      press('down');
    }
  });

  test('moves by pages through thousands of items', () => {
    const { press, shown } = list(...Array.from({ length: 5_000 }, (_, index) => choice(`s${index}`)));
    shown();
    press('pagedown', 'pagedown');
    expect(shown().find((line) => line.startsWith('>'))).toContain(' s24 ');
    press(...type('4999'));
    expect(press('return')).toEqual(['s4999']);
  });
});
