import { describe, expect, test } from 'vitest';
import type { SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirements } from '../../verifier/requirements.ts';
import { verifyJson, verifySarif } from './verify-json.ts';

const uri = 'skill://refunds/SKILL.md';
const skill: SkillReport = {
  uri,
  name: 'refunds',
  status: 'failed',
  files: 2,
  bytes: 20,
  failures: [
    { requirement: 'S-34', message: 'another digest', uri: 'skill://refunds/a.md', era: 'legacy' },
    { requirement: 'S-16', message: 'see [this](https://evil.example)\u001b[2J', uri },
  ],
};
const report: VerifyReport = {
  counts: {
    skills: 1,
    verified: 0,
    failed: 1,
    unverifiable: 0,
    unchecked: 0,
    skipped: 0,
    refused: 0,
    files: 2,
    bytes: 20,
  },
  status: { protocolVersion: '2026-07-28', skills: true, directoryRead: true },
  eras: [{ era: 'modern', state: 'checked', message: 'every file read', skills: 1 }],
  failures: [{ requirement: 'S-46', message: 'no ttlMs' }],
  requirements: new Map([
    ['S-34', 1],
    ['S-16', 1],
    ['S-46', 1],
  ]),
  incomplete: [],
};

describe('verifyJson()', () => {
  test('is everything that was found, with the level and the text of each requirement', () => {
    expect(verifyJson('team', report, [skill], 7)).toEqual({
      version: 1,
      origin: 'team',
      exitCode: 7,
      server: report.status,
      counts: report.counts,
      eras: report.eras,
      requirements: [
        { id: 'S-34', ...requirements['S-34'], count: 1 },
        { id: 'S-16', ...requirements['S-16'], count: 1 },
        { id: 'S-46', ...requirements['S-46'], count: 1 },
      ],
      failures: report.failures,
      skills: [skill],
      incomplete: [],
    });
  });
});

describe('verifySarif()', () => {
  test('has a rule for each requirement and a result for each failure, at a path that GitHub takes', () => {
    const log = verifySarif({ origin: 'team', cwd: '/work' }, report, [skill], '1.2.3');
    const [{ tool, results }] = log.runs;
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(requirements));
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['S-46', 'error'],
      ['S-34', 'error'],
      ['S-16', 'warning'],
    ]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    const places = results.map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri);
    expect(places).toEqual(['team', 'refunds/a.md', 'refunds/SKILL.md']);
    expect(results[1]?.message.text).toBe(
      'skill://refunds/a.md: another digest (legacy); the rule is: Digests are "sha256:" and 64 lower-case hexadecimal digits, over the bytes',
    );
    expect(results[2]?.message.text).not.toMatch(/\]\(|\p{Cc}/u);
    expect(new Set(results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash)).size).toBe(3);
  });
});
