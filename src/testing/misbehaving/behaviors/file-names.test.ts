import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { fileNames } from './file-names.ts';

/** The entry lists files with these names, and their digests match. */
const has =
  (...names: readonly string[]): Check =>
  async ({ verified }) => {
    const uris = Object.keys(await verified());
    for (const name of names) expect(uris).toContain(`skill://refunds/${name}`);
  };

proves('file names that disks take for others', fileNames, {
  'case-collision-skill-md': has('SKILL.md', 'Skill.md'),
  'case-collision': has('guide.md', 'GUIDE.md'),
  'case-collision-folder': has('docs/a.md', 'Docs/a.md'),
  'case-collision-sharp-s': has('stra%C3%9Fe.md', 'STRASSE.md'),
  'unicode-form-collision': has('caf%C3%A9.md', 'cafe%CC%81.md'),
  'file-and-folder': has('notes', 'notes/a.md'),
  'windows-device-name': has('con', 'nul.txt', 'com1.md'),
  'windows-backslash': has('..%5C..%5Cevil.md'),
  'windows-drive': has('C:%5Cevil.md', 'notes.md:hidden'),
  'windows-trailing-dot': has('notes.md.', 'letter.md%20'),
  'file-name-too-long': has(`${'long-'.repeat(60)}.md`),
  'file-name-startup': has('.bashrc', '.git/hooks/post-checkout', '.vscode/tasks.json'),
});
