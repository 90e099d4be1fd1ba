import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { report, skill, temporary } from '../../../test/skill-folders.ts';
import { directorySource } from './directory-source.ts';

/** After each edit, a source that follows changes reports the same as a new scan. */
const edits: readonly (readonly [string, (root: string) => Promise<unknown>])[] = [
  ['a file is edited', (root) => writeFile(join(root, 'a/x.md'), 'other')],
  ['a description is edited', (root) => writeFile(join(root, 'a/SKILL.md'), skill('a').replace('About', 'All about'))],
  ['a file of a nested skill is edited', (root) => writeFile(join(root, 'a/inner/y.md'), 'other')],
  ['a file is added', (root) => writeFile(join(root, 'a/new.md'), 'new')],
  ['a finding comes', (root) => writeFile(join(root, 'b/SKILL.md'), `${skill('b')}\u200b`)],
  ['a finding goes', (root) => writeFile(join(root, 'b/SKILL.md'), skill('b'))],
  ['the line of a name that two skills have moves', (root) => writeFile(join(root, 'c/SKILL.md'), moved('b'))],
  ['a name changes', (root) => writeFile(join(root, 'c/SKILL.md'), skill('c'))],
  ['a name beside a nested skill is taken', (root) => writeFile(join(root, 'a/named'), 'file')],
  ['a skill breaks', (root) => writeFile(join(root, 'b/SKILL.md'), 'no frontmatter')],
  ['a broken skill is mended', (root) => writeFile(join(root, 'b/SKILL.md'), skill('b'))],
  ['a skill comes', (root) => mkdir(join(root, 'd')).then(() => writeFile(join(root, 'd/SKILL.md'), skill('d')))],
  ['a skill is renamed', (root) => rename(join(root, 'd'), join(root, 'e'))],
  ['a skill goes', (root) => rm(join(root, 'e'), { recursive: true })],
  ['an ignore file comes', (root) => writeFile(join(root, '.skillignore'), 'a/x.md\n')],
];

function moved(name: string): string {
  return skill(name).replace('---\n', '---\n# comment\n');
}

test('a change reports the same as a new scan', async () => {
  const root = await temporary({
    a: { 'SKILL.md': skill('a'), 'x.md': 'x', inner: { 'SKILL.md': skill('named'), 'y.md': 'y' } },
    b: { 'SKILL.md': skill('b') },
    c: { 'SKILL.md': skill('b') },
  });
  const source = directorySource(root, { watch: false, cache: false });
  onTestFinished(() => source.close?.());
  expect(await source.report()).toEqual(await report(root));
  for (const [what, edit] of edits) {
    await edit(root);
    const { skills, findings } = await source.report();
    const fresh = await report(root);
    const byFolder = (reported: typeof skills): typeof skills =>
      [...reported].sort((a, b) => (a.folder < b.folder ? -1 : 1));
    expect(byFolder(skills), what).toEqual(byFolder(fresh.skills));
    expect(findings, what).toEqual(fresh.findings);
  }
});
