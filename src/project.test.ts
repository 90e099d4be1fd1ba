import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { metaPrefix, projectDomain, repository, schemaId } from './project.ts';

const files = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(import.meta.dirname, folder, name));

test('no other source file writes the domain', () => {
  const sources = files('.', /(?<!\.test)\.ts$/).filter((name) => !name.endsWith('project.ts'));
  const code = (file: string): string => readFileSync(file, 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const literal = new RegExp(`${projectDomain}|${metaPrefix}`.replaceAll('.', '\\.'));
  expect(sources.filter((file) => literal.test(code(file)))).toEqual([]);
  expect(sources.length).toBeGreaterThan(100);
});

test('every published schema has its id on the domain', () => {
  const folder = join(import.meta.dirname, '../schema/');
  for (const file of files('../schema', /\.json$/))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ $id: schemaId(file.slice(folder.length)) });
});

test('the package names the repository of this file', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
  const address = `https://github.com/${repository}`;
  expect(JSON.parse(read('package.json'))).toMatchObject({
    homepage: `${address}#readme`,
    repository: { type: 'git', url: `git+${address}.git` },
    bugs: { url: `${address}/issues` },
  });
});
