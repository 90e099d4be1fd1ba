import { describe, expect, test } from 'vitest';
import { helpSections, sectionLines } from './help-sections.ts';

const text = `
ORIGIN is one of:
  ./skills     a folder with a very long explanation
LABEL=ORIGIN names an origin, and this goes on
for two lines.

Exit codes:
  0 ok, 1 findings, 2 wrong usage or failure,
  130 interrupted

Examples:
  skillwire list ./a-folder/that/has/a/long/name`;

describe('helpSections()', () => {
  test('splits at headings', () => {
    expect(helpSections(text).map(({ heading }) => heading)).toEqual(['', 'Exit codes', 'Examples']);
  });
});

describe('sectionLines()', () => {
  test('wraps prose, rows and exit codes, and never a command', () => {
    expect(helpSections(text).map((section) => sectionLines(section, 36).join('\n'))).toEqual([
      `ORIGIN is one of:
  ./skills     a folder with a very
               long explanation
LABEL=ORIGIN names an origin, and
this goes on for two lines.`,
      `Exit codes:
  0 ok, 1 findings,
  2 wrong usage or failure,
  130 interrupted`,
      `Examples:
  skillwire list ./a-folder/that/has/a/long/name`,
    ]);
  });

  test('puts a word that is too long on its own line', () => {
    const long = 'x'.repeat(50);
    expect(sectionLines({ heading: '', lines: [`a ${long} b`] }, 40)).toEqual(['a', long, 'b']);
  });
});
