import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArchiveFormat } from '../../src/archive/archive-file.ts';
import { checkPromisedSet, checkSkillLayout } from '../../src/archive/check-files.ts';
import { packArchive } from '../../src/archive/pack.ts';
import { unpackArchive } from '../../src/archive/unpack.ts';
import { writeTree } from '../../src/archive/write-tree.ts';
import { SkillwireError } from '../../src/errors.ts';
import { sha256Digest } from '../../src/skill/digest.ts';
import type { HostileArchive } from '../archives/hostile-archive.ts';
import { hostileTars, skillMd } from '../archives/hostile-tars.ts';
import { hostileZips } from '../archives/hostile-zips.ts';
import { type RawTarEntry, tarGz } from '../archives/raw-tar.ts';
import { type RawZipEntry, rawZip } from '../archives/raw-zip.ts';
import { verifies } from '../requirements/verifies.ts';
import { temporary } from '../skill-folders.ts';

const corpus: readonly HostileArchive[] = [...hostileTars, ...hostileZips];

/** Unpacks as an installer would. @returns the code of the refusal */
async function outcome(bytes: Uint8Array, folder: string): Promise<string> {
  try {
    await writeTree(await unpackArchive(bytes), join(folder, 'skill'));
    return 'written';
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    // One line, and nothing in it that a terminal would act on.
    expect(error.message).toMatch(/^Cannot use the archive: [^\p{Cc}\u202a-\u202e\u200b]+$/u);
    return error.code;
  }
}

/** Every case of a row is refused with its own code, and nothing is on the disk afterwards. */
async function refusesAll(row: string): Promise<void> {
  const cases = corpus.filter((hostile) => hostile.row === row);
  expect(cases.length).toBeGreaterThan(0);
  const folder = await temporary();
  const found: Record<string, string> = {};
  for (const { what, make } of cases) found[what] = await outcome(make(), folder);
  expect(found).toEqual(Object.fromEntries(cases.map(({ what, code }) => [what, code])));
  expect(await readdir(folder)).toEqual([]);
}

test('the corpus has at least 60 archives, each with its own name', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(60);
  expect(new Set(corpus.map(({ what }) => what)).size).toBe(corpus.length);
});

verifies(['sec:A-1', 'W-14'], 'paths that leave the folder are refused', () => refusesAll('A-1'));
verifies(['sec:A-2'], 'windows paths are refused on every system', () => refusesAll('A-2'));
verifies(['sec:A-3', 'W-14'], 'links that do not lead to a file inside are refused', () => refusesAll('A-3'));
verifies(['sec:A-4'], 'pipes, devices and unknown types are refused', () => refusesAll('A-4'));
verifies(['sec:A-6'], 'names that are equal on some system are refused', () => refusesAll('A-6'));
verifies(['sec:A-7'], 'names that look like other names are refused', () => refusesAll('A-7'));
verifies(['sec:A-8'], 'names that some system cannot create are refused', () => refusesAll('A-8'));
verifies(['sec:A-9'], 'extended headers of a tar are checked', () => refusesAll('A-9'));
verifies(['sec:A-10', 'W-15'], 'bombs are refused', () => refusesAll('A-10'));
verifies(['sec:A-11'], 'truncated, empty and damaged archives are refused', () => refusesAll('A-11'));
verifies(['sec:A-12'], 'bytes before or after an archive are refused', () => refusesAll('A-12'));
verifies(['sec:A-13'], 'contradicting headers of a zip are refused', () => refusesAll('A-13'));

verifies(['sec:A-3'], 'a link to a regular file inside becomes a copy of it, with its mode', async () => {
  const target: RawTarEntry = { name: 'scripts/run.sh', data: '#!/bin/sh\n', mode: 0o755 };
  const tar = tarGz(
    { name: 'SKILL.md', data: skillMd },
    { name: 'run.sh', type: '2', link: './scripts/../scripts/run.sh', mode: 0o777 },
    { name: 'scripts/again.sh', type: '2', link: 'run.sh' },
    { name: 'deep/er/third.sh', type: '2', link: '../../run.sh' },
    target,
    { name: 'hard.sh', type: '1', link: 'scripts/run.sh' },
  );
  const link = (name: string, data: string): RawZipEntry => ({ name, data, attributes: (0o120777 << 16) >>> 0 });
  const zip = rawZip([
    { name: 'SKILL.md', data: skillMd },
    link('run.sh', 'scripts/run.sh'),
    { name: 'scripts/run.sh', data: '#!/bin/sh\n', mode: 0o755 },
  ]);
  for (const bytes of [tar, zip]) {
    const files = (await unpackArchive(bytes)).filter(({ path }) => path !== 'SKILL.md');
    expect(files.length).toBeGreaterThan(1);
    for (const file of files)
      expect({ ...file, bytes: Buffer.from(file.bytes).toString() }).toEqual({
        path: file.path,
        bytes: '#!/bin/sh\n',
        executable: true,
      });
  }
});

verifies(['sec:A-5'], 'modes are reduced to 0644 and 0755', async () => {
  const modes = { setuid: 0o4755, setgid: 0o2644, sticky: 0o1777, none: 0o000, everybody: 0o666, others: 0o011 };
  const expected = { setuid: true, setgid: false, sticky: true, none: false, everybody: false, others: false };
  const tar = tarGz(...Object.entries(modes).map(([name, mode]) => ({ name, mode })));
  const zip = rawZip(Object.entries(modes).map(([name, mode]) => ({ name, mode })));
  for (const bytes of [tar, zip]) {
    const files = await unpackArchive(bytes);
    expect(Object.fromEntries(files.map(({ path, executable }) => [path, executable]))).toEqual(expected);
  }
});

verifies(['sec:A-14', 'W-12'], 'checkSkillLayout() refuses an archive without SKILL.md at its root', async () => {
  const cases: Record<string, readonly RawTarEntry[]> = {
    '"git/SKILL.md"': [{ name: 'git/SKILL.md', data: skillMd }],
    'it contains 2 of them': [{ name: 'a/SKILL.md' }, { name: 'b/SKILL.md' }],
    'none of its 1 files': [{ name: 'README.md' }],
    'none of its 2 files': [{ name: 'skill.md', data: skillMd }, { name: 'x' }],
  };
  for (const [found, entries] of Object.entries(cases)) {
    const files = await unpackArchive(tarGz(...entries));
    expect(() => checkSkillLayout(files)).toThrow(expect.objectContaining({ code: 'ARCHIVE_LAYOUT' }));
    expect(() => checkSkillLayout(files)).toThrow(found);
  }
  checkSkillLayout(await unpackArchive(tarGz({ name: 'SKILL.md', data: skillMd }, { name: 'a/SKILL.md' })));
});

verifies(['sec:A-15'], 'checkPromisedSet() refuses additional, missing and other files', async () => {
  const files = await unpackArchive(tarGz({ name: 'SKILL.md', data: skillMd }, { name: 'x', data: 'x' }));
  const promised = await Promise.all(
    files.map(async ({ path, bytes }) => ({ path, digest: await sha256Digest(bytes) })),
  );
  await checkPromisedSet(files, promised);
  const refused = async (set: typeof promised): Promise<unknown> =>
    checkPromisedSet(files, set).catch((error: unknown) => error);
  expect(await refused(promised.slice(1))).toMatchObject({ code: 'VERIFICATION_FAILED', reason: 'unlisted' });
  expect(await refused([...promised, { path: 'y', digest: '' }])).toMatchObject({ reason: 'missing' });
  const changed = promised.map((file) => ({ ...file, digest: `sha256:${'0'.repeat(64)}` }));
  expect(await refused(changed)).toMatchObject({ reason: 'digest', data: { expected: `sha256:${'0'.repeat(64)}` } });
});

verifies(['sec:A-16'], 'an archive of another format than promised is refused', async () => {
  const files = [{ path: 'SKILL.md', bytes: Buffer.from(skillMd), executable: false }];
  const code = async (bytes: Uint8Array, format?: ArchiveFormat): Promise<string> => {
    try {
      await unpackArchive(bytes, format === undefined ? {} : { format });
      return 'taken';
    } catch (error) {
      return error instanceof SkillwireError ? error.code : String(error);
    }
  };
  expect(await code(packArchive(files, 'zip'), 'tar.gz')).toBe('ARCHIVE_FORMAT');
  expect(await code(packArchive(files, 'tar.gz'), 'zip')).toBe('ARCHIVE_FORMAT');
  expect(await code(packArchive(files, 'zip'), 'zip')).toBe('taken');
  expect(await code(packArchive(files, 'tar.gz'))).toBe('taken');
  for (const text of ['<!DOCTYPE html>', '{"skills":[]}', 'PK', '\u007fELF']) {
    expect(await code(Buffer.from(text))).toBe('ARCHIVE_FORMAT');
  }
});
