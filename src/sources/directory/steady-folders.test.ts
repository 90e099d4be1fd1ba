import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { skill, type Tree, write } from '../../../test/skill-folders.ts';
import { createSlices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { createEntryNames } from './entry-names.ts';
import { createFileReader, type FileReader } from './file-facts.ts';
import { growTree } from './folder-tree.ts';
import { createPublisher, type Proposal } from './publish-skills.ts';

const content: Tree = {
  alone: { 'SKILL.md': skill('alone') },
  team: { deep: { 'SKILL.md': skill('deep'), references: { 'guide.md': 'inside', more: { 'x.md': 'x' } } } },
};

/** Longer than a stamp has to be old to show every change. */
const settlingMs = 2_100;

interface Places {
  readonly root: string;
  readonly outside: string;
}

async function makePlaces({ onTestFinished }: TestContext): Promise<Places> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'skillwire-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [root, outside] = [join(home, 'root'), join(home, 'outside')];
  await write(root, content);
  await write(outside, content);
  await writeFile(join(outside, 'team/deep/references/guide.md'), 'secret');
  return { root, outside };
}

/** Places in which nothing has changed for a while. */
async function oldPlaces(context: TestContext): Promise<Places> {
  const places = await makePlaces(context);
  await sleep(settlingMs);
  return places;
}

interface Read {
  readonly file: string;
  readonly inPlace: boolean | undefined;
}

/** Reads the root as a source does at its start. `around` is done around the first reading of guide.md. */
async function readRoot(
  root: string,
  around: (read: () => unknown) => void = (read) => void read(),
  stampsFolders = true,
): Promise<{ proposal: Proposal; reads: readonly Read[] }> {
  const reads: Read[] = [];
  const real = createFileReader();
  const reader: FileReader = {
    ...real,
    facts(file, isSkillFile, inPlace) {
      const name = basename(file.real);
      const isFirst = !reads.some((read) => read.file === name);
      reads.push({ file: name, inPlace });
      if (name !== 'guide.md' || !isFirst) return real.facts(file, isSkillFile, inPlace);
      let facts: ReturnType<FileReader['facts']> = { fault: 'gone' };
      around(() => {
        facts = real.facts(file, isSkillFile, inPlace);
      });
      return facts;
    },
  };
  const nothing = (): void => undefined;
  const tree = await growTree(
    {
      path: { real: root, shown: root, local: true, direct: true },
      name: 'root',
      inherited: { depth: 0, insideSkill: false, areas: [root], above: undefined, ignores: [] },
    },
    {
      roots: [root],
      isLocal: () => true,
      onFolder: nothing,
      onNews: nothing,
      onPassing: nothing,
      slices: createSlices(),
      names: createEntryNames(),
      named: new Set(),
      trustsStamps: true,
      remaining: limits.scan.entries,
      links: limits.scan.links,
    },
  );
  const proposal = await createPublisher(reader).propose([{ tree, nested: true, stampsFolders }]);
  return { proposal, reads };
}

function guideDigest({ upserted }: Proposal): string | undefined {
  const deep = upserted.find(({ path }) => path === 'team/deep');
  return deep?.assembled.files.find(({ path }) => path === 'references/guide.md')?.facts.digest;
}

/** Puts a link to the folder outside in the place of a folder. */
function swap({ root, outside }: Places, folder: string): () => void {
  const path = join(root, folder);
  renameSync(path, `${path}.aside`);
  symlinkSync(join(outside, folder), path);
  return () => {
    rmSync(path);
    renameSync(`${path}.aside`, path);
  };
}

const inside = sha256Digest(new TextEncoder().encode('inside'));

describe.skipIf(process.platform === 'win32').concurrent('folders that have not changed for a while', () => {
  test('vouch for all files below them', async (context) => {
    const { root } = await oldPlaces(context);
    const { proposal, reads } = await readRoot(root);
    expect(guideDigest(proposal)).toBe(await inside);
    expect(reads.map(({ inPlace }) => inPlace)).toEqual([true, true, true, true]);
  });

  for (const folder of ['team', 'team/deep', 'team/deep/references']) {
    test(`do not if ${folder} was a link for a moment: the skill is read again, file by file`, async (context) => {
      const places = await oldPlaces(context);
      const { proposal, reads } = await readRoot(places.root, (read) => {
        const back = swap(places, folder);
        read();
        back();
      });
      expect(guideDigest(proposal)).toBe(await inside);
      const ofGuide = reads.filter(({ file }) => file === 'guide.md');
      expect(ofGuide.map(({ inPlace }) => inPlace)).toEqual([true, false]);
      expect(proposal.upserted.map(({ path }) => path).sort()).toEqual(['alone', 'team/deep']);
    });

    test(`do not if ${folder} stays a link`, async (context) => {
      const places = await oldPlaces(context);
      const { proposal } = await readRoot(places.root, (read) => {
        swap(places, folder);
        read();
      });
      expect(guideDigest(proposal)).toBeUndefined();
      expect(proposal.upserted.map(({ path }) => path)).toContain('alone');
    });
  }

  test('are asked about nothing while they are young, or on a disk that does not stamp them', async (context) => {
    const { root } = await makePlaces(context);
    const young = await readRoot(root);
    expect(young.reads.map(({ inPlace }) => inPlace)).toEqual([false, false, false, false]);
    await sleep(settlingMs);
    const { proposal, reads } = await readRoot(root, undefined, false);
    expect(reads.map(({ inPlace }) => inPlace)).toEqual([false, false, false, false]);
    expect(guideDigest(proposal)).toBe(await inside);
  });

  test('do not vouch for what lies behind a link', async (context) => {
    const { root } = await makePlaces(context);
    await rename(join(root, 'team/deep/references'), join(root, 'team/kept'));
    await symlink('../kept', join(root, 'team/deep/references'));
    await sleep(settlingMs);
    const { proposal, reads } = await readRoot(root);
    expect(guideDigest(proposal)).toBe(await inside);
    expect(reads.find(({ file }) => file === 'guide.md')?.inPlace).toBe(false);
    expect(reads.some(({ inPlace }) => inPlace === true)).toBe(true);
  });
});
