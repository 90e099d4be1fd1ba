import { describe, expect, test } from 'vitest';
import type { SkillReport, VerifyReport } from '../../verifier/report.ts';
import { createColors } from './color.ts';
import { reportText, skillLines } from './verify-text.ts';

const plain = createColors(false);
const uri = 'skill://refunds/SKILL.md';
const good: SkillReport = { uri, name: 'refunds', status: 'verified', files: 3, bytes: 10, failures: [] };

describe('skillLines()', () => {
  test.each([
    ['verified', 'ok  refunds  skill://refunds/SKILL.md  3 files\n'],
    ['failed', 'FAILED  refunds  skill://refunds/SKILL.md  3 files\n'],
    ['unverifiable', 'unverifiable  refunds  skill://refunds/SKILL.md  3 files\n'],
    ['unchecked', 'not checked  refunds  skill://refunds/SKILL.md  3 files\n'],
    ['skipped', 'unchanged  refunds  skill://refunds/SKILL.md\n'],
  ] as const)('is one line for a skill that is %s', (status, line) => {
    expect(skillLines({ ...good, status }, plain)).toBe(line);
  });

  test('has a line for each failure below, with the file if it is not SKILL.md, and the number of other failures', () => {
    const failures = [
      { requirement: 'S-34', message: 'another digest', uri: 'skill://refunds/a.md' },
      { requirement: 'S-23', message: 'other than in the file: license', uri, era: 'legacy' as const },
    ];
    expect(skillLines({ ...good, status: 'failed', failures, moreFailures: 7, reason: 'too late' }, plain)).toBe(
      [
        'FAILED  refunds  skill://refunds/SKILL.md  3 files: too late',
        '    S-34  skill://refunds/a.md: another digest',
        '    S-23  other than in the file: license (legacy)',
        '    and 7 more failures',
        '',
      ].join('\n'),
    );
  });

  test('counts warnings of a skill without failures', () => {
    const failures = [{ requirement: 'S-16', message: 'no type', uri }];
    expect(skillLines({ ...good, failures }, plain)).toMatch(/^ok, 1 warning {2}refunds/);
  });

  test('escapes all text of a server', () => {
    const nasty = 'x\u001b[2J\u202ey\nz\u0007';
    const failures = [{ requirement: 'S-34', message: nasty, uri: nasty }];
    const text = skillLines({ ...good, uri: nasty, name: nasty, status: 'failed', failures, reason: nasty }, plain);
    expect(text.split('\n')).toHaveLength(3);
    for (const line of text.split('\n')) expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

describe('reportText()', () => {
  const counts = {
    skills: 3,
    verified: 1,
    failed: 1,
    unverifiable: 0,
    unchecked: 1,
    skipped: 0,
    refused: 0,
    files: 4,
    bytes: 2048,
  };
  const report: VerifyReport = {
    counts,
    eras: [
      { era: 'modern', state: 'checked', message: 'every file read', protocolVersion: '2026-07-28', skills: 3 },
      { era: 'legacy', state: 'absent', message: 'not spoken', skills: 0 },
    ],
    failures: [{ requirement: 'S-46', message: 'no ttlMs' }],
    requirements: new Map([
      ['S-26', 9],
      ['S-46', 2],
      ['S-34', 5],
    ]),
    incomplete: ['1 skill could not be read completely'],
  };

  test('shows general failures, requirements (mandatory ones first), eras, missing parts and totals', () => {
    expect(reportText(report, plain, 120).split('\n')).toEqual([
      'The origin as a whole',
      '    S-46  no ttlMs',
      'requirement          failures  text',
      'S-34         must           5  Digests are "sha256:" and 64 lower-case hexadecimal digits, over the bytes',
      'S-46         must           2  skills/get has ttlMs and cacheScope, and no cursor',
      'S-26         should         9  Names are unique within a listing',
      'modern 2026-07-28: every file read',
      'legacy: absent, not spoken',
      'not everything checked: 1 skill could not be read completely',
      '3 skills (4 files, 2 KiB): 1 verified, 1 failed, 1 not checked',
      '',
    ]);
  });

  test('names the form of a site and the address of its index', () => {
    const status = {
      skills: true,
      directoryRead: false,
      dialect: 'well-known 0.2.0',
      address: 'https://e.com/index.json',
    };
    expect(reportText({ ...report, status }, plain, 120)).toContain(
      '\nwell-known 0.2.0: read every artifact of https://e.com/index.json\n',
    );
  });

  test('reports that there was nothing to verify', () => {
    const none = { ...counts, skills: 0, verified: 0, failed: 0, unchecked: 0, files: 0, bytes: 0 };
    const empty = { counts: none, eras: [], failures: [], requirements: new Map<string, number>(), incomplete: [] };
    expect(reportText(empty, plain, 120)).toBe('0 skills (0 files, 0 B): nothing to verify\n');
  });
});
