import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finding } from '../../skill/finding.ts';
import type { ReportedSkill } from '../../sources/directory/directory-report.ts';
import { createColors } from './color.ts';
import { findingsJson } from './findings-json.ts';
import { publishedFilesText } from './published-files.ts';

const cwd = resolve('/work');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

const reported: ReportedSkill = {
  skill: {
    entry: {
      uri: 'skill://team/pdf/SKILL.md',
      frontmatter: { name: 'pdf', description: 'd' },
      resources: [],
    },
    listed: true,
  },
  folder: resolve(cwd, 'skills/pdf'),
  files: [
    { path: 'scripts/a b.sh', file: resolve(cwd, 'skills/pdf/scripts/a b.sh'), size: 12, digest, executable: true },
    { path: 'SKILL.md', file: resolve(cwd, 'skills/pdf/SKILL.md'), size: 3456, digest, executable: false },
  ],
  notPublished: [{ path: '.env\x1b', reason: 'hidden files are not published' }],
};

describe('publishedFilesText()', () => {
  test('shows URI, size, executable bit and digest of every file, and the files that are not published', () => {
    expect(publishedFilesText([reported], cwd, createColors(false)).replaceAll('\\skills', '/skills')).toBe(
      [
        'pdf  skills/pdf',
        '  skill://team/pdf/SKILL.md              3456 B  -  sha256:0123456789ab',
        '  skill://team/pdf/scripts/a%20b.sh        12 B  x  sha256:0123456789ab',
        '  not published: .env\\u{1b}  hidden files are not published',
        '',
      ].join('\n'),
    );
  });
});

describe('findingsJson()', () => {
  const report = {
    skills: [reported],
    findings: [
      finding('name-invalid', 'm', { file: resolve(cwd, 'skills/pdf/SKILL.md'), line: 2 }),
      finding('root-empty', 'n'),
    ],
  };

  test('is one versioned object with relative paths', () => {
    expect(findingsJson(report, cwd, false)).toEqual({
      version: 1,
      skills: [{ uri: 'skill://team/pdf/SKILL.md', name: 'pdf', folder: expect.stringMatching(/^skills.pdf$/) }],
      findings: [
        {
          level: 'problem',
          rule: 'name-invalid',
          message: 'm',
          remedy: 'choose a name such as "pdf-tools"',
          file: expect.stringMatching(/^skills.pdf.SKILL\.md$/),
          line: 2,
        },
        expect.objectContaining({ rule: 'root-empty' }),
      ],
      counts: { skills: 1, inAgentFolders: 0, files: 2, problems: 1, warnings: 1, notes: 0 },
    });
  });

  test('counts a file of an outer and an inner skill once', () => {
    const inner = { ...reported, files: reported.files.slice(0, 1) };
    expect(findingsJson({ skills: [reported, inner], findings: [] }, cwd, false).counts).toMatchObject({
      skills: 2,
      files: 2,
    });
  });

  test('contains the files, published or not, if asked for', () => {
    const [skill] = findingsJson(report, cwd, true).skills;
    expect(skill?.files?.map(({ uri, size, executable }) => [uri, size, executable])).toEqual([
      ['skill://team/pdf/SKILL.md', 3456, false],
      ['skill://team/pdf/scripts/a%20b.sh', 12, true],
    ]);
    expect(skill?.files?.[0]).toMatchObject({ digest, path: 'SKILL.md' });
    expect(skill?.notPublished).toEqual(reported.notPublished);
  });
});
