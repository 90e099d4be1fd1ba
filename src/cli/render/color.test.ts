import { describe, expect, test } from 'vitest';
import { createColors, wantsColor } from './color.ts';

const terminal = { isTTY: true, write: () => true };
const file = { write: () => true };

describe('wantsColor()', () => {
  test.each([
    ['a terminal', terminal, {}, true, true],
    ['a file', file, {}, true, false],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, true, false],
    ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true, true],
    ['a terminal with --no-color', terminal, { FORCE_COLOR: '1' }, false, false],
    ['a file with FORCE_COLOR', file, { FORCE_COLOR: '1' }, true, true],
    ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, true, false],
    ['a file with FORCE_COLOR and NO_COLOR', file, { FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
    ['a dumb terminal', terminal, { TERM: 'dumb' }, true, false],
  ])('decides for %s', (_, stream, env, color, expected) => {
    expect(wantsColor(stream, { env, color })).toBe(expected);
  });
});

describe('createColors()', () => {
  test('adds escape codes only if asked to', () => {
    expect(createColors(true).red('x')).toBe('\x1b[31mx\x1b[39m');
    expect(createColors(false).red('x')).toBe('x');
  });
});
