import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirements } from '../../verifier/requirements.ts';
import { placeOfFailure, verifyJson, verifySarif } from './verify-json.ts';

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
  test('contains all results, with level and text of each requirement', () => {
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
  test('has a rule for each requirement and a result for each failure, at a path that GitHub accepts', () => {
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

const server = { origin: 'mcp:http://127.0.0.1:80/mcp', cwd: '/work' };

describe('placeOfFailure()', () => {
  test.each([
    ['skill://acme/docs/glossary/SKILL.md', 'acme/docs/glossary/SKILL.md'],
    ['skill://caf%C3%A9/a%20b.md', 'caf%C3%A9/a%20b.md'],
    ['skill://größen/x.md', 'gr%C3%B6%C3%9Fen/x.md'],
    ['github://me/x/SKILL.md?ref=1#top', 'me/x/SKILL.md'],
    ['file:///etc/passwd', 'etc/passwd'],
    ['skill://a/../../b/./SKILL.md', 'a/b/SKILL.md'],
    ['skill://a/%2e%2e/%2Fetc/SKILL.md', 'a/SKILL.md'],
    ['skill://a/100%/SKILL.md', 'a/100%25/SKILL.md'],
    ['(no URI)', '(no%20URI)'],
    ['', '.'],
    ['skill://\ud800x/SKILL.md', '%EF%BF%BDx/SKILL.md'],
  ])('locates %j of a server at a path without a scheme', (uri, path) => {
    expect(placeOfFailure(uri, server)).toEqual({ uri: path, uriBaseId: '%SRCROOT%' });
  });

  test('locates failures of a whole server at its address', () => {
    expect(placeOfFailure(undefined, server)).toEqual({ uri: '127.0.0.1%3A80/mcp', uriBaseId: '%SRCROOT%' });
  });

  test('locates failures of a folder at the file, relative to the working folder or absolute', () => {
    const place = { origin: '/work/skills', folder: '/work/skills', cwd: '/work' };
    expect(placeOfFailure('skill://a%20b/SKILL.md', place)).toEqual({
      uri: 'skills/a%20b/SKILL.md',
      uriBaseId: '%SRCROOT%',
    });
    expect(placeOfFailure(undefined, place)).toEqual({ uri: 'skills', uriBaseId: '%SRCROOT%' });
    expect(placeOfFailure('skill://a/SKILL.md', { ...place, cwd: '/elsewhere' })).toEqual({
      uri: pathToFileURL('/work/skills/a/SKILL.md').href,
    });
  });
});
