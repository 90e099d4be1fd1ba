import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { scriptedOrigin, skillMd } from '../../test/scripted-origin.ts';
import type { SkillSource, SourceChange } from '../sources/skill-source.ts';
import { aggregate } from './aggregate.ts';
import { selected } from './selected.ts';
import { swappable } from './swappable.ts';
import { underLabel } from './under-label.ts';

const skills = (name: string, extra = '') => ({ [name]: { 'SKILL.md': skillMd(name, extra), 'a b.md': 'A' } });

const below = (label: string, name: string) => {
  const origin = scriptedOrigin(label, skills(name));
  const { source } = origin;
  // A scripted origin reports no changes; its memory source does.
  const watched: SkillSource = {
    ...source,
    watched: true,
    watch: (listener) => origin.skills.watch?.(listener) ?? (() => {}),
  };
  return { origin, source: underLabel(watched, label) };
};

async function uris(source: SkillSource): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of source.list({})) found.push(...page.skills.map(({ entry }) => entry.uri));
  return found.sort();
}

const summaries = (changes: readonly SourceChange[]): readonly string[] =>
  changes.flatMap(({ upserted }) => upserted.map(({ entry }) => entry.uri));

describe('aggregate()', () => {
  test('sends a request only to the source that owns the URI', async () => {
    const [one, two] = [below('one', 'a'), below('two', 'b')];
    const all = aggregate(
      new Map([
        ['one', one.source],
        ['two', two.source],
      ]),
      { name: 'all' },
    );
    expect(await uris(all)).toEqual(['skill://one/a/SKILL.md', 'skill://two/b/SKILL.md']);
    expect((await all.get('skill://two/b/SKILL.md', {}))?.entry.uri).toBe('skill://two/b/SKILL.md');
    expect((await all.open('skill://two/b/a%20b.md', {}))?.bytes).toEqual(new TextEncoder().encode('A'));
    expect([one.origin.count('get'), one.origin.count('open')]).toEqual([0, 0]);
    expect(await all.get('skill://three/b/SKILL.md', {})).toBeUndefined();
  });

  test('replaces sources: same ones are not listed again, missing ones are removed, new ones are listed first', async () => {
    const [one, two, three] = [below('one', 'a'), below('two', 'b'), below('two', 'c')];
    const retired: SkillSource[] = [];
    const all = aggregate(
      new Map([
        ['one', one.source],
        ['two', two.source],
      ]),
      {
        name: 'all',
        onRetired: (source) => retired.push(source),
      },
    );
    await uris(all);
    const changes: SourceChange[] = [];
    all.watch?.((change) => changes.push(change));
    await all.replace(
      new Map([
        ['one', one.source],
        ['two', three.source],
      ]),
    );
    expect(one.origin.count('list')).toBe(1);
    expect(changes.map(({ upserted, removed }) => [upserted.map(({ entry }) => entry.uri), removed])).toEqual([
      [['skill://two/c/SKILL.md'], ['skill://two/b/SKILL.md']],
    ]);
    expect(retired).toEqual([two.source]);
    await all.replace(new Map([['two', three.source]]));
    expect(changes.at(-1)?.removed).toEqual(['skill://one/a/SKILL.md']);
    expect(await all.get('skill://one/a/SKILL.md', {})).toBeUndefined();
  });

  test('passes changes on after the listing, and reports shared names', async () => {
    const [one, two] = [below('one', 'a'), below('two', 'a')];
    const all = aggregate(
      new Map([
        ['one', one.source],
        ['two', two.source],
      ]),
      { name: 'all' },
    );
    const changes: SourceChange[] = [];
    all.watch?.((change) => changes.push(change));
    for await (const { findings } of all.list({}))
      expect(findings.map(({ rule }) => rule)).toEqual(['name-not-unique']);
    one.origin.skills.add('z', { description: 'About z.' }, '# Z\n');
    await eventually(() => expect(summaries(changes)).toContain('skill://one/z/SKILL.md'));
  });

  test('is as fresh as its least fresh part', () => {
    const part = (until: number | undefined): SkillSource => ({ ...below('x', 'a').source, freshUntil: () => until });
    const all = aggregate(
      new Map([
        ['a', part(300)],
        ['b', part(200)],
        ['c', part(undefined)],
      ]),
      { name: 'all' },
    );
    expect([all.freshUntil?.(), all.freshUntil?.('skill://a/x/SKILL.md')]).toEqual([200, 300]);
  });
});

describe('underLabel()', () => {
  test('moves entries, files, templates and aliases under a path, and answers only there', async () => {
    const { source } = scriptedOrigin('x', skills('a'));
    const templates: SkillSource['templates'] = async () => [
      { uriTemplate: 'skill://t/{id}/SKILL.md', name: 't', description: 'T' },
    ];
    const moved = underLabel({ ...source, templates }, 'team/docs');
    expect(await uris(moved)).toEqual(['skill://team/docs/a/SKILL.md']);
    const found = await moved.get('skill://team/docs/a/SKILL.md', {});
    expect(found?.entry.resources).toMatchObject([
      { uri: 'skill://team/docs/a/SKILL.md' },
      { uri: 'skill://team/docs/a/a%20b.md' },
    ]);
    expect(await moved.templates?.({})).toMatchObject([{ uriTemplate: 'skill://team/docs/t/{id}/SKILL.md' }]);
    expect(await moved.open('skill://team/docs/a/a%20b.md', {})).toBeDefined();
    for (const uri of ['skill://a/SKILL.md', 'skill://team/other/a/SKILL.md', 'skill://team/docs', 'mailto:a'])
      expect(await moved.get(uri, {}), uri).toBeUndefined();
  });
});

describe('selected()', () => {
  test('leaves out skills that are excluded or not included, and may list none', async () => {
    const { source } = scriptedOrigin('x', { ...skills('a'), ...skills('b'), ...skills('drafts') });
    const some = selected(source, { include: ['a/', 'drafts'], exclude: ['Drafts/'], listed: false });
    expect(await uris(some)).toEqual(['skill://a/SKILL.md']);
    expect((await some.get('skill://a/SKILL.md', {}))?.listed).toBe(false);
    for (const uri of ['skill://b/SKILL.md', 'skill://drafts/SKILL.md', 'nothing'])
      expect(await some.get(uri, {}), uri).toBeUndefined();
    expect(selected(source, {})).toBe(source);
  });
});

describe('swappable()', () => {
  test('answers from the current source, and passes on only its changes', async () => {
    const [one, two] = [below('one', 'a'), below('two', 'b')];
    const source = swappable(one.source);
    const changes: SourceChange[] = [];
    const stop = source.watch?.((change) => changes.push(change));
    expect(await uris(source)).toEqual(['skill://one/a/SKILL.md']);
    source.swap(two.source);
    expect(await uris(source)).toEqual(['skill://two/b/SKILL.md']);
    one.origin.skills.add('y', { description: 'About y.' }, '# Y\n');
    two.origin.skills.add('z', { description: 'About z.' }, '# Z\n');
    await eventually(() => expect(summaries(changes)).toContain('skill://two/z/SKILL.md'));
    expect(summaries(changes)).not.toContain('skill://one/y/SKILL.md');
    stop?.();
    const count = changes.length;
    await two.origin.skills.get('skill://z/SKILL.md', {});
    two.origin.skills.add('w', { description: 'About w.' }, '# W\n');
    await eventually(async () => expect(await uris(source)).toContain('skill://two/w/SKILL.md'));
    expect(changes).toHaveLength(count);
    expect(source.templates).toBeUndefined();
  });
});
