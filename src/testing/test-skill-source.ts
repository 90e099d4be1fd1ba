/**
 * The guarantees of the `SkillSource` port as a test suite for every source. It works with any test runner: the caller
 * passes the runner's `test` function.
 */
import assert from 'node:assert/strict';
import { SkillwireError } from '../errors.ts';
import { entryFaults } from '../skill/entry-faults.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { verifyBytes } from '../skill/verify-bytes.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';

/** A source for the suite, and its cleanup. */
export interface SourceUnderTest {
  readonly source: SkillSource;
  /** Called after each test, when the source is closed. */
  readonly cleanUp?: () => Promise<void>;
}

/** The test function of your runner, and a factory for the source. */
export interface SkillSourceSuite {
  /** The runner's function: `test` of vitest, node:test or jest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Creates a source that lists at least one skill that is not dynamic. */
  readonly create: () => Promise<SourceUnderTest>;
}

/** URIs that name nothing; some of them try to leave the namespace. */
export const hostileUris: readonly string[] = [
  '',
  'skill://',
  'skill://no-such-skill/SKILL.md',
  'skill://../SKILL.md',
  'skill://a/%2e%2e/SKILL.md',
  'skill://a/..%2fSKILL.md',
  'skill://a%00/SKILL.md',
  'skill://a\\b/SKILL.md',
  'skill://a/SKILL.md?x',
  'skill://a/SKILL.md#x',
  'skill://a//SKILL.md',
  'skill://%zz/SKILL.md',
  'skill://%ff/SKILL.md',
  'file:///etc/passwd',
  'https://example.com/SKILL.md',
  `skill://${'a/'.repeat(9000)}SKILL.md`,
];

async function listAll(source: SkillSource): Promise<SourceSkill[]> {
  const skills: SourceSkill[] = [];
  for await (const page of source.list({})) skills.push(...page.skills);
  return skills;
}

/**
 * Registers the suite for sources with your test runner.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 * testSkillSource({ test, create: async () => ({ source: mySource() }) });
 * ```
 */
export function testSkillSource({ test, create }: SkillSourceSuite): void {
  function on(name: string, run: (source: SkillSource, skills: readonly SourceSkill[]) => Promise<void>): void {
    test(name, async () => {
      const { source, cleanUp } = await create();
      try {
        await run(source, await listAll(source));
      } finally {
        await source.close?.();
        await cleanUp?.();
      }
    });
  }

  on('list() returns valid entries, each URI once', async (_source, skills) => {
    assert.ok(
      skills.some(({ entry }) => entry.resources !== 'dynamic'),
      'the suite needs a skill that is not dynamic',
    );
    for (const { entry } of skills) assert.deepEqual(entryFaults(entry), [], entry.uri);
    assert.equal(new Set(skills.map(({ entry }) => entry.uri)).size, skills.length);
  });

  on('get() returns the entry of list()', async (source, skills) => {
    for (const { entry } of skills) assert.deepEqual((await source.get(entry.uri, {}))?.entry, entry);
  });

  on('open() returns the bytes that the entry promises', async (source, skills) => {
    for (const { entry } of skills) {
      if (entry.resources === 'dynamic') continue;
      for (const resource of entry.resources) {
        const file = await source.open(resource.uri, {});
        assert.ok(file !== undefined, resource.uri);
        assert.equal(file.digest, resource.digest);
        await verifyBytes(file.bytes, resource);
      }
    }
  });

  on('SKILL.md has the frontmatter of the entry, field by field', async (source, skills) => {
    for (const { entry } of skills) {
      const file = await source.open(entry.uri, {});
      assert.ok(file !== undefined, entry.uri);
      const reading = readFrontmatter(file.bytes);
      assert.ok(reading.ok, entry.uri);
      assert.equal(JSON.stringify(reading.frontmatter), JSON.stringify(entry.frontmatter));
    }
  });

  on('get() and open() return undefined for missing keys, and never leave the namespace', async (source, skills) => {
    const [first] = skills;
    const missing =
      first === undefined ? [] : [`${first.entry.uri}/x`, first.entry.uri.replace('SKILL.md', 'no-such-file')];
    for (const uri of [...hostileUris, ...missing]) {
      for (const call of [() => source.get(uri, {}), () => source.open(uri, {})])
        try {
          assert.equal(await call(), undefined, uri);
        } catch (error) {
          if (!(error instanceof SkillwireError)) throw error;
        }
    }
  });

  on('isCurrent() is true for a just opened file and false for another digest', async (source, skills) => {
    if (source.isCurrent === undefined) return;
    const [entry] = skills.map((skill) => skill.entry).filter(({ resources }) => resources !== 'dynamic');
    const [resource] = entry === undefined || entry.resources === 'dynamic' ? [] : entry.resources;
    assert.ok(resource !== undefined);
    await source.open(resource.uri, {});
    assert.equal(await source.isCurrent(resource.uri, `sha256:${'0'.repeat(64)}`), false);
  });
}
