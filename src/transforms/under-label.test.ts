import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { SkillSource, SourceChange, SourcePage, SourceSkill } from '../sources/skill-source.ts';
import { underLabel } from './under-label.ts';

const digest = `sha256:${'0'.repeat(64)}`;

function skillAt(
  root: string,
  file = 'references/guide.md',
  name = decodeURIComponent(root.split('/').at(-1) ?? ''),
): SourceSkill {
  return {
    entry: {
      uri: `${root}/SKILL.md`,
      frontmatter: { name, description: 'Does it.' },
      resources: [`${root}/SKILL.md`, `${root}/${file}`].map((uri) => ({ uri, digest, size: 1 })),
    },
    listed: true,
  };
}

/** A source with fixed skills that records the requested URIs. */
function recordedSource(skills: readonly SourceSkill[]) {
  const requested: string[] = [];
  const listeners: ((change: SourceChange) => void)[] = [];
  const source: SkillSource = {
    name: 'told',
    async *list() {
      yield { skills, findings: [] };
    },
    get: async (uri) => {
      requested.push(uri);
      return skills.find(({ entry }) => entry.uri === uri);
    },
    open: async (uri) => {
      requested.push(uri);
      return undefined;
    },
    watch: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    close: async () => {},
  };
  const notify = (change: SourceChange): void => {
    for (const listener of listeners) listener(change);
  };
  return { source, requested, notify };
}

async function pageOf(source: SkillSource): Promise<SourcePage> {
  for await (const page of source.list({})) return page;
  throw new Error('there is no page');
}

test.each([
  ['skill://area/plain', 'skill://one/area/plain'],
  ['skill://area/sp%20ace', 'skill://one/area/sp%20ace'],
  ['SKILL://area/shouted', 'skill://one/area/shouted'],
  ['docs://area/other', 'skill://one/area/other'],
  ['skill://area/grüße', 'skill://one/area/gr%C3%BC%C3%9Fe'],
])('underLabel() serves %s as %s, and requests it by its upstream URI', async (theirs, ours) => {
  const { source, requested } = recordedSource([skillAt(theirs)]);
  const below = underLabel(source, 'one');
  const { skills } = await pageOf(below);
  expect(skills.map(({ entry }) => entry.uri)).toEqual([`${ours}/SKILL.md`]);
  expect(skills[0]?.entry.resources).toMatchObject([
    { uri: `${ours}/SKILL.md` },
    { uri: `${ours}/references/guide.md` },
  ]);
  await below.get(`${ours}/SKILL.md`, {});
  await below.open(`${ours}/references/guide.md`, {});
  expect(requested).toEqual([`${theirs}/SKILL.md`, `${theirs}/references/guide.md`]);
});

test('underLabel() finds a file whose path has as many segments as a URI may have only without the base', async () => {
  const file = Array.from({ length: limits.uri.segments - 2 }, () => 'a').join('/');
  const { source, requested } = recordedSource([skillAt('skill://area/deep', file)]);
  const below = underLabel(source, 'one');
  await pageOf(below);
  await below.open(`skill://one/area/deep/${file}`, {});
  expect(requested).toEqual([`skill://area/deep/${file}`]);
});

test('underLabel() uses one object for a skill that is reported and then listed', async () => {
  const one = skillAt('skill://area/one');
  const { source, notify } = recordedSource([one]);
  const below = underLabel(source, 'base');
  const changes: SourceChange[] = [];
  below.watch?.((change) => changes.push(change));
  notify({ upserted: [one], removed: [], findings: [] });
  expect((await pageOf(below)).skills[0]).toBe(changes[0]?.upserted[0]);
});

test('underLabel() serves the first of two skills that would get one URI, and the second when the first is gone', async () => {
  const [first, second] = [skillAt('skill://area/same'), skillAt('docs://area/same')];
  const { source, notify } = recordedSource([first, second]);
  const below = underLabel(source, 'base');
  const changes: SourceChange[] = [];
  below.watch?.((change) => changes.push(change));
  const { skills, findings } = await pageOf(below);
  expect(skills).toHaveLength(1);
  expect(findings).toMatchObject([{ rule: 'skill-uri-taken' }]);
  notify({ upserted: [], removed: ['skill://area/same/SKILL.md'], findings: [] });
  notify({ upserted: [second], removed: [], findings: [] });
  expect(changes.at(-1)?.upserted).toHaveLength(1);
  // The first comes back as the same object, but its URI is taken.
  notify({ upserted: [first], removed: [], findings: [] });
  expect(changes.at(-1)).toMatchObject({ upserted: [], findings: [{ rule: 'skill-uri-taken' }] });
});

test('underLabel() follows a skill that is renamed and renamed back', async () => {
  const named = (name: string): SourceSkill => skillAt('skill://area/folder', 'a%20b.md', name);
  const { source, notify, requested } = recordedSource([named('folder')]);
  const below = underLabel(source, 'base');
  const changes: SourceChange[] = [];
  below.watch?.((change) => changes.push(change));
  await pageOf(below);
  notify({ upserted: [named('other')], removed: [], findings: [] });
  expect(changes.at(-1)).toMatchObject({
    upserted: [{ entry: { uri: 'skill://base/area/folder/other/SKILL.md' }, aliases: ['base/area/folder'] }],
    removed: ['skill://base/area/folder/SKILL.md'],
  });
  await below.open('skill://base/area/folder/other/a%20b.md', {});
  expect(requested).toEqual(['skill://area/folder/a%20b.md']);
  notify({ upserted: [named('folder')], removed: [], findings: [] });
  expect(changes.at(-1)).toMatchObject({
    upserted: [{ entry: { uri: 'skill://base/area/folder/SKILL.md' } }],
    removed: ['skill://base/area/folder/other/SKILL.md'],
  });
  expect(changes.at(-1)?.upserted[0]?.aliases).toBeUndefined();
  notify({ upserted: [], removed: ['skill://area/folder/SKILL.md'], findings: [] });
  expect(changes.at(-1)?.removed).toEqual(['skill://base/area/folder/SKILL.md']);
});

test('underLabel() serves the first of two skills if one would be moved to the URI of the other', async () => {
  const { source } = recordedSource([skillAt('skill://area/a/b'), skillAt('skill://area/a', 'x.md', 'b')]);
  const { skills, findings } = await pageOf(underLabel(source, 'base'));
  expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://base/area/a/b/SKILL.md']);
  expect(findings).toMatchObject([{ rule: 'skill-uri-taken' }]);
});

test('underLabel() refuses a skill whose URIs get too long, and serves the others', async () => {
  const long = `skill://area/${'a'.repeat(60)}`;
  const file = 'b'.repeat(limits.uri.characters - long.length - 1);
  for (const name of [undefined, 'other']) {
    const { source } = recordedSource([skillAt(long, file, name), skillAt('skill://area/fine')]);
    const { skills, findings } = await pageOf(underLabel(source, 'base'));
    expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://base/area/fine/SKILL.md']);
    expect(findings).toMatchObject([{ rule: 'origin-entry-refused', message: expect.stringContaining('too long') }]);
  }
});
