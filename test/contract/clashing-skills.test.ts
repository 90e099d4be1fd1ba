/** Every listed entry reads back to the digests that it lists, on every surface, even if served folders clash. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unpackArchive } from '../../src/archive/unpack.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import type { SkillEntry, SkillResource } from '../../src/skill/entry.ts';
import { createFailureList } from '../../src/verifier/failures.ts';
import { createNestingCheck } from '../../src/verifier/nesting.ts';
import { write } from '../skill-folders.ts';
import { soakFactor } from '../soak-factor.ts';
import { modern } from './raw-mcp.ts';
import { digest, verifying } from './verifying.ts';

const skillText = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`;

async function serving<T>(roots: readonly string[], work: (handle: ServeHandle) => Promise<T>): Promise<T> {
  const handle = await serve({
    roots: roots.map((path) => ({ path })),
    watch: false,
    cache: false,
    http: { host: '127.0.0.1', port: 0 },
  });
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-clash-'));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function listed(mcp: string): Promise<readonly SkillEntry[]> {
  const { result } = await modern(mcp, 'skills/list');
  return (result?.['skills'] ?? []) as SkillEntry[];
}

/** A sentence for each resource that differs from its entry. */
async function brokenResources(mcp: string, entries: readonly SkillEntry[]): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { uri: skill, resources } of entries)
    for (const { uri, digest: promised, size } of resources as readonly SkillResource[]) {
      const { result, error } = await modern(mcp, 'resources/read', { uri });
      const [content] = (result?.['contents'] ?? []) as { text?: string; blob?: string }[];
      const bytes = Buffer.from(content?.text ?? content?.blob ?? '', content?.blob === undefined ? 'utf8' : 'base64');
      if (error !== undefined || bytes.length !== size || digest(bytes) !== promised)
        broken.push(`${uri} of ${skill}: ${error?.message ?? bytes.toString()}`);
    }
  return broken;
}

interface IndexEntry {
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly digest: string;
  readonly files: readonly string[];
}

async function skillsAt(address: string): Promise<readonly IndexEntry[]> {
  const answer = await fetch(address);
  expect([address, answer.status]).toEqual([address, 200]);
  return ((await answer.json()) as { skills: IndexEntry[] }).skills;
}

/** A sentence for each artifact and file that differs from its index. */
async function brokenArtifacts(url: string): Promise<readonly string[]> {
  const broken: string[] = [];
  const index = `${url}/.well-known/agent-skills/index.json`;
  for (const { name, type, url: place, digest: promised, files } of await skillsAt(index)) {
    const answer = await fetch(new URL(place, index));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.status !== 200 || digest(bytes) !== promised) broken.push(`artifact of ${name}: ${answer.status}`);
    const inside = type === 'archive' ? (await unpackArchive(bytes)).map(({ path }) => path) : ['SKILL.md'];
    if ([...inside].sort().join() !== [...files].sort().join()) broken.push(`files of ${name}: ${inside.join()}`);
  }
  const older = `${url}/.well-known/skills/index.json`;
  for (const { name, files } of await skillsAt(older))
    for (const file of files) {
      const { status } = await fetch(new URL(`${name}/${file}`, older));
      if (status !== 200) broken.push(`${name}/${file}: ${status}`);
    }
  return broken;
}

/** The report of `verify` about skills inside skills: the outer entry lists all files of the inner one (S-31). */
function nestingFailures(entries: readonly SkillEntry[]): readonly string[] {
  const key = (files: unknown): string => JSON.stringify(files);
  const check = createNestingCheck(key);
  const files = new Map(entries.map(({ uri, resources }) => [uri, key(resources)]));
  for (const entry of entries) check.add(entry);
  const failures = createFailureList();
  check.finish(files.keys(), (uri) => files.get(uri), failures);
  return failures.list.map(({ uri, message }) => `${uri}: ${message}`);
}

const fourFiles = {
  one: { 'SKILL.md': skillText('one', 'First.'), in: { 'SKILL.md': skillText('in', 'Use when: broken') } },
  two: { 'SKILL.md': skillText('one', 'Second.'), in: { 'SKILL.md': skillText('in', 'Inner of the second.') } },
};

test('two folders with skills of one name are two skills, each with its own nested skills', () =>
  inFolder(async (root) => {
    await write(root, fourFiles);
    await serving([root], async ({ url = '', mcp = '', catalog }) => {
      const entries = await listed(mcp);
      expect(entries.map(({ uri }) => uri)).toEqual([
        'skill://one/SKILL.md',
        'skill://two/one/SKILL.md',
        'skill://two/one/in/SKILL.md',
      ]);
      // Names should be unique, and these are not; nothing else is wrong.
      const { broken, text } = await verifying({ url: mcp });
      expect([broken, text]).toEqual([['S-26'], expect.any(String)]);
      expect(await brokenResources(mcp, entries)).toEqual([]);
      expect(await brokenArtifacts(url)).toEqual([]);
      const names = (await skillsAt(`${url}/.well-known/agent-skills/index.json`)).map(({ name }) => name);
      expect(names).toEqual(['in', 'one', 'two-one']);
      const { findings } = await catalog.snapshot();
      expect(findings.filter(({ level }) => level === 'problem').map(({ file }) => file)).toEqual([
        join(root, 'one/in/SKILL.md'),
      ]);
    });
  }));

test('a nested skill in a folder with another name passes our verifier, as a separate skill', () =>
  inFolder(async (root) => {
    await write(root, {
      outer: { 'SKILL.md': skillText('outer', 'Outer.'), b: { 'SKILL.md': skillText('x', 'Inner.'), 'a.md': 'a' } },
    });
    await serving([root], async ({ mcp = '' }) => {
      const entries = await listed(mcp);
      expect(entries.map(({ uri }) => uri)).toEqual(['skill://outer/SKILL.md', 'skill://outer~b/x/SKILL.md']);
      const { broken, exit, text } = await verifying({ url: mcp });
      expect([exit, broken, text]).toEqual([0, [], expect.any(String)]);
    });
  }));

test('an earlier path of a skill still answers, and is not listed', () =>
  inFolder(async (root) => {
    await write(root, { folder: { 'SKILL.md': skillText('name', 'One.'), 'a.md': 'a' } });
    await serving([root], async ({ mcp = '' }) => {
      expect((await listed(mcp)).map(({ uri }) => uri)).toEqual(['skill://folder/name/SKILL.md']);
      const { result } = await modern(mcp, 'skills/get', { uri: 'skill://name/SKILL.md' });
      const entry = result?.['skill'] as SkillEntry;
      expect(entry.uri).toBe('skill://name/SKILL.md');
      expect((entry.resources as readonly SkillResource[]).map(({ uri }) => uri)).toEqual([
        'skill://name/SKILL.md',
        'skill://name/a.md',
      ]);
      expect(await brokenResources(mcp, [entry])).toEqual([]);
      // The folder alone does not end with the name of the skill, so no entry may have it (S-24).
      const { error } = await modern(mcp, 'skills/get', { uri: 'skill://folder/SKILL.md' });
      expect(error?.message).toContain('it is an alias of "skill://folder/name/SKILL.md"');
    });
  }));

const segment = fc.constantFrom('one', 'two', 'in');
const path = fc.array(segment, { minLength: 1, maxLength: 2 }).map((segments) => segments.join('/'));
const place = fc.record({ root: fc.constantFrom('a', 'a', 'b'), path });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('skill' as const), place, name: segment }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('broken' as const), place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('file' as const), place, name: fc.constantFrom('x', 'one') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), place, target: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gone' as const), place }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Makes a change if the folder allows it. */
function take(folder: string, one: Step, version: number): void {
  const at = join(folder, one.place.root, one.place.path);
  try {
    if (one.kind === 'gone') {
      rmSync(at, { recursive: true, force: true });
      return;
    }
    if (one.kind === 'link') {
      mkdirSync(dirname(at), { recursive: true });
      if (!existsSync(at)) symlinkSync(join(folder, one.place.root, one.target), at);
      return;
    }
    mkdirSync(at, { recursive: true });
    const about = `Version ${version} at ${one.place.root}/${one.place.path}.`;
    if (one.kind === 'file') writeFileSync(join(at, one.name), about);
    else writeFileSync(join(at, 'SKILL.md'), one.kind === 'skill' ? skillText(one.name, about) : about);
  } catch (error) {
    // A file, a folder or a broken link blocks the path.
    if (!/^E(?:EXIST|ISDIR|NOTDIR|NOENT|LOOP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

test('every entry of random trees with clashes reads back to its digests, before and after edits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 20 }),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      (before, after) =>
        inFolder(async (folder) => {
          const roots = [join(folder, 'a'), join(folder, 'b')];
          for (const root of roots) mkdirSync(root);
          for (const one of before) take(folder, one, 1);
          await serving(roots, async ({ url = '', mcp = '', catalog }) => {
            const check = async (): Promise<void> => {
              const entries = await listed(mcp);
              expect(await brokenResources(mcp, entries)).toEqual([]);
              expect(nestingFailures(entries)).toEqual([]);
              expect(await brokenArtifacts(url)).toEqual([]);
            };
            await check();
            for (const one of after) take(folder, one, 2);
            await catalog.refresh();
            await check();
          });
        }),
    ),
    { numRuns: 100 * soakFactor },
  );
}, 240_000);
