/** Cases of the corpus in `unusual-tree.ts` with unusual files, folders or links, but a correct `SKILL.md`. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  description,
  link,
  refused,
  served,
  skillText,
  type UnusualCase,
  type UnusualFolder,
  withFiles,
} from './unusual-skill.ts';

/** A file that certainly exists outside the tree: this one. */
const outside = fileURLToPath(import.meta.url);

const composed = 'references/caf\u00e9.md';
const decomposed = 'references/cafe\u0301.md';

/** Starts like a private key but contains none. The header is split, so that no scanner takes this file for a key. */
function fakeKey(kind: string): string {
  return [`-----BEGIN ${kind}`, 'KEY-----\nnot a key: written for a test\n-----END', `${kind} KEY-----\n`].join(' ');
}

/** Folders without skills, as targets of links. */
export const linkTargets: UnusualFolder = {
  'shared-texts/style.md': '# Style\n\nShort sentences.\n',
  '.store/pinned-checks/SKILL.md': skillText('name: pinned-checks', description),
  '.store/pinned-checks/references/rows.md': '# Rows\n',
};

export const fileCases: readonly UnusualCase[] = [
  served(
    'spaced-file-name',
    'A file name has spaces.',
    withFiles('spaced-file-name', { 'references/rows and columns.md': '# Rows and columns\n' }),
  ),
  served(
    'non-ascii-file-names',
    'File names are German and Japanese.',
    withFiles('non-ascii-file-names', { 'references/größen.md': '# Größen\n', 'references/用語集.md': '# 用語集\n' }),
  ),
  served(
    'decomposed-file-name',
    'A file name is stored decomposed, as some systems do, and published composed.',
    withFiles('decomposed-file-name', { [decomposed]: '# Café\n' }),
    { files: ['SKILL.md', composed] },
  ),
  served(
    'team notes/spaced-prefix',
    'The folder in front of the skill has a space.',
    withFiles('spaced-prefix', { 'references/rows.md': '# Rows\n' }),
  ),
  served(
    'cafe\u0301/decomposed-prefix',
    'The folder in front of the skill is stored decomposed and published composed.',
    withFiles('decomposed-prefix', {}),
    { uri: 'skill://caf%C3%A9/decomposed-prefix/SKILL.md' },
  ),
  served('one/two/three/deep-prefix', 'Three folders precede the skill.', withFiles('deep-prefix', {})),
  served(
    'latin-1-reference',
    'A supporting file is called .md and is not UTF-8.',
    withFiles('latin-1-reference', { 'references/latin-1.md': Buffer.from('# Größen\n', 'latin1') }),
  ),
  served(
    'many-file-types',
    'Files have names and endings that media type tables often lack.',
    withFiles('many-file-types', {
      Dockerfile: 'FROM scratch\n',
      'assets/settings.toml': 'strict = true\n',
      'assets/rows.csv': 'id,name\n1,Ada\n',
      'scripts/check.rs': 'fn main() {}\n',
    }),
  ),
  served('empty-file', 'A file has no bytes.', withFiles('empty-file', { 'assets/empty.txt': '' })),
  served('empty-folder', 'A folder holds nothing.', withFiles('empty-folder', { assets: { kind: 'empty folder' } })),
  served(
    'executable-script',
    'A script may be executed.',
    withFiles('executable-script', { 'scripts/check.sh': { kind: 'script', text: '#!/bin/sh\necho checked\n' } }),
  ),
  served(
    'skill-in-skill',
    'A skill lies inside another skill, which also lists the files of the inner one.',
    withFiles('skill-in-skill', {
      'inner-check/SKILL.md': skillText('name: inner-check', description),
      'inner-check/references/rows.md': '# Rows\n',
    }),
  ),
  served(
    'skill-in-skill/inner-check',
    'A skill that lies inside another one has an entry of its own.',
    {},
    { files: ['SKILL.md', 'references/rows.md'] },
  ),

  served(
    'hidden-files',
    'Hidden files and a version control folder lie in the skill.',
    withFiles('hidden-files', {
      '.env': 'TOKEN=written-for-a-test\n',
      '.DS_Store': Buffer.from([0, 0, 0, 1]),
      '.git/HEAD': 'ref: refs/heads/main\n',
    }),
    { rules: ['file-hidden'], notPublished: ['.env', '.DS_Store', '.git/HEAD'] },
  ),
  served(
    'editor-backups',
    'Editors have left copies and locks behind.',
    withFiles('editor-backups', {
      'references/rows.md': '# Rows\n',
      'SKILL.md~': 'older\n',
      'references/rows.md~': 'older\n',
      'references/#rows.md#': 'unsaved\n',
      'references/.rows.md.swp': 'lock\n',
      'references/rows.md.swp': 'lock\n',
      'references/rows.md.bak': 'older\n',
      'references/rows.md.orig': 'older\n',
    }),
    {
      notPublished: [
        'SKILL.md~',
        'references/rows.md~',
        'references/#rows.md#',
        'references/.rows.md.swp',
        'references/rows.md.swp',
        'references/rows.md.bak',
        'references/rows.md.orig',
      ],
    },
  ),
  served(
    'installed-dependencies',
    'The skill contains installed packages, one of them with a SKILL.md.',
    withFiles('installed-dependencies', {
      'scripts/check.mjs': 'export {};\n',
      'scripts/node_modules/rows/index.js': 'export {};\n',
      'scripts/node_modules/rows/SKILL.md': skillText('name: rows', description),
    }),
    { notPublished: ['scripts/node_modules/rows/index.js', 'scripts/node_modules/rows/SKILL.md'] },
  ),
  served(
    'private-keys',
    'The skill contains private keys, recognized by name or first line; public ones are published.',
    withFiles('private-keys', {
      'assets/id_ed25519': fakeKey('OPENSSH PRIVATE'),
      'assets/id_ed25519.pub': 'ssh-ed25519 written-for-a-test\n',
      'assets/tls.pem': fakeKey('PRIVATE'),
      'assets/ca.pem':
        '-----BEGIN CERTIFICATE-----\nnot a certificate: written for a test\n-----END CERTIFICATE-----\n',
    }),
    { notPublished: ['assets/id_ed25519', 'assets/tls.pem'], rules: ['file-secret'] },
  ),
  served(
    'ignored-drafts',
    'A .skillignore excludes a folder.',
    withFiles('ignored-drafts', {
      '.skillignore': 'drafts/\n',
      'drafts/plan.md': '# Plan\n',
      'references/rows.md': '# Rows\n',
    }),
    { notPublished: ['.skillignore', 'drafts/plan.md'] },
  ),
  refused(
    'too-many-files',
    'The skill has 600 files.',
    ['skill-too-many-files'],
    withFiles(
      'too-many-files',
      Object.fromEntries(Array.from({ length: 599 }, (_, index) => [`assets/row-${index + 1}.txt`, `${index + 1}\n`])),
    ),
    { acceptedBySkillsRef: 'it does not count files' },
  ),
  served(
    'windows-names',
    'File names cannot be created on Windows.',
    withFiles('windows-names', { 'references/aux.md': '# Auxiliary\n', 'references/a:b.md': '# Ratio\n' }),
    { rules: ['file-name-windows'], needs: 'names that Windows refuses' },
  ),
  served(
    'colliding-case',
    'Two file names differ in case only; neither is published.',
    withFiles('colliding-case', {
      'references/Guide.md': '# Guide\n',
      'references/guide.md': '# guide\n',
      'references/rows.md': '# Rows\n',
    }),
    {
      notPublished: ['references/Guide.md', 'references/guide.md'],
      rules: ['file-names-collide'],
      needs: 'names that differ in case',
    },
  ),
  served(
    'colliding-unicode',
    'Two file names differ in their Unicode form only; neither is published.',
    withFiles('colliding-unicode', { [composed]: '# Composed\n', [decomposed]: '# Decomposed\n' }),
    { notPublished: [composed, decomposed], rules: ['file-names-collide'], needs: 'names that differ in Unicode form' },
  ),
  served(
    'named-pipe',
    'The skill contains a named pipe.',
    withFiles('named-pipe', { 'assets/queue': { kind: 'pipe' } }),
    {
      notPublished: ['assets/queue'],
      rules: ['file-not-regular'],
      needs: 'pipes',
    },
  ),

  served(
    'linked-file',
    'A file is a link to another folder of the root.',
    withFiles('linked-file', { 'references/style.md': link('../../shared-texts/style.md') }),
    { needs: 'links' },
  ),
  served(
    'linked-references',
    'A folder of the skill is a link to another folder of the root.',
    withFiles('linked-references', { references: link('../shared-texts') }),
    { files: ['SKILL.md', 'references/style.md'], needs: 'links' },
  ),
  served('pinned-checks', 'The skill folder is a link to a hidden folder of the root.', link('.store/pinned-checks'), {
    files: ['SKILL.md', 'references/rows.md'],
    needs: 'links',
  }),
  served('twice/canonical', 'A link beside it points to the same skill.', withFiles('canonical', {})),
  refused(
    'twice/linked-copy',
    'The folder is a link to a skill that is served already.',
    ['skill-linked-twice'],
    link('canonical'),
    { needs: 'links' },
  ),
  served(
    'linked-hidden-file',
    'A link would publish a hidden file under another name.',
    withFiles('linked-hidden-file', { '.env': 'TOKEN=written-for-a-test\n', 'assets/settings.txt': link('../.env') }),
    { rules: ['file-hidden'], notPublished: ['.env', 'assets/settings.txt'], needs: 'links' },
  ),
  served(
    'link-out-of-root',
    'A file is a link to something outside the root.',
    withFiles('link-out-of-root', { 'references/outside.md': link(outside) }),
    { notPublished: ['references/outside.md'], rules: ['link-leaves-root'], needs: 'links' },
  ),
  refused(
    'folder-out-of-root',
    'The folder is a link to a folder outside the root.',
    ['link-leaves-root'],
    link(dirname(outside)),
    { needs: 'links' },
  ),
  served(
    'broken-link',
    'A link leads nowhere.',
    withFiles('broken-link', { 'references/gone.md': link('../moved-away.md') }),
    { notPublished: ['references/gone.md'], rules: ['link-broken'], needs: 'links' },
  ),
  served(
    'link-to-above',
    'A link points back to the folder of the skill.',
    withFiles('link-to-above', { 'references/rows.md': '# Rows\n', 'references/up': link('..') }),
    {
      files: ['SKILL.md', 'references/rows.md'],
      notPublished: ['references/up'],
      rules: ['link-loop'],
      needs: 'links',
    },
  ),
  served(
    'links-in-a-circle',
    'Two links lead to each other.',
    withFiles('links-in-a-circle', { 'references/ping.md': link('pong.md'), 'references/pong.md': link('ping.md') }),
    { notPublished: ['references/ping.md', 'references/pong.md'], rules: ['link-loop'], needs: 'links' },
  ),
];
