/** The words of `trust` about a file, and of the audit about trust and installs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
beforeEach(() => {
  folder = cliFolder();
  mkdirSync(join(folder.path, '.git'));
});
afterEach(() => folder.remove());

const shadowing = 'Once it is trusted, its labels come before folders of the same name: ';

test('says which labels would come before folders, until the file is trusted', async () => {
  folder.write({
    'skillwire.json': JSON.stringify({
      origins: { docs: './elsewhere', own: './own/deep', free: './elsewhere', tools: { stdio: ['node', 'x.mjs'] } },
    }),
    'docs/a/SKILL.md': skillText('a'),
    'own/deep/b/SKILL.md': skillText('b'),
    'elsewhere/c/SKILL.md': skillText('c'),
    'tools/d/SKILL.md': skillText('d'),
  });
  const shown = await folder.run(['trust']);
  expect(shown).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`${shadowing}docs, tools\n`) });
  await folder.trust();
  expect((await folder.run(['trust'])).stderr).not.toContain(shadowing);
});

test('a file that does nothing exits with 0, as text and as JSON', async () => {
  folder.write({ 'skillwire.json': '{"origins": {"docs": "./skills"}}', 'skills/a/SKILL.md': skillText('a') });
  for (const argv of [['trust'], ['trust', '--json']])
    expect(await folder.run(argv), argv.join(' ')).toMatchObject({ exitCode: 0 });
});

test('rows of trust and install name their object', async () => {
  folder.write({
    'skillwire.json': JSON.stringify({ origins: { tools: { stdio: ['node', 'x.mjs'] } } }),
    'skills/a/SKILL.md': skillText('a'),
    'skills/b/SKILL.md': skillText('b'),
  });
  await folder.trust();
  await folder.run(['trust', '--revoke']);
  expect(await folder.run(['add', './skills', '--all', '--agent', 'claude-code', '-y'])).toMatchObject({ exitCode: 0 });
  const { stdout } = await folder.run(['audit']);
  const file = join(folder.path, 'skillwire.json');
  expect(stdout).toMatch(new RegExp(` trust +\\S+ +${file}`));
  expect(stdout).toMatch(new RegExp(` untrust +\\S+ +${file}`));
  expect(stdout).toMatch(new RegExp(` install +\\S+ +skill://a/SKILL.md and 1 more in ${folder.path}`));
});
