import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { skill, stopClock, type Tree, temporary, write } from '../../../test/skill-folders.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import type { DirectoryOptions } from './directory-options.ts';
import { directorySource } from './directory-source.ts';

interface Watched {
  readonly root: string;
  readonly catalog: Catalog;
  readonly until: (reached: (snapshot: Snapshot) => boolean) => Promise<Snapshot>;
}

describe('watching', () => {
  async function watched(tree: Tree, options: DirectoryOptions = {}): Promise<Watched> {
    return watchedRoot(await temporary(tree), options);
  }

  async function watchedRoot(root: string, options: DirectoryOptions = {}): Promise<Watched> {
    const catalog = createCatalog(directorySource(root, options));
    onTestFinished(() => catalog.close());
    await catalog.snapshot();
    const until = async (reached: (snapshot: Snapshot) => boolean): Promise<Snapshot> => {
      const now = await catalog.snapshot();
      if (reached(now)) return now;
      return new Promise((resolve) => {
        const stop = catalog.subscribe(({ snapshot }) => {
          if (!reached(snapshot)) return;
          stop();
          resolve(snapshot);
        });
      });
    };
    return { root, catalog, until };
  }

  const paths = (snapshot: Snapshot): string[] => snapshot.listed.map(({ path }) => path);

  test('an edited, added, renamed and removed skill each appear, and untouched skills are the same records', async () => {
    const { root, until, catalog } = await watched({
      a: { 'SKILL.md': skill('a') },
      b: { 'SKILL.md': skill('b'), 'x.md': '1' },
    });
    const first = await catalog.snapshot();
    await writeFile(join(root, 'b/x.md'), '22');
    const edited = await until((snapshot) => snapshot.file('skill://b/x.md')?.resource?.size === 2);
    expect(edited.skill('skill://a/SKILL.md')).toBe(first.skill('skill://a/SKILL.md'));
    expect(edited.generation).toBe(first.generation + 1);

    await write(join(root, 'new/deep/c'), { 'SKILL.md': skill('c'), assets: { 'x.txt': 'x' } });
    await until((snapshot) => paths(snapshot).includes('new/deep/c'));
    await rename(join(root, 'new/deep'), join(root, 'new/other'));
    expect(paths(await until((snapshot) => paths(snapshot).includes('new/other/c')))).toEqual([
      'a',
      'b',
      'new/other/c',
    ]);
    await writeFile(join(root, 'new/other/c/assets/x.txt'), 'changed');
    await until((snapshot) => snapshot.file('skill://new/other/c/assets/x.txt')?.resource?.size === 7);
    await rm(join(root, 'a'), { recursive: true });
    expect(paths(await until((snapshot) => !paths(snapshot).includes('a')))).toEqual(['b', 'new/other/c']);
  });

  test('a nested file changes the outer entry too', async () => {
    const { root, until } = await watched({
      outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } },
    });
    await writeFile(join(root, 'outer/inner/SKILL.md'), skill('inner', 'another body'));
    const snapshot = await until(
      (now) => now.file('skill://outer/inner/SKILL.md')?.resource?.size !== skill('inner').length,
    );
    const inOuter = snapshot.skill('skill://outer/SKILL.md')?.files.get('inner/SKILL.md')?.resource;
    expect(inOuter).toEqual(snapshot.skill('skill://outer/inner/SKILL.md')?.files.get('SKILL.md')?.resource);
  });

  /** True if no pause was long enough to be a quiet period. A busy machine can make one too long. */
  async function appendInPieces(path: string, text: string): Promise<boolean> {
    let longestMs = 0;
    let last = performance.now();
    await writeFile(path, '');
    for (let done = 0; done < text.length; done += 400) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      await writeFile(path, text.slice(done, done + 400), { flag: 'a' });
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }
    return longestMs < limits.watch.quietMs;
  }

  test('a file that is written in pieces is never published incomplete', async () => {
    const { root, catalog, until } = await watched({ a: { 'SKILL.md': skill('a', 'old\n') } });
    let sizes = new Set<number | undefined>();
    catalog.subscribe(({ snapshot }) => sizes.add(snapshot.file('skill://a/SKILL.md')?.resource?.size));
    for (let round = 1; ; round++) {
      sizes = new Set();
      const after = skill('a', `${'new line\n'.repeat(200)}end ${'.'.repeat(round)}\n`);
      const restless = await appendInPieces(join(root, 'a/SKILL.md'), after);
      await until((snapshot) => snapshot.file('skill://a/SKILL.md')?.resource?.size === after.length);
      if (!restless) continue;
      expect([...sizes]).toEqual([after.length]);
      return;
    }
  });

  test.each(['SKILL.md', 'x.md'])(
    'a %s that is emptied and written after a pause is never published empty',
    async (name) => {
      const after = skill('a', 'a longer text than before\n');
      const { root, catalog, until } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': 'x' } });
      const sizes = new Set<number | undefined>();
      catalog.subscribe(({ snapshot }) => sizes.add(snapshot.file(`skill://a/${name}`)?.resource?.size));
      stopClock();
      await writeFile(join(root, 'a', name), '');
      await new Promise((resolve) => setTimeout(resolve, 400));
      await writeFile(join(root, 'a', name), after);
      await until((snapshot) => snapshot.file(`skill://a/${name}`)?.resource?.size === after.length);
      expect([...sizes]).toEqual([after.length]);
    },
  );

  /** Empties a `SKILL.md` repeatedly while another skill changes. @returns the longest pause between two writes */
  async function saveInBusyFolder(root: string): Promise<number> {
    let longestMs = 0;
    let last = performance.now();
    const ends = last + 2 * limits.watch.longestWaitMs;
    for (let round = 0; performance.now() < ends; round++) {
      await writeFile(join(root, 'b/SKILL.md'), skill('b', 'x'.repeat(round)));
      await writeFile(join(root, 'a/SKILL.md'), '');
      await new Promise((resolve) => setTimeout(resolve, 40));
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }
    return longestMs;
  }

  test('a skill does not disappear while it is saved in a busy folder', async () => {
    const { root, catalog, until } = await watched({ a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } });
    let removed = 0;
    catalog.subscribe((change) => {
      removed += change.removed.length;
    });
    for (let attempt = 1; ; attempt++) {
      removed = 0;
      const pauseMs = await saveInBusyFolder(root);
      const saved = skill('a', `saved${'.'.repeat(attempt)}\n`);
      await writeFile(join(root, 'a/SKILL.md'), saved);
      await until((snapshot) => snapshot.file('skill://a/SKILL.md')?.resource?.size === saved.length);
      // After so long a pause of a busy machine, the file counts as empty on purpose.
      if (pauseMs >= limits.watch.longestWaitMs / 2) continue;
      expect(removed).toBe(0);
      break;
    }
    await writeFile(join(root, 'a/SKILL.md'), '');
    expect(paths(await until((snapshot) => !paths(snapshot).includes('a')))).toEqual(['b']);
  });

  test('a folder that is removed and created again is watched again', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a'), refs: { 'x.md': '1' } } });
    await rm(join(root, 'a'), { recursive: true });
    await write(join(root, 'a'), { 'SKILL.md': skill('a'), refs: { 'x.md': '22' } });
    await until((snapshot) => snapshot.file('skill://a/refs/x.md')?.resource?.size === 2);
    await writeFile(join(root, 'a/refs/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/refs/x.md')?.resource?.size === 3);
  });

  test('a folder that is replaced by another of its name is read and watched again, at every depth', async () => {
    const { root, until } = await watched({ team: { a: { 'SKILL.md': skill('a'), refs: { 'x.md': '1' } } } });
    const other = await temporary({ team: { a: { 'SKILL.md': skill('a', 'other\n'), refs: { 'x.md': '22' } } } });
    await rename(join(root, 'team'), join(other, 'old'));
    await rename(join(other, 'team'), join(root, 'team'));
    await until((snapshot) => snapshot.file('skill://team/a/refs/x.md')?.resource?.size === 2);
    await writeFile(join(root, 'team/a/refs/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://team/a/refs/x.md')?.resource?.size === 3);
  });

  test.each(['the root', 'the folder above the root'])('%s may be replaced by another one', async (what) => {
    const place = await temporary({
      now: { skills: { a: { 'SKILL.md': skill('a'), 'x.md': '1' } } },
      next: { skills: { a: { 'SKILL.md': skill('a'), 'x.md': '22' } } },
    });
    const { until } = await watchedRoot(join(place, 'now/skills'));
    const [from, to] = what === 'the root' ? ['next/skills', 'now/skills'] : ['next', 'now'];
    await rename(join(place, to), join(place, 'old'));
    await rename(join(place, from), join(place, to));
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 2);
    await writeFile(join(place, 'now/skills/a/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 3);
  });

  test.skipIf(process.platform === 'win32')('a linked root may be pointed at another release', async () => {
    const place = await temporary({
      one: { a: { 'SKILL.md': skill('a'), 'x.md': '1' } },
      two: { a: { 'SKILL.md': skill('a'), 'x.md': '22' } },
    });
    await symlink('one', join(place, 'current'));
    const { until } = await watchedRoot(join(place, 'current'));
    await symlink('two', join(place, 'next'));
    await rename(join(place, 'next'), join(place, 'current'));
    await rm(join(place, 'one'), { recursive: true });
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 2);
    await writeFile(join(place, 'two/a/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 3);
  });

  test.skipIf(process.platform === 'win32')('a repaired link is followed again', async () => {
    const home = await temporary({ '.agents': { skills: { c: { 'SKILL.md': skill('c') } } } });
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await until((snapshot) => paths(snapshot).includes('c'));
    await rm(join(home, '.agents/skills/c'), { recursive: true });
    await until((snapshot) => snapshot.findings.some(({ rule }) => rule === 'link-broken'));
    await write(join(home, '.agents/skills/c'), { 'SKILL.md': skill('c') });
    await until((snapshot) => paths(snapshot).includes('c'));
  });

  test('a changed .skillignore applies to everything below it', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a'), refs: { deep: { 'x.md': '1' } } } });
    await writeFile(join(root, '.skillignore'), 'deep/\n');
    await until((snapshot) => snapshot.file('skill://a/refs/deep/x.md') === undefined);
    await rm(join(root, '.skillignore'));
    await until((snapshot) => snapshot.file('skill://a/refs/deep/x.md') !== undefined);
  });

  test('a read during edits returns bytes of the current entry, and never an error', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': '0' } });
    let done = false;
    const editing = (async () => {
      for (let n = 1; n <= 40; n++) {
        await writeFile(join(root, 'a/x.md'), `${n}`.repeat(n));
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      done = true;
    })();
    let reads = 0;
    while (!done) {
      const { bytes, file } = await catalog.read('skill://a/x.md', {});
      expect(bytes.length).toBe(file.resource?.size);
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await editing;
    expect(reads).toBeGreaterThan(0);
    expect((await catalog.read('skill://a/x.md', {})).bytes.length).toBe(80);
  });

  test('changes during a scan are not lost', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `s${n}`);
    const { root, until } = await watched(
      Object.fromEntries(names.map((name) => [name, { 'SKILL.md': skill(name), 'x.md': '' }])),
    );
    for (let size = 1; size <= 3; size++)
      for (const name of names) {
        await writeFile(join(root, name, 'x.md'), 'x'.repeat(size));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    await until((snapshot) => names.every((name) => snapshot.file(`skill://${name}/x.md`)?.resource?.size === 3));
  });

  test('a file that is saved by renaming, repeatedly, never disappears', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': '0' } });
    let missing = 0;
    catalog.subscribe(({ snapshot }) => {
      if (snapshot.file('skill://a/x.md') === undefined) missing++;
    });
    for (let n = 1; n <= 400; n++) {
      await writeFile(join(root, 'a/.x.md.tmp'), `${n}`);
      await rename(join(root, 'a/.x.md.tmp'), join(root, 'a/x.md'));
    }
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('400');
    expect(missing).toBe(0);
  });

  test('an edit of the same size right after a read is noticed by the next read', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': 'aaaa' } }, { watch: false });
    await writeFile(join(root, 'a/x.md'), 'bbbb');
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('bbbb');
    await writeFile(join(root, 'a/x.md'), 'cccc');
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('cccc');
    const entry = (await catalog.find('skill://a/SKILL.md', {}))?.entry;
    expect(entry?.resources).toContainEqual((await catalog.read('skill://a/x.md', {})).file.resource);
  });

  test('a root that disappears removes its skills, is reported, and is served again when it returns', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a') } });
    await rename(root, `${root}-away`);
    const gone = await until((snapshot) => snapshot.listed.length === 0);
    expect(gone.findings).toMatchObject([{ rule: 'root-unavailable', file: root }]);
    await rename(`${root}-away`, root);
    const back = await until((snapshot) => snapshot.listed.length === 1);
    expect(back.findings).toEqual([]);
    await writeFile(join(root, 'a/SKILL.md'), skill('a', 'after the return'));
    await until(
      (snapshot) => snapshot.file('skill://a/SKILL.md')?.resource?.size === skill('a', 'after the return').length,
    );
  });

  test('if watching is impossible, it polls and reports that', async () => {
    const { root, until } = await watched(
      { a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } },
      { maxWatchers: 1 },
    );
    const polled = await until((snapshot) => snapshot.findings.some(({ rule }) => rule === 'watch-limit'));
    expect(paths(polled)).toEqual(['a', 'b']);
    await write(join(root, 'c'), { 'SKILL.md': skill('c') });
    await until((snapshot) => paths(snapshot).includes('c'));
  });

  test.skipIf(process.platform === 'win32')('the target of a link is watched too', async () => {
    const home = await temporary({ '.agents': { skills: { c: { 'SKILL.md': skill('c'), 'x.md': '1' } } } });
    const { root, until } = await watched({ shared: { 'g.md': '1' }, a: { 'SKILL.md': skill('a') } });
    await symlink('../shared/g.md', join(root, 'a/g.md'));
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await until((snapshot) => paths(snapshot).includes('c') && snapshot.file('skill://a/g.md') !== undefined);
    await writeFile(join(root, 'shared/g.md'), '22');
    await until((snapshot) => snapshot.file('skill://a/g.md')?.resource?.size === 2);
    await writeFile(join(home, '.agents/skills/c/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://c/x.md')?.resource?.size === 3);
  });
});
