/** The faults that `npm run mutate` puts into the code, and the tests that it runs for them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
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
  nearestTests(root: string, files: readonly string[]): { of(file: string): readonly string[] };
};
const { withSwitches } = (await import(script('mutant-switches.mjs'))) as {
  withSwitches(fileName: string, source: string, mutants: readonly (Mutant & { number: number })[]): string;
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
    // Only the sign of a comparison counts.
    [
      'const a = b < c ? -1 : 1;',
      ['negated condition: const a = !(b < c) ? -1 : 1;', 'boundary: const a = b <= c ? -1 : 1;'],
    ],
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
  ])('ignores %s', (source) => {
    expect(faults(source)).toEqual([]);
  });

  test('names the line, and changes nothing else', () => {
    const source = 'const a = 1;\n  if (\n    b\n  )\n    c();\n';
    const [, negated] = mutantsOf('a.ts', source);
    expect(negated).toMatchObject({ line: 3, from: 'b', to: '!(b)' });
    expect(applied(source, negated as Mutant)).toBe('const a = 1;\n  if (\n    !(b)\n  )\n    c();\n');
  });
});

/** The output of a program with one fault: in its own text, and by the switch. */
function bothWays(source: string, mutants: readonly Mutant[], number: number): unknown[] {
  const switched = withSwitches(
    'a.ts',
    source,
    mutants.map((one, index) => ({ ...one, number: index })),
  );
  const mutant = mutants[number];
  const own = mutant === undefined ? source : applied(source, mutant);
  const answers = [own, switched].map((text) => {
    const { outputText } = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
    const global = { __fault: (one: number) => one === number };
    try {
      return new Function('globalThis', `${outputText}; return [1, 2, 3].map(a);`)(global);
    } catch (error) {
      return String(error);
    }
  });
  return answers;
}

test.each([
  ['function a(b: number) { if (b < 2 && b !== 1) return "x"; return b + 1 - 2; }'],
  ['function a(b: number) { const c: string[] = []; if (b === 2) c.push("d"); else c.push("e"); return c; }'],
  ['const a = (b: number) => (b > 1 ? { c: true, d: -1 } : undefined) ?? { c: false };'],
  ['const a = (b: number) => { for (let c = 0; c < 3; c++) { if (!(c < b)) break; b = b * 2; } return b; };'],
  ['const a = (b: number) => (c => c || "d" as const)(b === 1);'],
  ['const a = (b: number) => { if (b === 3) throw new Error("e"); return [b + 1]; };'],
])('withSwitches() has each fault of %s, active only if it is on', (source) => {
  const mutants = mutantsOf('a.ts', source);
  expect(mutants.length).toBeGreaterThan(3);
  for (let number = -1; number < mutants.length; number++) {
    const [own, switched] = bothWays(source, mutants, number);
    expect(switched, mutants[number]?.to).toEqual(own);
  }
});

test('nearestTests() returns the test beside the file, then those with the shortest chain of imports', () => {
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
  const all = ['src/skill/a.test.ts', 'src/skill/b.test.ts', 'src/host/c.test.ts', 'test/contract/d.test.ts'];
  expect(near.of('src/skill/a.ts')).toEqual(all);
});
