// Which unit and contract tests are near a source file: the one beside it, then those that import it over the fewest files. Tests of the
// same room come first among equals, contract tests after unit tests. Type imports do not count: nothing of the file runs through them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const isTest = (/** @type {string} */ file) => /^(src\/.*|test\/(contract|hostile)\/.*)\.test\.ts$/.test(file);

/**
 * @param {string} root @param {readonly string[]} files of the repository
 * @returns {(file: string, most: number) => readonly string[]}
 */
export function nearestTests(root, files) {
  const importers = new Map();
  for (const file of files) {
    if (!/^(src|test)\/.*\.ts$/.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8').replace(/^(import|export) type [^;]*;/gm, '');
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = join(dirname(file), fileName);
      if (!existsSync(join(root, target))) continue;
      if (!importers.has(target)) importers.set(target, []);
      importers.get(target).push(file);
    }
  }

  return (file, most) => {
    const beside = file.replace(/\.ts$/, '.test.ts');
    const room = file.split('/')[1] ?? '';
    const distances = new Map([[file, 0]]);
    for (const [one, distance] of distances)
      for (const importer of importers.get(one) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    const rank = (/** @type {[string, number]} */ [test, distance]) =>
      test === beside
        ? 0
        : distance + (test.split('/').slice(1, -1).includes(room) ? 0 : 0.5) + (test.startsWith('src/') ? 0 : 1);
    return [...distances]
      .filter(([one]) => isTest(one))
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, most)
      .map(([test]) => test);
  };
}
