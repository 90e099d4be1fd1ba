/** The faults that `npm run mutate` puts into the code, and the tests that it runs for them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

interface Mutant {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { mutantsOf, applied } = (await import(script('mutants-of.mjs'))) as {
  mutantsOf(fileName: string, source: string): readonly Mutant[];
  applied(source: string, mutant: Mutant): string;
};
const { nearestTests } = (await import(script('nearest-tests.mjs'))) as {
  nearestTests(root: string, files: readonly string[]): (file: string, most: number) => readonly string[];
};

const faults = (source: string): string[] => mutantsOf('a.ts', source).map(({ operator, to }) => `${operator}: ${to}`);

describe('mutantsOf()', () => {
  test.each([
    ['if (a.b) c();', ['negated condition: if (!(a.b)) c();', 'removed statement: if (a.b) ;']],
    ['const a = b < c;', ['boundary: const a = b <= c;']],
    ['const a = b !== c;', ['equality: const a = b === c;']],
    ['const a = b && !c;', ['logical: const a = b || !c;', 'negation: const a = b && (c);']],
    ['const a = b ?? c;', ['logical: const a = (c);']],
    ['const a = b + c;', ['arithmetic: const a = b - c;']],
    ['throw a;', ['removed statement: ;']],
    ['function a() { return b; }', ['returned value: function a() { return undefined; }']],
    ['const a = () => b;', ['returned value: const a = () => undefined;']],
    [
      "const a = { b: 'c', d: 1 };",
      ["literal: const a = { b: '', d: 1 };", "literal: const a = { b: 'c', d: (1 + 1) };"],
    ],
    ['const a = true;', ['literal: const a = false;']],
  ])('makes of %s', (source, expected) => {
    expect(faults(source)).toEqual(expected);
  });

  test.each([
    ["import { a } from './a.ts';"],
    ["type A = 'b' | 1;"],
    ["interface A { readonly b: 'c' }"],
    ["const a = b as 'c';"],
    ["const a = { 'b-c': d };"],
    ["const a = 'a sentence for people';"],
    ['const a = b + `c`;'],
  ])('leaves %s alone', (source) => {
    expect(faults(source)).toEqual([]);
  });

  test('names the line, and changes nothing else', () => {
    const source = 'const a = 1;\n  if (\n    b\n  )\n    c();\n';
    const [, negated] = mutantsOf('a.ts', source);
    expect(negated).toMatchObject({ line: 3, from: 'b', to: '!(b)' });
    expect(applied(source, negated as Mutant)).toBe('const a = 1;\n  if (\n    !(b)\n  )\n    c();\n');
  });
});

test('nearestTests() takes the test beside the file, then those that import it over the fewest files', () => {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-nearest-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files: Record<string, string> = {
    'src/skill/a.ts': '',
    'src/skill/a.test.ts': "import './a.ts';",
    'src/skill/b.ts': "import { a } from './a.ts';",
    'src/skill/b.test.ts': "await import('./b.ts');",
    'src/host/c.test.ts': "import { a } from '../skill/a.ts';",
    'src/host/types.test.ts': "import type { A } from '../skill/a.ts';",
    'test/contract/d.test.ts': "import { a } from '../../src/skill/a.ts';",
    'test/e2e/e.test.ts': "import { a } from '../../src/skill/a.ts';",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const near = nearestTests(root, Object.keys(files));
  const all = ['src/skill/a.test.ts', 'src/host/c.test.ts', 'src/skill/b.test.ts', 'test/contract/d.test.ts'];
  expect(near('src/skill/a.ts', 9)).toEqual(all);
  expect(near('src/skill/a.ts', 2)).toEqual(all.slice(0, 2));
});
