/** The operator's view of a denial, and the policy of a configuration in a built site. */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cliInProcess } from '../../cli-in-process.ts';
import { sha256 } from '../../scripted-site.ts';
import { temporary } from '../../skill-folders.ts';

const skill = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`;
const inner = skill('inner', 'zinner');

async function configured(policy: object) {
  const cli = cliInProcess();
  onTestFinished(() => cli.remove());
  const folder = await temporary({
    skills: {
      outer: { 'SKILL.md': skill('outer', 'zouter'), inner: { 'SKILL.md': inner, 'x.txt': 'zfile' } },
      shell: { 'SKILL.md': skill('shell', 'zshell: !`date`') },
      plain: { 'SKILL.md': skill('plain', 'zplain'), 'x.txt': 'x' },
    },
  });
  const file = join(folder, 'skillwire.json');
  const origins = { nest: { folder: './skills', prefix: 'team' } };
  await writeFile(file, JSON.stringify({ origins, policy }));
  return { folder, run: (...argv: readonly string[]) => cli.run(...argv, '--config', file), bare: cli.run };
}

async function textsOf(folder: string): Promise<string> {
  const texts: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), 'latin1'));
  return texts.join('\n');
}

test.each([
  ['--match', 'nest/team/outer/inner'],
  ['--digest', sha256(inner)],
])('"deny add %s" names the affected skills, also those that contain it', async (option, value) => {
  const { run } = await configured({});
  const denial = await run('deny', 'add', option, value);
  expect(denial.exitCode, denial.err).toBe(0);
  expect(denial.err.split('\n').slice(1)).toEqual([
    'no longer served: nest/team/outer (contains nest/team/outer/inner)',
    'no longer served: nest/team/outer/inner',
    '',
  ]);
  const { out } = await run('deny', 'add', option, value, '--json');
  expect(JSON.parse(out)).toMatchObject({
    skills: [
      { origin: 'nest', path: 'nest/team/outer', contains: 'nest/team/outer/inner' },
      { origin: 'nest', path: 'nest/team/outer/inner', contains: null },
    ],
  });
});

test('"deny add" of an outer skill reports only that skill as denied', async () => {
  const { run } = await configured({});
  const { skills } = JSON.parse((await run('deny', 'add', '--match', '/nest/team/outer', '--json')).out) as {
    skills: readonly { path: string; contains: string | null }[];
  };
  expect(skills.map(({ path, contains }) => [path, contains])).toEqual([
    ['nest/team/outer', null],
    ['nest/team/outer/inner', null],
  ]);
  expect((await run('deny', 'add', '--match', 'nothing')).err).toBe('denied: match nothing\n');
});

test('"deny add" denies even if the configuration is unreadable, and reports what it cannot know', async () => {
  const { folder, run, bare } = await configured({});
  await writeFile(join(folder, 'skillwire.json'), '{');
  const denial = await run('deny', 'add', '--match', 'nest');
  expect(denial.exitCode).toBe(0);
  expect(denial.err).toMatch(/^warning: Cannot list the affected skills: .*\ndenied: match nest\n$/s);
  expect((await bare('deny', 'list')).out).toContain('nest');
});

test('"build" publishes what the policy allows, and removes what was denied since the last build', async () => {
  const { folder, run } = await configured({ scripts: false });
  const out = join(folder, 'site');
  const built = await run('build', '--out', out);
  expect(built.exitCode, built.err).toBe(0);
  const before = await textsOf(out);
  for (const word of ['zouter', 'zinner', 'zfile', 'zplain']) expect(before, word).toContain(word);
  expect(before).not.toContain('zshell');
  expect(existsSync(join(out, '.well-known/agent-skills/shell'))).toBe(false);
  await run('deny', 'add', '--match', 'nest/team/outer/inner', '--reason', 'INC-7');
  expect((await run('build', '--out', out, '--check')).exitCode).toBe(1);
  const again = await run('build', '--out', out);
  expect(again.err).toContain('INC-7');
  const after = await textsOf(out);
  for (const word of ['zouter', 'zinner', 'zfile', 'zshell']) expect(after, word).not.toContain(word);
  expect(after).toContain('zplain');
});
