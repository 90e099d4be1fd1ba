import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write({
    'good/pdf/SKILL.md': skillText('pdf'),
    'good/pdf/scripts/run it.sh': '#!/bin/sh\n',
    'good/pdf/.env': 'TOKEN=x\n',
    'plain/pdf/SKILL.md': skillText('pdf'),
    'bad/SKILL.md': '---\nname: Bad\ndescription: x\n---\n',
    'hostile/SKILL.md': '---\nname: "Bad\u202e\\e[2JName"\ndescription: x\n---\n',
    'warned/other/SKILL.md': skillText('named'),
    'noted/long/SKILL.md': skillText('long', 'line\n'.repeat(600)),
    'a-file': '',
  });
  chmodSync(join(folder.path, 'good/pdf/scripts/run it.sh'), 0o755);
});

afterAll(() => folder.remove());

describe('skillwire validate', () => {
  test('exits 0 with a summary if nothing is wrong', async () => {
    expect(await folder.run(['validate', 'plain'])).toEqual({
      stdout: '1 skill, 1 file would be published; 0 problems, 0 warnings, 0 notes\n',
      stderr: '',
      exitCode: 0,
    });
  });

  test('exits 1 for a problem and prints file, line, level, message, rule and remedy', async () => {
    const { stdout, stderr, exitCode } = await folder.run(['validate', 'bad']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^bad.SKILL\.md:2 {2}problem {2}.+ {2}\[name-invalid\]\n {4}\S/m);
    expect(stdout).toMatch(
      /^0 skills, 0 files would be published; 1 problem, 0 warnings, 0 notes; 1 skill not served$/m,
    );
  });

  test('escapes control characters of a skill, in text and in JSON', async () => {
    for (const format of ['text', 'json', 'sarif']) {
      const { stdout } = await folder.run(['validate', 'hostile', '--format', format]);
      expect(stdout).toContain('name-invalid');
      expect(stdout).not.toContain('\u202e');
      expect(stdout).not.toContain('\x1b');
    }
  });

  test('exits 1 for a warning, 0 for a note and 1 for a note with --strict', async () => {
    expect((await folder.run(['validate', 'warned'])).exitCode).toBe(1);
    const lenient = await folder.run(['validate', 'noted']);
    expect(lenient.stdout).toContain('[skill-md-long-body]');
    expect(lenient.exitCode).toBe(0);
    expect((await folder.run(['validate', 'noted', '--strict'])).exitCode).toBe(1);
  });

  test('prints with --files which files are published and which are not', async () => {
    const { stdout, exitCode } = await folder.run(['validate', 'good', '--files']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^pdf {2}good.pdf$/m);
    expect(stdout).toMatch(/^ {2}skill:\/\/pdf\/SKILL\.md +\d+ B {2}- {2}sha256:[0-9a-f]{12}$/m);
    expect(stdout).toMatch(/^ {2}skill:\/\/pdf\/scripts\/run%20it\.sh +10 B {2}x {2}sha256:[0-9a-f]{12}$/m);
    expect(stdout).toMatch(/^ {2}not published: \.env {2}\S/m);
  });

  test('prints one versioned object with --json', async () => {
    const { stdout, stderr, exitCode } = await folder.run(['validate', 'good', 'bad', '--json', '--files']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      version: 1,
      skills: [{ uri: 'skill://pdf/SKILL.md', name: 'pdf', files: [{ path: 'SKILL.md' }, { executable: true }] }],
      counts: { skills: 1, files: 2, problems: 1, warnings: 0, notes: 1 },
    });
    expect(report.findings).toEqual([
      expect.objectContaining({ rule: 'name-invalid', level: 'problem', line: 2 }),
      expect.objectContaining({ rule: 'file-hidden', level: 'note', file: join('good', 'pdf') }),
    ]);
    const plain = JSON.parse((await folder.run(['--json', 'validate', 'good'])).stdout);
    expect(plain.skills[0]).not.toHaveProperty('files');
  });

  test('prints SARIF with paths relative to the working folder', async () => {
    const { stdout, exitCode } = await folder.run(['validate', 'bad', '--format', 'sarif']);
    expect(exitCode).toBe(1);
    const [run] = JSON.parse(stdout).runs;
    expect(run.results).toHaveLength(1);
    expect(run.tool.driver.rules[run.results[0].ruleIndex].id).toBe('name-invalid');
    expect(run.results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'bad/SKILL.md', uriBaseId: '%SRCROOT%' },
      region: { startLine: 2 },
    });
  });

  test('writes the result to a file with --output and a summary to stderr', async () => {
    const argv = ['validate', 'bad', '--format', 'json', '--output', 'out.json'];
    const { stdout, stderr, exitCode } = await folder.run(argv, { FORCE_COLOR: '1' });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(/^0 skills, .* 1 problem/);
    expect(JSON.parse(readFileSync(join(folder.path, 'out.json'), 'utf8')).counts.problems).toBe(1);
    await folder.run(['validate', 'bad', '--output', 'out.txt'], { FORCE_COLOR: '1' });
    expect(readFileSync(join(folder.path, 'out.txt'), 'utf8')).not.toContain('\x1b');
    expect(await folder.run(['validate', 'good', '--output', 'gone/out.txt'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/Cannot write ".*gone.out\.txt": ENOENT/),
    });
  });

  test('exits 2 if a folder cannot be read, with the error as JSON if asked for', async () => {
    const missing = await folder.run(['validate', 'good', 'gone']);
    expect(missing).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/^skillwire: .*gone/) });
    const notAFolder = await folder.run(['validate', 'a-file', '--json']);
    expect(notAFolder).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(notAFolder.stderr).error).toMatchObject({ code: 'ORIGIN_NOT_A_FOLDER' });
  });

  test('validates labeled and configured folders under the URIs of serve', async () => {
    folder.write({
      'team/skillwire.json': JSON.stringify({ origins: { docs: '../good', data: { folder: './nested' } } }),
      'team/nested/outer/SKILL.md': skillText('outer'),
      'team/nested/outer/inner/SKILL.md': skillText('inner'),
    });
    const uris = async (...argv: string[]): Promise<string[]> => {
      const { stdout } = await folder.run(['validate', ...argv, '--json']);
      return JSON.parse(stdout).skills.map(({ uri }: { uri: string }) => uri);
    };
    expect(await uris('x=good')).toEqual(['skill://x/pdf/SKILL.md']);
    const all = ['skill://data/outer/SKILL.md', 'skill://data/outer/inner/SKILL.md', 'skill://docs/pdf/SKILL.md'];
    expect((await uris('--config', 'team/skillwire.json')).sort()).toEqual(all);
    expect(await uris('--config', 'team/skillwire.json', 'docs')).toEqual(['skill://docs/pdf/SKILL.md']);
    expect((await uris('--config', 'team/skillwire.json', '--no-nested')).sort()).toEqual([all[0], all[2]]);
    expect((await folder.run(['validate'], { SKILLWIRE_HOME: join(folder.path, 'team') })).stdout).toMatch(
      /^3 skills,/m,
    );
  });

  test('counts each file on disk once', async () => {
    folder.write({ 'shared/outer/SKILL.md': skillText('outer'), 'shared/outer/inner/SKILL.md': skillText('inner') });
    expect((await folder.run(['validate', 'shared'])).stdout).toMatch(/^2 skills, 2 files would be published;/m);
    const { stdout } = await folder.run(['validate', 'shared', '--json']);
    expect(JSON.parse(stdout).counts).toMatchObject({ skills: 2, files: 2 });
  });

  test('exits 2 if no folder is given and there is no configuration', async () => {
    const { stdout, stderr, exitCode } = await folder.run(['validate', '--json']);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('Run "skillwire validate ./skills"'),
    });
  });

  test('names the label and the configuration if a configured folder is missing', async () => {
    folder.write({ 'lost.json': JSON.stringify({ origins: { data: './nowhere' } }) });
    expect(await folder.run(['validate', '--config', 'lost.json'])).toEqual({
      stdout: '',
      stderr:
        'skillwire: Origin "data" of lost.json: Cannot read "nowhere": there is no such folder. Check the path.\n',
      exitCode: 2,
    });
  });

  test('uses colors only if they are forced, because nothing here is a terminal', async () => {
    expect((await folder.run(['validate', 'bad'])).stdout).not.toContain('\x1b');
    expect((await folder.run(['validate', 'bad'], { FORCE_COLOR: '1' })).stdout).toContain('\x1b[31mproblem\x1b[39m');
    expect((await folder.run(['validate', 'bad'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\x1b');
    expect((await folder.run(['validate', 'bad', '--no-color'], { FORCE_COLOR: '1' })).stdout).not.toContain('\x1b');
  });

  test('exits quietly if nobody reads its output', async () => {
    const started = folder.start(['validate', 'bad', '--json']);
    started.child.stdout?.destroy();
    expect(await started.ended).toMatchObject({ stderr: '', exitCode: 1 });
  });
});

describe('skillwire', () => {
  test('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await folder.start(['--version']).ended).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
    const json = `{"version":"${version}"}\n`;
    expect(await folder.run(['--version', '--json'])).toEqual({ stdout: json, stderr: '', exitCode: 0 });
  });

  test('exits 2 for wrong usage, with a hint on stderr only', async () => {
    expect(await folder.run([])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('skillwire help') });
    expect(await folder.run(['validat'])).toEqual({
      stdout: '',
      stderr: `skillwire: Unknown command 'validat'. Did you mean validate? Run "skillwire --help".\n`,
      exitCode: 2,
    });
    const { stderr } = await folder.run(['validate', '--nope', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'USAGE', message: expect.stringContaining('--nope') });
  });
});
