/** File names that turn into the same file, another file or a device when they are written to a disk. */
import { type Behavior, behaviors } from '../misbehavior.ts';
import { refunds, serving } from '../served-skill.ts';

const collide = {
  expected: 'refuse',
  stage: 'list',
  requirements: ['H-10', 'sec:G-5', 'adv-archive-normalization-collision'],
  what: 'Two names that are equal on a disk are found before anything is written; neither overwrites the other.',
} as const;

const onDisk = {
  expected: 'inert',
  stage: 'list',
  requirements: ['H-10', 'sec:A-8'],
  what: 'No file of that name is created; the skill is refused, or its bytes are stored under other names.',
} as const;

/** The skill with files of these names, spelled as in the URI. */
function named(...names: readonly string[]) {
  return serving(() => refunds({ files: Object.fromEntries(names.map((name) => [name, `content of ${name}\n`])) }));
}

export const fileNames: readonly Behavior[] = behaviors('entry', {
  'case-collision-skill-md': { ...collide, title: 'Skill.md lies beside SKILL.md.', script: named('Skill.md') },
  'case-collision': { ...collide, title: 'guide.md lies beside GUIDE.md.', script: named('guide.md', 'GUIDE.md') },
  'case-collision-folder': {
    ...collide,
    title: 'docs/a.md lies beside Docs/a.md.',
    script: named('docs/a.md', 'Docs/a.md'),
  },
  'case-collision-sharp-s': {
    ...collide,
    title: 'stra\u00dfe.md lies beside STRASSE.md.',
    script: named('stra%C3%9Fe.md', 'STRASSE.md'),
  },
  'unicode-form-collision': {
    ...collide,
    title: 'One name exists in both Unicode forms.',
    script: named('caf%C3%A9.md', 'cafe%CC%81.md'),
  },
  'file-and-folder': { ...collide, title: 'notes is a file and a folder.', script: named('notes', 'notes/a.md') },
  'windows-device-name': {
    ...onDisk,
    title: 'Files are called con, nul.txt and com1.md.',
    script: named('con', 'nul.txt', 'com1.md'),
  },
  'windows-backslash': {
    ...onDisk,
    title: 'A file name is ..\\..\\evil.md.',
    requirements: ['H-10', 'sec:A-2', 'adv-archive-windows-paths'],
    script: named('..%5C..%5Cevil.md'),
  },
  'windows-drive': {
    ...onDisk,
    title: 'File names are C:\\evil.md and notes.md:hidden.',
    requirements: ['H-10', 'sec:A-2', 'adv-archive-windows-paths'],
    script: named('C:%5Cevil.md', 'notes.md:hidden'),
  },
  'windows-trailing-dot': {
    ...onDisk,
    title: 'File names end with a dot and with a blank.',
    script: named('notes.md.', 'letter.md%20'),
  },
  'file-name-too-long': {
    ...onDisk,
    title: 'A file name has 300 characters.',
    script: named(`${'long-'.repeat(60)}.md`),
  },
  'file-name-startup': {
    ...onDisk,
    title: 'Files are called .bashrc, .git/hooks/post-checkout and .vscode/tasks.json.',
    requirements: ['H-48', 'H-67'],
    what: 'No file is written to a place from which programs run files.',
    script: named('.bashrc', '.git/hooks/post-checkout', '.vscode/tasks.json'),
  },
});
