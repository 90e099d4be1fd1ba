// Finds the unit and contract tests nearest to a source file: the one beside it, then those with the shortest chain of imports. Tests of other
// rooms count as two files farther away; contract tests come after unit tests. Type imports do not count, because they run no code.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const isTest = (/** @type {string} */ file) => /^(src\/.*|test\/(contract|hostile)\/.*)\.test\.ts$/.test(file);

/** @param {string} root @param {readonly string[]} files of the repository */
export function nearestTests(root, files) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  for (const file of files) {
    if (!/^(src|test)\/.*\.ts$/.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8').replace(/^(import|export) type [^;]*;/gm, '');
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = join(dirname(file), fileName);
      if (!existsSync(join(root, target))) continue;
      importers.set(target, [...(importers.get(target) ?? []), file]);
      imports.set(file, [...(imports.get(file) ?? []), target]);
    }
  }

  return {
    /** The tests that import a file, the nearest one first. @param {string} file */
    of(file) {
      const beside = file.replace(/\.ts$/, '.test.ts');
      const room = file.split('/')[1] ?? '';
      const rank = (/** @type {[string, number]} */ [test, distance]) =>
        test === beside
          ? 0
          : distance + (test.split('/').slice(1, -1).includes(room) ? 0 : 2) + (test.startsWith('src/') ? 0 : 0.5);
      return [...distances(importers, file)]
        .filter(([one]) => isTest(one))
        .sort((a, b) => rank(a) - rank(b))
        .map(([test]) => test);
    },
    /** All files that a test imports, itself first. @param {string} test */
    behind: (test) => [...distances(imports, test).keys()],
  };
}

/** @param {ReadonlyMap<string, readonly string[]>} edges @param {string} from */
function distances(edges, from) {
  const found = new Map([[from, 0]]);
  for (const [one, distance] of found)
    for (const next of edges.get(one) ?? []) if (!found.has(next)) found.set(next, distance + 1);
  return found;
}
