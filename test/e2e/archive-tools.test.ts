/** Programs that other people wrote open our archives, and we open theirs: tar, unzip, zip, Python. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ArchiveFile, ArchiveFormat } from '../../src/archive/archive-file.ts';
import { packArchive } from '../../src/archive/pack.ts';
import { unpackArchive } from '../../src/archive/unpack.ts';
import { temporary } from '../skill-folders.ts';
import { cliFolder, skillText } from './cli-process.ts';

const run = promisify(execFile);

/** Why a program cannot be used; `undefined` if it can. On other systems, programs of these names have other options. */
function absence(program: string): string | undefined {
  if (process.platform !== 'linux') return `${program} is tried on Linux`;
  const { error } = spawnSync(program, [program === 'unzip' || program === 'zip' ? '-v' : '--version']);
  return error === undefined ? undefined : `${program} is not installed`;
}

/** Registers a test if all its programs exist; else names a missing one. */
function withPrograms(programs: readonly string[], name: string, body: () => Promise<void>): void {
  const reasons = programs.map(absence).filter((reason) => reason !== undefined);
  if (reasons.length > 0) console.warn(`skipped "${name}": ${reasons.join(', ')}`);
  test.skipIf(reasons.length > 0)(name, body);
}

const files: readonly ArchiveFile[] = (
  [
    ['SKILL.md', skillText('tools'), false],
    ['scripts/run.sh', '#!/bin/sh\necho hello\n', true],
    ['scripts/with space & more.py', 'print(1)\n', true],
    ['références/été – 夏 😀.md', 'été\n', false],
    ['assets/empty.bin', '', false],
    ['assets/block.bin', 'x'.repeat(512), false],
    ['assets/text.txt', 'All the same again and again.\n'.repeat(20_000), false],
    [`${'a-folder-with-a-long-name/'.repeat(5)}a-file-with-a-name-of-more-than-a-few-letters.md`, 'long\n', false],
    ['inner/SKILL.md', skillText('inner'), false],
  ] as const
).map(([path, text, executable]) => ({ path, bytes: Buffer.from(text), executable }));

/** Paths with digest and whether the owner may execute it. */
type FilesByPath = Readonly<Record<string, readonly [digest: string, executable: boolean]>>;

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function byPath(given: readonly ArchiveFile[]): FilesByPath {
  return Object.fromEntries(given.map(({ path, bytes, executable }) => [path, [digest(bytes), executable]]));
}

async function onDisk(folder: string): Promise<FilesByPath> {
  const found: Record<string, readonly [string, boolean]> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = [digest(await readFile(path)), ((await stat(path)).mode & 0o100) !== 0];
  }
  return found;
}

async function packed(format: ArchiveFormat): Promise<{ folder: string; archive: string; out: string }> {
  const folder = await temporary({ out: {} });
  const archive = join(folder, `tools.${format}`);
  await writeFile(archive, packArchive(files, format));
  return { folder, archive, out: join(folder, 'out') };
}

/** Unpacks with the standard library and prints what it saw of the archive itself. */
const python = `
import json, sys, tarfile, zipfile
archive, out = sys.argv[1:]
if archive.endswith('.zip'):
    with zipfile.ZipFile(archive) as z:
        assert z.testzip() is None
        seen = [[i.filename, (i.external_attr >> 16) & 0o7777, list(i.date_time)] for i in z.infolist()]
        z.extractall(out)
else:
    with tarfile.open(archive, 'r:gz') as t:
        seen = [[m.name, m.mode, [m.mtime, m.uid, m.gid, m.uname, m.pax_headers]] for m in t.getmembers()]
        t.extractall(out, **({'filter': 'data'} if hasattr(tarfile, 'data_filter') else {}))
print(json.dumps(seen))
`;

describe('our archives are opened by', () => {
  withPrograms(['tar'], 'the tar of the system', async () => {
    const { archive, out } = await packed('tar.gz');
    const { stdout, stderr } = await run('tar', ['-xvzf', archive, '-C', out]);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(files.length);
    expect(await onDisk(out)).toEqual(byPath(files));
  });

  withPrograms(['gzip'], 'gzip', async () => {
    const { archive } = await packed('tar.gz');
    expect(await run('gzip', ['-tv', archive])).toMatchObject({ stderr: expect.stringContaining('OK') });
  });

  withPrograms(['unzip'], 'the unzip of the system', async () => {
    const { archive, out } = await packed('zip');
    expect((await run('unzip', ['-t', archive])).stdout).toContain('No errors detected');
    await run('unzip', ['-q', archive, '-d', out], { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    expect(await onDisk(out)).toEqual(byPath(files));
  });

  withPrograms(['python3'], 'tarfile of Python', async () => {
    const { archive, out } = await packed('tar.gz');
    const seen: unknown[] = JSON.parse((await run('python3', ['-c', python, archive, out])).stdout);
    expect(await onDisk(out)).toEqual(byPath(files));
    expect(seen).toEqual(
      [...files]
        .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
        .map(({ path, executable }) => [path, executable ? 0o755 : 0o644, [0, 0, 0, '', {}]]),
    );
  });

  withPrograms(['python3'], 'zipfile of Python', async () => {
    const { archive, out } = await packed('zip');
    const seen: unknown[] = JSON.parse((await run('python3', ['-c', python, archive, out])).stdout);
    // zipfile does not restore modes; the archive has them.
    const digests = (all: FilesByPath): Record<string, string> =>
      Object.fromEntries(Object.entries(all).map(([path, [of]]) => [path, of]));
    expect(digests(await onDisk(out))).toEqual(digests(byPath(files)));
    expect(Object.fromEntries((seen as [string, number][]).map(([path, mode]) => [path, mode]))).toEqual(
      Object.fromEntries(files.map(({ path, executable }) => [path, executable ? 0o755 : 0o644])),
    );
    expect(new Set((seen as [string, number, number[]][]).map(([, , date]) => date.join()))).toEqual(
      new Set(['1980,1,1,0,0,0']),
    );
  });

  withPrograms(['tar', 'unzip'], 'tar and unzip after "skillwire pack"', async () => {
    const folder = cliFolder();
    try {
      folder.write({ 'skills/tools/SKILL.md': skillText('tools'), 'skills/tools/references/a.md': 'a\n' });
      for (const [format, ...unpack] of [
        ['tar.gz', 'tar', '-xzf', 'tools.tar.gz', '-C'],
        ['zip', 'unzip', '-q', 'tools.zip', '-d'],
      ] as const) {
        const { exitCode, stdout } = await folder.run(['pack', 'skills/tools', '--format', format, '--json']);
        expect(exitCode).toBe(0);
        expect(JSON.parse(stdout).digest).toBe(
          `sha256:${digest(await readFile(join(folder.path, `tools.${format}`)))}`,
        );
        const out = join(folder.path, `out-${format}`);
        await mkdir(out);
        await run(unpack[0], [...unpack.slice(1), out], { cwd: folder.path });
        expect(await onDisk(out)).toEqual(await onDisk(join(folder.path, 'skills/tools')));
      }
    } finally {
      folder.remove();
    }
  });
});

/** The files as a folder, with a link to one of them. */
async function skillFolder(): Promise<{ folder: string; expected: FilesByPath }> {
  const folder = await temporary({ skill: {} });
  for (const { path, bytes, executable } of files) {
    const file = join(folder, 'skill', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    await chmod(file, executable ? 0o755 : 0o644);
  }
  await symlink('../scripts/run.sh', join(folder, 'skill/assets/link.sh'));
  return { folder, expected: { ...byPath(files), 'assets/link.sh': byPath(files)['scripts/run.sh'] ?? ['', false] } };
}

async function unpackedFrom(archive: string): Promise<FilesByPath> {
  return byPath(await unpackArchive(await readFile(archive)));
}

const makers: readonly (readonly [name: string, programs: readonly string[], command: readonly string[]])[] = [
  ['tar with GNU headers', ['tar'], ['tar', '--format=gnu', '-czf', '../x.tgz', '.']],
  ['tar with pax headers', ['tar'], ['tar', '--format=posix', '-czf', '../x.tgz', '.']],
  ['tar with single files', ['tar'], ['sh', '-c', 'tar --format=pax -czf ../x.tgz *']],
  ['zip with links', ['zip'], ['zip', '-q', '-y', '-r', '../x.tgz', '.']],
  ['zip written to a pipe', ['zip'], ['sh', '-c', 'zip -q -r - . | cat > ../x.tgz']],
  [
    'Python tarfile',
    ['python3'],
    ['python3', '-c', "import tarfile; t = tarfile.open('../x.tgz', 'w:gz'); t.add('.'); t.close()"],
  ],
];

describe('we open archives of', () => {
  for (const [name, programs, [command = '', ...args]] of makers)
    withPrograms(programs, name, async () => {
      const { folder, expected } = await skillFolder();
      await run(command, args, { cwd: join(folder, 'skill') });
      expect(await unpackedFrom(join(folder, 'x.tgz'))).toEqual(expected);
    });

  withPrograms(['python3'], 'Python zipfile, which writes what links lead to', async () => {
    const { folder, expected } = await skillFolder();
    await run('python3', ['-c', "import shutil; shutil.make_archive('x', 'zip', 'skill')"], { cwd: folder });
    expect(await unpackedFrom(join(folder, 'x.zip'))).toEqual(expected);
  });

  withPrograms(['git'], 'git', async () => {
    const { folder, expected } = await skillFolder();
    const git = (...words: string[]): Promise<unknown> => run('git', words, { cwd: join(folder, 'skill') });
    await git('init', '-q');
    await git('add', '.');
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'commit.gpgsign=false'];
    await git(...identity, 'commit', '-q', '-m', 'x');
    for (const format of ['tar.gz', 'zip']) {
      await git('archive', `--format=${format}`, '-o', `../x.${format}`, 'HEAD');
      expect(await unpackedFrom(join(folder, `x.${format}`))).toEqual(expected);
    }
  });
});
