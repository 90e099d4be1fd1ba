import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;

beforeEach(() => {
  folder = cliFolder();
  folder.write({
    'skills/pdf/SKILL.md': skillText('pdf'),
    'skills/pdf/scripts/run it.sh': '#!/bin/sh\n',
    'skills/notes/SKILL.md': skillText('notes'),
  });
});

afterEach(() => folder.remove());

describe('skillwire build', () => {
  test('builds a site, updates it and reports the changes', async () => {
    expect(await folder.run(['build', 'skills', '--out', 'site'])).toEqual({
      stdout: '',
      stderr: 'site: 2 skills (2 added); 12 files written; 0 problems, 0 warnings, 0 notes\n',
      exitCode: 0,
    });
    folder.write({ 'skills/notes/SKILL.md': skillText('notes', 'Other.\n') });
    rmSync(join(folder.path, 'skills/pdf'), { recursive: true });
    const { stderr } = await folder.run(['build', 'skills', '--out', 'site']);
    expect(stderr).toMatch(/^site: 1 skill \(1 changed, 1 removed\); \d+ files written, 5 old ones kept; 0 problems/);
    expect(await folder.run(['build', 'skills', '--out', 'site', '--keep', '0'])).toMatchObject({
      stderr: 'site: 1 skill (nothing changed); 1 file written, 5 old ones deleted; 0 problems, 0 warnings, 0 notes\n',
    });
  });

  test('prints JSON, findings included', async () => {
    folder.write({ 'skills/team/notes/SKILL.md': skillText('notes') });
    const { stdout, stderr, exitCode } = await folder.run(['build', 'skills', '--out', 'site', '--json']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      out: join(folder.path, 'site'),
      skills: ['notes', 'pdf', 'team-notes'],
      added: ['notes', 'pdf', 'team-notes'],
      findings: expect.arrayContaining([expect.objectContaining({ rule: 'publish-name-alias' })]),
      counts: { problems: 0 },
    });
  });

  test('builds everything possible, and exits 1 if something cannot be built', async () => {
    folder.write({ 'skills/bad/SKILL.md': '---\nname: Bad\ndescription: x\n---\n' });
    const { stderr, exitCode } = await folder.run(['build', 'skills', '--out', 'site']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\[name-invalid\]/);
    expect(stderr).toMatch(/^site: 2 skills \(2 added\); 12 files written; 1 problem/m);
  });

  test('--check exits 0 for an up-to-date site and 1 for a stale one, and writes nothing', async () => {
    const check = ['build', 'skills', '--out', 'site', '--check'];
    expect(await folder.run(check)).toMatchObject({ exitCode: 1 });
    expect(existsSync(join(folder.path, 'site'))).toBe(false);
    await folder.run(['build', 'skills', '--out', 'site']);
    expect(await folder.run(check)).toEqual({ stdout: '', stderr: 'site: 2 skills, up to date\n', exitCode: 0 });
    const damaged = join(folder.path, 'site/.well-known/agent-skills/notes/SKILL.md');
    const bytes = readFileSync(damaged);
    rmSync(damaged);
    writeFileSync(damaged, Buffer.from(bytes).fill('x', 0, 1));
    expect(await folder.run(check)).toEqual({
      stdout: '',
      stderr:
        'the file ".well-known/agent-skills/notes/SKILL.md" has changed\n' +
        'site is stale. Run this with --full instead of --check.\n',
      exitCode: 1,
    });
    const { stdout } = await folder.run([...check, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      upToDate: false,
      skills: 2,
      stale: [expect.stringContaining('SKILL.md')],
    });
    expect((await folder.run(['build', 'skills', '--out', 'site', '--full'])).stderr).toContain('1 file written');
    expect(readFileSync(damaged)).toEqual(bytes);
  });

  test('accepts the address of the site and the archive format', async () => {
    await folder.run([
      'build',
      'skills',
      '--out',
      'site',
      '--base-url',
      'https://h.example/x/',
      '--archive-format',
      'zip',
    ]);
    const index = readFileSync(join(folder.path, 'site/.well-known/agent-skills/index.json'), 'utf8');
    expect(index).toMatch(/"url":"https:\/\/h\.example\/x\/\.well-known\/agent-skills\/by-digest\/sha256-\w{64}\.zip"/);
  });

  test('builds from an archive, too', async () => {
    await folder.run(['pack', 'skills/pdf', '--out', 'pdf.zip', '--format', 'zip']);
    const { stderr, exitCode } = await folder.run(['build', './pdf.zip', '--out', 'site']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('site: 1 skill (1 added)')]);
    expect(existsSync(join(folder.path, 'site/.well-known/skills/pdf/scripts/run it.sh'))).toBe(true);
  });

  test.each([
    [['build', 'skills'], "Required option '--out <folder>' not specified"],
    [
      ['build', '--out', 'site'],
      'Nothing to build: no folder and no skillwire.json. Run "skillwire build ./skills --out ./site"',
    ],
    [['build', 'skills', '--out', 'skills/pdf/site'], 'is a skill. Choose a folder outside of it with --out.'],
    [
      ['build', 'skills', '--out', 'site', '--base-url', 'ftp://x'],
      '--base-url "ftp://x" is not the address of a site',
    ],
    [['build', 'skills', '--out', 'site', '--base-url', 'https://x/?q'], 'is not the address of a site'],
    [['build', 'skills', '--out', 'site', '--keep', '-1'], '--keep "-1" is not a number of days'],
    [['build', 'skills', '--out', 'site', '--keep', '99999'], 'is not a number of days from 0 to 3650'],
    [['build', 'skills', '--out', 'site', '--archive-format', 'rar'], 'Allowed choices are tar.gz, zip'],
    [['build', 'skills', '--out', 'site', '--check', '--full'], "cannot be used with option '--full'"],
    [['build', 'nowhere', '--out', 'site'], 'nowhere'],
    [['serve', 'skills', '--stdio', '--archive-format', 'zip'], "cannot be used with option '--archive-format"],
  ])('%j exits 2', async (argv, message) => {
    const { stderr, exitCode } = await folder.run(argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(folder.path, 'site'))).toBe(false);
  });

  test('does not change a site whose origin does not answer', async () => {
    await folder.run(['build', 'skills', '--out', 'site']);
    const before = readFileSync(join(folder.path, 'site/.well-known/agent-skills/index.json'));
    const { exitCode } = await folder.run(['build', 'skills', 'http://127.0.0.1:1', '--out', 'site']);
    expect(exitCode).toBe(4);
    expect(readFileSync(join(folder.path, 'site/.well-known/agent-skills/index.json'))).toEqual(before);
  });
});
