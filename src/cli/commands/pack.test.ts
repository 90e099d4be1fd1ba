import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { skill, type Tree, temporary } from '../../../test/skill-folders.ts';
import { unpackArchive } from '../../archive/unpack.ts';
import { SkillwireError } from '../../errors.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { runProgram } from '../program.ts';

interface Result {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function run(cwd: string, ...argv: string[]): Promise<Result> {
  let out = '';
  let err = '';
  const exitCode = await runProgram(argv, {
    version: '1.2.3',
    cwd,
    env: {},
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exitCode, out, err };
}

async function refusal(cwd: string, ...argv: string[]): Promise<SkillwireError> {
  const error: unknown = await run(cwd, ...argv).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SkillwireError);
  return error as SkillwireError;
}

const ordinary: Tree = {
  pdf: {
    'SKILL.md': skill('pdf'),
    scripts: { 'run.sh': '#!/bin/sh\n' },
    '.env': 'TOKEN=x',
    inner: { 'SKILL.md': skill('inner') },
  },
};

async function ordinaryFolder(): Promise<string> {
  const cwd = await temporary(ordinary);
  await chmod(join(cwd, 'pdf/scripts/run.sh'), 0o755);
  return cwd;
}

test('pack writes the published files to NAME.tar.gz and prints its digest', async () => {
  const cwd = await ordinaryFolder();
  const { exitCode, out, err } = await run(cwd, 'pack', 'pdf');
  const archive = await readFile(join(cwd, 'pdf.tar.gz'));
  expect(out).toBe(`packed pdf into pdf.tar.gz: 3 files, ${archive.length} B, ${await sha256Digest(archive)}\n`);
  expect(err).toBe('1 file not published and not packed\n');
  expect(exitCode).toBe(0);
  const files = await unpackArchive(archive);
  expect(files.map(({ path, executable }) => [path, executable])).toEqual([
    ['SKILL.md', false],
    ['inner/SKILL.md', false],
    ['scripts/run.sh', process.platform !== 'win32'],
  ]);
  expect(await readdir(cwd)).toEqual(['pdf', 'pdf.tar.gz']);
  if (process.platform === 'win32') return;
  expect((await stat(join(cwd, 'pdf.tar.gz'))).mode & 0o777).toBe(0o644 & ~process.umask());
});

test('pack writes the same bytes again, whatever the times of the files, and replaces the archive', async () => {
  const [first, second] = [await ordinaryFolder(), await ordinaryFolder()];
  await writeFile(join(first, 'pdf.zip'), 'an older one');
  for (const cwd of [first, second]) await run(cwd, 'pack', './pdf/', '--format', 'zip');
  expect(await readFile(join(first, 'pdf.zip'))).toEqual(await readFile(join(second, 'pdf.zip')));
});

test.each([
  ['x.zip', 'zip'],
  ['x.skill', 'zip'],
  ['x.TGZ', 'tar.gz'],
  ['x.bin', 'tar.gz'],
] as const)('pack --out %s writes %s', async (name, format) => {
  const cwd = await ordinaryFolder();
  const { out } = await run(cwd, 'pack', 'pdf', '--out', name, '--json');
  const printed = JSON.parse(out);
  const archive = await readFile(join(cwd, name));
  expect(printed).toMatchObject({ version: 1, name: 'pdf', file: name, format, size: archive.length });
  expect(printed.digest).toBe(await sha256Digest(archive));
  expect(printed.files).toHaveLength(3);
  expect(printed.notPublished).toEqual([{ path: '.env', reason: 'hidden' }]);
  expect(await unpackArchive(archive, { format })).toHaveLength(3);
});

test('pack refuses a format that the name contradicts', async () => {
  const cwd = await ordinaryFolder();
  expect(await refusal(cwd, 'pack', 'pdf', '--format', 'zip', '--out', 'x.tgz')).toMatchObject({ code: 'USAGE' });
  expect(await readdir(cwd)).toEqual(['pdf']);
});

test('pack refuses to write into the skill and suggests a path outside', async () => {
  const cwd = await ordinaryFolder();
  await symlink(join(cwd, 'pdf'), join(cwd, 'link'));
  const inside = await refusal(join(cwd, 'pdf'), 'pack', '.');
  expect(inside).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`--out "${join(cwd, 'pdf.tar.gz')}"`),
  });
  expect(await refusal(cwd, 'pack', 'pdf', '--out', 'pdf/scripts/x.zip')).toMatchObject({ code: 'USAGE' });
  expect(await refusal(cwd, 'pack', 'pdf', '--out', 'link/x.zip')).toMatchObject({ code: 'USAGE' });
  expect((await run(join(cwd, 'pdf'), 'pack', '.', '--out', '../pdf.zip')).exitCode).toBe(0);
});

test('pack explains why the folder is not a skill', async () => {
  const cwd = await temporary({ ...ordinary, bad: { 'SKILL.md': '---\nname: Bad\ndescription: x\n---\n' }, none: {} });
  const above = await refusal(cwd, 'pack', '.', '--out', '../x.zip');
  expect(above).toMatchObject({ code: 'INVALID_SKILL', message: expect.stringContaining('for example "pdf"') });
  expect(await refusal(cwd, 'pack', 'bad')).toMatchObject({ code: 'INVALID_SKILL', data: { rule: 'name-invalid' } });
  expect(await refusal(cwd, 'pack', 'none')).toMatchObject({ code: 'INVALID_SKILL' });
  expect(await refusal(cwd, 'pack', 'missing')).toMatchObject({ code: 'ORIGIN_NOT_FOUND' });
  expect(await refusal(cwd, 'pack', 'pdf/SKILL.md')).toMatchObject({ code: 'ORIGIN_NOT_A_FOLDER' });
  expect((await readdir(cwd)).sort()).toEqual(['bad', 'none', 'pdf']);
});

test('pack refuses a file that some systems cannot unpack, with exit code 5', async () => {
  if (process.platform === 'win32') return;
  const cwd = await temporary({ pdf: { 'SKILL.md': skill('pdf'), 'what?.md': '' } });
  const error = await refusal(cwd, 'pack', 'pdf');
  expect(error).toMatchObject({ code: 'ARCHIVE_NAME', exitCode: 5, message: expect.stringContaining('what?.md') });
  expect(await readdir(cwd)).toEqual(['pdf']);
});

test('pack exits with 6 and prints the problem if a file has to be left out', async () => {
  const cwd = await ordinaryFolder();
  await symlink('/nowhere/at/all', join(cwd, 'pdf/broken.md'));
  const { exitCode, err } = await run(cwd, 'pack', 'pdf');
  expect(exitCode).toBe(6);
  expect(err).toMatch(/pdf.broken\.md {2}problem {2}.+\[link-broken\]/);
  expect(await unpackArchive(await readFile(join(cwd, 'pdf.tar.gz')))).toHaveLength(3);
});

test('pack leaves nothing behind if the archive cannot be written', async () => {
  const cwd = await ordinaryFolder();
  await mkdir(join(cwd, 'taken.zip'));
  const taken = await refusal(cwd, 'pack', 'pdf', '--out', 'taken.zip');
  expect(taken).toMatchObject({ code: 'WRITE_FAILED', message: expect.stringContaining('taken.zip') });
  expect(await refusal(cwd, 'pack', 'pdf', '--out', 'no/such/x.zip')).toMatchObject({ code: 'WRITE_FAILED' });
  expect((await readdir(cwd)).sort()).toEqual(['pdf', 'taken.zip']);
});

test('pack counts warnings without printing them', async () => {
  const cwd = await temporary({ folder: { 'SKILL.md': skill('other') } });
  const { err, exitCode } = await run(cwd, 'pack', 'folder', '--out', 'x.zip');
  expect(err).toBe('1 warning; run "skillwire validate folder"\n');
  expect(exitCode).toBe(0);
});
