import { load, YAMLException } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { fixLine, unclosedQuoteLine } from './fixed-line.ts';

function faultLine(text: string): number | undefined {
  try {
    load(text);
    return undefined;
  } catch (error) {
    if (error instanceof YAMLException) return error.mark?.line ?? 0;
    throw error;
  }
}

function fixFirst(text: string): ReturnType<typeof fixLine> {
  const line = faultLine(text);
  if (line === undefined) throw new Error('the text has no fault');
  return fixLine(text, line, faultLine);
}

describe('mendLine()', () => {
  test.each([
    ['description: Use when: asked', 'description: "Use when: asked"'],
    ['description: Use when:', 'description: "Use when:"'],
    ['description: Use when: see # 12', 'description: "Use when: see # 12"'],
    ['description: "PDF": a tool', 'description: "\\"PDF\\": a tool"'],
    ['description: "say "hi" now"', 'description: "say \\"hi\\" now"'],
    ["description: 'It's: fine'", 'description: "It\'s: fine"'],
    ['description: Use this\n  when: asked', 'description: "Use this when: asked"'],
    ['description: Use when: asked\n  for it', 'description: "Use when: asked for it"'],
    ['a:\n  b: c: d', '  b: "c: d"'],
    ['a:\n  - b: c: d', '  - b: "c: d"'],
    ['a: [b] [c]', 'a: "[b] [c]"'],
    ['a: @b', 'a: "@b"'],
    ['a: *b* c', 'a: "*b* c"'],
    ['a: "b', 'a: "b"'],
  ])('fixes %j', (text, fixed) => {
    expect(fixFirst(text)?.fixed).toBe(fixed);
  });

  test('keeps the numbers of the lines that follow', () => {
    const found = fixFirst('description: Use\n  when: asked\n  again\nname: a\nx: b: c');
    expect(found).toMatchObject({ line: 0, key: 'description', colon: true });
    expect(found?.text).toBe('description: "Use when: asked again"\n\n\nname: a\nx: b: c');
  });

  test('distinguishes colons from other faults', () => {
    expect(fixFirst('a: b: c')?.colon).toBe(true);
    expect(fixFirst('a: @b')?.colon).toBe(false);
  });

  test.each([
    ['a mapping in braces', 'a: {b: c: d}'],
    ['a list in brackets', 'a: [b: c: d]'],
    ['a field under a text', 'metadata: a\n  author: b'],
    ['a known field under the description', 'description: a\n  license: b'],
    ['a list under a text', 'a: b: c\n  - d'],
    ['escapes inside broken quotes', 'a: "b\\n" c"'],
    ['control characters', 'a: b\u0001: c'],
    ['a line that is no field', 'a: b\nfoo\nc: d'],
    ['a key that is not text', '~: b: c'],
    ['a tab as indentation', 'a:\n\tb: c'],
  ])('does not guess about %s', (_what, text) => {
    expect(fixFirst(text)).toBeUndefined();
  });
});

describe('unclosedQuoteLine()', () => {
  test('finds the line that opens the quote', () => {
    expect(unclosedQuoteLine('a: b\nc: "d\ne: f\ng: h', 3)).toBe(1);
  });

  test('finds nothing if the nearest quotes are closed, or if there are none', () => {
    expect(unclosedQuoteLine('a: "b"\nc: d', 1)).toBeUndefined();
    expect(unclosedQuoteLine('a: b', 9)).toBeUndefined();
  });
});
