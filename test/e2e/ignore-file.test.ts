/** A `.skillignore` that cannot be used keeps its skill from being published, by every command that publishes or reads folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listedUris, listeningAt } from '../served-folder.ts';
import { servedUris, writeIgnoringTree } from '../unusable-ignores.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';

let folder: CliFolder;
let problems: number;

beforeAll(async () => {
  folder = cliFolder();
  problems = (await writeIgnoringTree(join(folder.path, 'skills'))).length;
});

afterAll(() => folder.remove());

const names = servedUris.map((uri) => uri.split('/').at(-2));

test('validate lists no hidden file and exits with 1', async () => {
  const { stdout, exitCode } = await folder.run(['validate', 'skills', '--files', '--format', 'json']);
  expect([exitCode, stdout.includes('"private.txt"')]).toEqual([1, true]);
  const { skills, counts } = JSON.parse(stdout) as {
    skills: { uri: string; files: { path: string }[] }[];
    counts: { problems: number };
  };
  expect(skills.map(({ uri }) => uri).sort()).toEqual(servedUris);
  expect(skills.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(servedUris.map(() => 'SKILL.md'));
  expect(counts.problems).toBe(problems);
});

test('build writes no hidden file, reports the fault with file and line, and exits with 1', async () => {
  const { stderr, exitCode } = await folder.run(['build', 'skills', '--out', 'site']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    'skills/stars/.skillignore:2  problem  .skillignore cannot be used: the line has more than 2 times "**", ' +
      'so nothing in its folder is published  [ignore-file]\n    use "**" at most 2 times in a line\n',
  );
  const site = join(folder.path, 'site');
  const written = readdirSync(site, { recursive: true, encoding: 'utf8' });
  expect(written.filter((path) => path.includes('private'))).toEqual([]);
  for (const path of written)
    if (existsSync(join(site, path)) && /\.(?:md|json|html)$/.test(path))
      expect(readFileSync(join(site, path), 'utf8')).not.toContain('secret of the author');
  const index = JSON.parse(readFileSync(join(site, '.well-known/agent-skills/index.json'), 'utf8'));
  expect(index.skills.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
});

test('list and serve show none of these skills', async () => {
  const { stdout } = await folder.run(['list', './skills', '--json']);
  for (const name of ['stars', 'link', 'folder', 'large']) expect(stdout).not.toContain(`skill://${name}/`);
  for (const uri of servedUris) expect(stdout).toContain(uri);
  const server = folder.start(['serve', 'skills', '--http', '0', '--json']);
  const { mcp } = await listeningAt(server);
  expect(await listedUris(mcp)).toEqual(servedUris);
  server.child.kill();
  await server.ended;
});

test('pack refuses such a folder', async () => {
  const { stderr, exitCode } = await folder.run(['pack', 'skills/stars', '--out', 'stars.tar.gz']);
  expect([exitCode, existsSync(join(folder.path, 'stars.tar.gz'))]).toEqual([expect.any(Number), false]);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('.skillignore');
});
