/** Every way in which an installed folder can differ from its lock file, and the one line about it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { type DriftKind, driftOf, editsText, type FileDrift, sha256Of } from './drift.ts';
import type { LockedFile } from './install-lock.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';

const posix = process.platform !== 'win32';
const encoder = new TextEncoder();
let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-drift-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
  chmodSync(join(top, path), mode);
}

const locked = (text: string, executable?: true): LockedFile => ({
  digest: sha256Of(encoder.encode(text)),
  size: text.length,
  ...(executable === undefined ? {} : { executable }),
});
const files = { 'SKILL.md': locked('skill'), 'deep/run.sh': locked('run', true) };
const drift = (scripts = false, platform = 'linux') => driftOf(disk, top, { files, scripts }, platform);

describe('driftOf()', () => {
  beforeEach(() => {
    write('SKILL.md', 'skill');
    write('deep/run.sh', 'run');
  });

  test('finds nothing if the installation is unchanged', async () => {
    expect(await drift()).toEqual([]);
  });

  test.each<readonly [string, () => void, readonly FileDrift[]]>([
    ['other bytes', () => write('SKILL.md', 'other'), [{ path: 'SKILL.md', kind: 'modified' }]],
    ['more bytes', () => write('deep/run.sh', 'run!'), [{ path: 'deep/run.sh', kind: 'modified' }]],
    ['a file that is gone', () => rmSync(join(top, 'deep/run.sh')), [{ path: 'deep/run.sh', kind: 'missing' }]],
    [
      'a folder that is gone',
      () => rmSync(join(top, 'deep'), { recursive: true }),
      [{ path: 'deep/run.sh', kind: 'missing' }],
    ],
    ['a file that came', () => write('deep/mine.txt', ''), [{ path: 'deep/mine.txt', kind: 'added' }]],
    ['a file called like a member of objects', () => write('toString', ''), [{ path: 'toString', kind: 'added' }]],
    [
      'several at once, sorted by path',
      () => {
        write('z.txt', '');
        write('a.txt', '');
        rmSync(join(top, 'deep'), { recursive: true });
      },
      [
        { path: 'a.txt', kind: 'added' },
        { path: 'deep/run.sh', kind: 'missing' },
        { path: 'z.txt', kind: 'added' },
      ],
    ],
  ])('reports %s', async (_, change, expected) => {
    change();
    expect(await drift()).toEqual(expected);
  });

  test.each([
    '.DS_Store',
    'deep/.DS_Store',
    'Thumbs.db',
    'DESKTOP.INI',
    '__pycache__/run.cpython-312.pyc',
    'deep/__pycache__/a.pyo',
  ])('ignores litter: %s', async (path) => {
    write(path, 'x');
    expect(await drift()).toEqual([]);
  });

  test.each(['my.DS_Store', '__pycache__/mine.txt', '__pycache__/deep/a.pyc', 'a.pyc', 'Thumbs.db/mine'])(
    'does not treat as litter: %s',
    async (path) => {
      write(path, 'x');
      expect(await drift()).toEqual([{ path, kind: 'added' }]);
    },
  );

  test('a litter name in the lock file is a normal file', async () => {
    const own = { files: { '.DS_Store': locked('mine') }, scripts: false };
    rmSync(join(top, 'deep'), { recursive: true });
    rmSync(join(top, 'SKILL.md'));
    write('.DS_Store', 'MINE');
    expect(await driftOf(disk, top, own, 'linux')).toEqual([{ path: '.DS_Store', kind: 'modified' }]);
  });

  test.skipIf(!posix)('a link at the path of a file or beside it is reported as a link, not as missing', async () => {
    rmSync(join(top, 'SKILL.md'));
    symlinkSync('deep/run.sh', join(top, 'SKILL.md'));
    symlinkSync('deep', join(top, 'more'));
    expect(await drift()).toEqual([
      { path: 'SKILL.md', kind: 'link' },
      { path: 'more', kind: 'link' },
    ]);
  });

  test.skipIf(!posix).each([
    { scripts: false, mode: 0o644, found: undefined },
    { scripts: false, mode: 0o755, found: 'executable' },
    { scripts: true, mode: 0o755, found: undefined },
    { scripts: true, mode: 0o644, found: 'executable' },
    // Only the bit of the owner counts.
    { scripts: false, mode: 0o655, found: undefined },
    { scripts: true, mode: 0o744, found: undefined },
  ])('scripts accepted: $scripts, mode $mode: $found', async ({ scripts, mode, found }) => {
    chmodSync(join(top, 'deep/run.sh'), mode);
    expect(await drift(scripts)).toEqual(found === undefined ? [] : [{ path: 'deep/run.sh', kind: found }]);
    expect(await drift(scripts, 'win32')).toEqual([]);
  });

  test.skipIf(!posix)(
    'a file that its origin does not mark as executable must not be executable, even if scripts are accepted',
    async () => {
      chmodSync(join(top, 'SKILL.md'), 0o755);
      chmodSync(join(top, 'deep/run.sh'), 0o755);
      expect(await drift(true)).toEqual([{ path: 'SKILL.md', kind: 'executable' }]);
    },
  );

  test('searches down to the limit, and reports everything there', async () => {
    const deep = (levels: number): string => Array.from({ length: levels }, () => 'd').join('/');
    write(`${deep(limits.sync.depth)}/a.txt`, '');
    expect(await drift()).toEqual([{ path: `${deep(limits.sync.depth)}/a.txt`, kind: 'added' }]);
    write(`${deep(limits.sync.depth + 1)}/b.txt`, '');
    expect(await drift()).toContainEqual({ path: deep(limits.sync.depth + 1), kind: 'link' });
  });
});

test('only folders can have drift', async () => {
  write('file', 'x');
  for (const path of ['file', 'absent'])
    expect(await driftOf(disk, join(top, path), { files, scripts: false }, 'linux')).toBeUndefined();
});

test('editsText() names the first files and counts the others', () => {
  const kinds: readonly DriftKind[] = ['modified', 'missing', 'added', 'executable', 'link'];
  const texts = kinds.map((kind) => editsText([{ path: 'a', kind }]));
  expect(new Set(texts).size).toBe(kinds.length);
  for (const text of texts) expect(text).toMatch(/^"a" \w+ .+/);
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ path: `p${at}`, kind: 'added' as const }));
  expect(editsText(many(limits.sync.editsReported))).not.toContain('more');
  const more = editsText(many(limits.sync.editsReported + 2));
  expect(more).toMatch(/ and 2 more$/);
  expect(more.split(', ')).toHaveLength(limits.sync.editsReported);
});
