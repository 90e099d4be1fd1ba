import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { readFrontmatter } from './frontmatter.ts';

const encoder = new TextEncoder();

/** As many repetitions as fit into the largest frontmatter beside name and description. */
function fill(piece: string): string {
  return piece.repeat(Math.floor((limits.frontmatter.bytes - 100) / encoder.encode(piece).length));
}

function read(yaml: string): ReturnType<typeof readFrontmatter> {
  return readFrontmatter(encoder.encode(`---\nname: a\ndescription: b\n${yaml}\n---\n`));
}

const hostile: readonly [what: string, yaml: string][] = [
  ['empty lists in a row', fill('[]')],
  ['a list of empty lists', `x: [${fill('[],')}]`],
  ['empty texts in a row', fill('"" ')],
  ['opening brackets', `x: ${fill('[')}`],
  ['opening braces', `x: ${fill('{')}`],
  ['brackets and braces in turn', fill('[{a: ')],
  ['question marks', fill('? ')],
  ['dashes', `x:\n ${fill('- ')}`],
  ['many keys', Array.from({ length: 7_000 }, (_, index) => `k${index}:`).join('\n')],
  ['many numbers', `x: [${fill('1,')}]`],
  ['many aliases', `x: &x a\ny: [${fill('*x ,')}]`],
  ['aliases that double', doubling(60)],
  ['anchors', fill('&a ')],
  ['tags', fill('!a ')],
  ['lines without quotes around colons', Array.from({ length: 4_000 }, (_, index) => `k${index}: b: c`).join('\n')],
  ['one line of colons', `x: ${fill('b: ')}`],
  ['a long blank line after a word', `x${fill(' ')}`],
  ['line breaks', fill('\n')],
  ['carriage returns', fill('\r')],
  ['tabs', fill('\t')],
  ['percent signs', fill('%')],
  ['document ends', fill('...\n')],
  ['an unclosed quote over many lines', `x: "${fill('a\n ')}`],
  ['many quotes', fill(`'"`)],
  ['many escapes', `x: "${fill('\\u202e')}"`],
  ['a text of many lines with a colon at its end', `description: a\n${fill('  b\n')}  c: d`],
  ['a large block', `x: |\n${fill(' a\n')}`],
  ['a long key', `${fill('a')}: x`],
  ['deep indentation', Array.from({ length: 340 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')],
  ['lists as keys', `x: {${fill('[a]: b, ')}}`],
  ['byte-order marks', fill('\ufeff')],
  ['emoji', `x: ${fill('\u{1f600}')}`],
];

function doubling(levels: number): string {
  const lines = ['x0: &x0 [a, a]'];
  for (let level = 1; level <= levels; level++) lines.push(`x${level}: &x${level} [*x${level - 1}]`);
  return lines.join('\n');
}

describe('readFrontmatter() terminates and does not throw', () => {
  test.each(hostile)('for %s', (_what, yaml) => {
    expect(encoder.encode(yaml).length).toBeLessThan(limits.frontmatter.bytes);
    const reading = read(yaml);
    expect(reading.ok).toBe(reading.findings.every(({ level }) => level !== 'problem'));
    expect(reading.findings.length).toBeLessThanOrEqual(limits.frontmatter.findings + 1);
    for (const { message } of reading.findings) expect(message.length).toBeLessThan(1_000);
  });

  test('for a billion laughs without an expansion', () => {
    const lines = ['x0: &x0 [a, a, a, a, a, a]'];
    for (let level = 1; level <= 10; level++) lines.push(`x${level}: &x${level} [${`*x${level - 1}, `.repeat(6)}]`);
    expect(read(lines.join('\n')).findings).toMatchObject([{ rule: 'frontmatter-too-large' }]);
  });

  test('for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(readFrontmatter(bytes).ok).toBe(false);
        const reading = readFrontmatter(
          Uint8Array.of(...encoder.encode('---\n'), ...bytes, ...encoder.encode('\n---\n')),
        );
        expect(reading.ok || reading.findings.some(({ level }) => level === 'problem')).toBe(true);
      }),
    );
  });

  test('for any pieces of YAML, and accepted ones are JSON', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...[
          'a',
          'b',
          ': ',
          ':',
          '\n',
          '\n  ',
          '\n- ',
          '- ',
          '[',
          ']',
          '{',
          '}',
          ', ',
          '"',
          "'",
          '|',
          '>',
          '&x ',
          '*x',
          '!t ',
          '#',
          ' #',
        ],
        ...[
          '? ',
          '---',
          '...',
          '\t',
          '\r',
          '\\',
          '1',
          '.5',
          'true',
          'null',
          '~',
          '<<: ',
          '__proto__: ',
          '|2',
          '%',
          '@',
          '\u0085',
          '\ufeff',
        ],
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const reading = read(pieces.join(''));
        expect(reading.ok).toBe(reading.findings.every(({ level }) => level !== 'problem'));
        for (const { line } of reading.findings) expect(line).toBeGreaterThan(0);
        if (reading.ok) expect(JSON.parse(JSON.stringify(reading.frontmatter))).toStrictEqual(reading.frontmatter);
      }),
      { numRuns: 3_000 },
    );
  });
});
