/** Reports of the reading commands about hidden folders and files. */
import { expect, onTestFinished, test } from 'vitest';
import { cliInProcess } from '../cli-in-process.ts';
import { skill, temporary } from '../skill-folders.ts';

const tree = {
  skills: { '.curated': { a: { 'SKILL.md': skill('a'), '.learnings': { 'x.md': 'x' } } } },
  '.claude': { skills: { b: { 'SKILL.md': skill('b') } } },
};

test('list, validate and show read the folders of agents; add and show name hidden files that are left out', async () => {
  const root = await temporary(tree);
  const cli = cliInProcess();
  onTestFinished(() => cli.remove());
  const listed = JSON.parse((await cli.run('list', root, '--json')).out) as { skills: { uri: string }[] };
  const uris = ['skill://.claude/skills/b/SKILL.md', 'skill://skills/.curated/a/SKILL.md'];
  expect(listed.skills.map(({ uri }) => uri).sort()).toEqual(uris);
  const checked = await cli.run('validate', root, '--files');
  expect(checked.out).toContain('not published: .learnings  hidden');
  expect(checked.out).toContain('1 skill, 1 file would be published (and 1 in agent folders with --agent-folders)');
  expect(checked.out).toContain('[agent-folder-read]');
  const message = 'hidden files and folders are not published: ".learnings"';
  for (const reference of ['a', uris[1] ?? '']) {
    expect((await cli.run('show', root, reference)).out).toContain(message);
    expect((await cli.run('add', root, reference, '--dry-run')).err).toContain(message);
  }
  expect((await cli.run('add', root, 'b', '--dry-run')).err).not.toContain('hidden files');
}, 60_000);
