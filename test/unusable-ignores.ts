/** Every form of a `.skillignore` that cannot be used: each is meant to hide `private.txt`. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skill, type Tree, write } from './skill-folders.ts';

interface Form {
  /** Also the name of a skill. */
  readonly name: string;
  readonly content: string | Uint8Array | 'link' | Tree;
  /** In the message of the finding. */
  readonly says: string;
  readonly line?: number;
}

const line = (name: string, text: string, says: string): Form => ({
  name,
  content: `private.txt\n${text}\n`,
  says,
  line: 2,
});

/** The forms that any origin can have. */
export const unusableForms: readonly Form[] = [
  line('stars', '**/a/**/b/**/c', 'more than 2 times "**"'),
  line('backslash', 'drafts\\plan.md', 'backslash'),
  line('last-backslash', 'drafts\\', 'backslash'),
  line('dot', './drafts', '"."'),
  line('dots', '../drafts', '".."'),
  line('bracket', '[draft', '"["'),
  line('indented', '\tdrafts', 'white space'),
  { name: 'large', content: `private.txt\n#${'x'.repeat(65_536)}\n`, says: '65550 bytes' },
  { name: 'long', content: `private.txt\n${'#\n'.repeat(1_001)}`, says: '1003 lines' },
  { name: 'latin', content: Buffer.from('private.txt\nentw\xfcrfe\n', 'latin1'), says: 'not text' },
  { name: 'unmarked', content: Buffer.from('private.txt\n', 'utf16le'), says: 'not text' },
  { name: 'half', content: Buffer.from('\uFEFFprivate.txt\n', 'utf16le').subarray(0, -1), says: 'not text' },
  { name: 'surrogate', content: Buffer.from('\uFEFFprivate.txt\n\uD800\n', 'utf16le'), says: 'not text' },
  { name: 'folder', content: { 'private.txt': 'x' }, says: 'is a folder' },
];

/** The form that is not a file. */
export const linkForm: Form = { name: 'link', content: 'link', says: 'is a link' };

/** Saved by an editor of Windows; these are used. */
export const markedTexts: Readonly<Record<string, Uint8Array>> = {
  'utf-8-bom': Buffer.from('\uFEFFprivate.txt\r\n'),
  'utf-16-le': Buffer.from('\uFEFFprivate.txt\r\n', 'utf16le'),
  'utf-16-be': Buffer.from('\uFEFFprivate.txt\r\n', 'utf16le').swap16(),
};

const files = (name: string): Tree => ({
  'SKILL.md': skill(name),
  'private.txt': 'secret of the author',
  below: { 'private.txt': 'secret of the author' },
});

/** Skills that are reported and not served, and such that are served without `private.txt`. */
export const ignoringTree: Tree = {
  ...Object.fromEntries(
    unusableForms.map(({ name, content }) => [name, { ...files(name), '.skillignore': content as string }]),
  ),
  ...Object.fromEntries(
    Object.entries(markedTexts).map(([name, content]) => [name, { ...files(name), '.skillignore': content }]),
  ),
  good: { 'SKILL.md': skill('good') },
};

export const servedUris: readonly string[] = ['good', ...Object.keys(markedTexts)]
  .map((name) => `skill://${name}/SKILL.md`)
  .sort();

/** The tree, a skill whose `.skillignore` is a link to a good one, and one that may not be read unless we are root. */
export async function writeIgnoringTree(root: string): Promise<readonly Form[]> {
  await write(root, { ...ignoringTree, link: files('link') });
  await writeFile(join(root, 'shared-ignores'), 'private.txt\n');
  await symlink(join('..', 'shared-ignores'), join(root, 'link/.skillignore'));
  if (process.getuid?.() === 0 || process.platform === 'win32') return [...unusableForms, linkForm];
  await mkdir(join(root, 'locked'));
  await write(join(root, 'locked'), { ...files('locked'), '.skillignore': 'private.txt\n' });
  await chmod(join(root, 'locked/.skillignore'), 0);
  return [...unusableForms, linkForm, { name: 'locked', content: '', says: 'cannot be read' }];
}
