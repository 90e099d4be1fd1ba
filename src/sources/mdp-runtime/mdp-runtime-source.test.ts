import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { connectClient, skillPath, staticPath } from '../../../test/peers/live-client.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { createRuntimeRegistry } from '../../runtimes/create-runtime-registry.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
import { mdpRuntimeSource } from './mdp-runtime-source.ts';

let registry: RuntimeRegistry;
let catalog: Catalog;

beforeEach(() => {
  registry = createRuntimeRegistry({ bounds: { callMs: 200, changeMs: 1 } });
  catalog = createCatalog(mdpRuntimeSource(registry));
});

afterEach(async () => {
  await catalog.close();
  await registry.close();
});

const uris = async (): Promise<string[]> => (await catalog.snapshot()).listed.map(({ entry }) => entry.uri);
const text = async (uri: string): Promise<string> => new TextDecoder().decode((await catalog.read(uri, {})).bytes);
const rules = async (): Promise<string[]> => (await catalog.snapshot()).findings.map(({ rule }) => rule);
const review = 'skill://mdp/lab/workspace/review/SKILL.md';

describe('a runtime that connects, changes and leaves', () => {
  test('has skills that are listed without a call, read with one, and removed with it', async () => {
    await catalog.snapshot();
    const client = connectClient(
      registry,
      'lab',
      [skillPath('/workspace/review/skill.md'), skillPath('/workspace/review/files/skill.md')],
      { '/workspace/review/skill.md': '# Review\n\nThen `/workspace/review/files/skill.md`.' },
    );
    await eventually(async () =>
      expect(await uris()).toEqual([review, 'skill://mdp/lab/workspace/review/files/SKILL.md'].sort()),
    );
    expect(client.calls).toEqual([]);
    const skill = await catalog.find(review, {});
    expect(skill?.entry).toEqual({
      uri: review,
      resources: 'dynamic',
      frontmatter: {
        name: 'review',
        description: 'About /workspace/review/skill.md',
        metadata: { 'mdp-client': 'lab', 'mdp-path': '/workspace/review/skill.md' },
      },
    });
    expect(skill?.source).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    const { bytes } = await catalog.read(review, {});
    const reading = readFrontmatter(bytes);
    expect(reading.ok && reading.frontmatter).toEqual(skill?.entry.frontmatter);
    expect(new TextDecoder().decode(bytes)).toContain('Then `skill://mdp/lab/workspace/review/files/SKILL.md`.\n');

    client.update([skillPath('/other/skill.md')]);
    await eventually(async () => expect(await uris()).toEqual(['skill://mdp/lab/other/SKILL.md']));
    client.end();
    await eventually(async () => expect(await uris()).toEqual([]));
    await expect(text(review)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('two runtimes, and those connected before the first listing', async () => {
    connectClient(registry, 'one', [skillPath('/skill.md')]);
    connectClient(registry, 'My App/1', [skillPath('/a/skill.md')]);
    expect(await uris()).toEqual(['skill://mdp/one/SKILL.md', 'skill://mdp/z-zcmyzx20zzcappzx2fz1/a/SKILL.md']);
  });
});

describe('a call without text', () => {
  test.each([
    ['an error of the runtime', new Error('kaput'), 'ORIGIN_FAILED'],
    ['no answer', undefined, 'TIMED_OUT'],
    ['something else than text', { a: 1 }, 'BAD_ANSWER'],
  ])('%s is reported as such', async (_, answer, code) => {
    connectClient(registry, 'lab', [skillPath('/workspace/review/skill.md')], {
      ...(answer === undefined ? {} : { '/workspace/review/skill.md': answer }),
    });
    await expect(text(review)).rejects.toMatchObject({ code });
  });

  test('a runtime that disconnects during a call is unreachable', async () => {
    const client = connectClient(registry, 'lab', [skillPath('/workspace/review/skill.md')]);
    const reading = text(review);
    await eventually(() => expect(client.calls).toHaveLength(1));
    client.end();
    await expect(reading).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('a skill that is declared static', () => {
  const uri = 'skill://mdp/lab/a/SKILL.md';

  test('has its own digest, is read once, and follows its text', async () => {
    const client = connectClient(registry, 'lab', [await staticPath('/a/skill.md', 'One.')], { '/a/skill.md': 'One.' });
    const skill = await catalog.find(uri, {});
    expect(skill?.entry.resources).toEqual([
      { uri, digest: expect.stringMatching(/^sha256:/), size: expect.any(Number) },
    ]);
    expect(await text(uri)).toMatch(/\n---\n\nOne\.\n$/);
    expect(client.calls).toEqual(['/a/skill.md']);

    client.answers.set('/a/skill.md', 'Two.');
    client.update([await staticPath('/a/skill.md', 'Two.')]);
    await eventually(async () => expect(await text(uri)).toMatch(/Two\.\n$/));
    client.update([await staticPath('/a/skill.md', 'Two.'), skillPath('/b/skill.md')]);
    await eventually(async () => expect(await uris()).toHaveLength(2));
    expect(client.calls).toEqual(['/a/skill.md', '/a/skill.md']);
  });

  test('is refused if the answer differs', async () => {
    connectClient(registry, 'lab', [await staticPath('/a/skill.md', 'One.'), skillPath('/b/skill.md')], {
      '/a/skill.md': 'Two.',
    });
    expect(await uris()).toEqual(['skill://mdp/lab/b/SKILL.md']);
    expect(await rules()).toEqual(['runtime-answer-refused']);
    await expect(text(uri)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('is dynamic while the runtime does not answer for it', async () => {
    connectClient(registry, 'lab', [await staticPath('/a/skill.md', 'One.')]);
    expect((await catalog.find(uri, {}))?.entry.resources).toBe('dynamic');
    expect(await rules()).toEqual(['runtime-answer-missing']);
  });

  test('promises the files of static skills inside it, and nothing if one of them is dynamic', async () => {
    const inner = 'skill://mdp/lab/a/inner/SKILL.md';
    const both = [await staticPath('/a/skill.md', 'One.'), await staticPath('/a/inner/skill.md', 'In.')];
    const client = connectClient(registry, 'lab', both, { '/a/skill.md': 'One.', '/a/inner/skill.md': 'In.' });
    const outer = (await catalog.find(uri, {}))?.entry.resources;
    expect(Array.isArray(outer) && outer.map((file) => file.uri)).toEqual([uri, inner]);
    client.update([...both, skillPath('/a/live/skill.md')]);
    await eventually(async () => expect((await catalog.find(uri, {}))?.entry.resources).toBe('dynamic'));
    expect((await catalog.find(inner, {}))?.entry.resources).toHaveLength(1);
  });
});

describe('a pattern', () => {
  const item = 'skill://mdp/lab/items/42/SKILL.md';

  test('is a template, answered for concrete URIs, never listed, and removed with its runtime', async () => {
    const client = connectClient(registry, 'lab', [skillPath('/items/:item_id/skill.md')], {
      '/items/42/skill.md': 'Forty-two.',
    });
    expect(await uris()).toEqual([]);
    const source = mdpRuntimeSource(registry);
    for await (const _ of source.list({})) expect(_.skills).toEqual([]);
    expect(await source.templates?.({})).toEqual([
      {
        uriTemplate: 'skill://mdp/lab/items/{item_id}/SKILL.md',
        name: 'lab/items/:item_id/skill.md',
        description: 'About /items/:item_id/skill.md',
      },
    ]);
    await source.close?.();
    const skill = await catalog.find(item, {});
    expect(skill).toMatchObject({ listed: false, entry: { resources: 'dynamic', frontmatter: { name: '42' } } });
    expect(await text(item)).toMatch(/Forty-two\.\n$/);
    expect(await catalog.find('skill://mdp/lab/items/a/b/SKILL.md', {})).toBeUndefined();
    expect(await catalog.find('skill://mdp/lab/items/UPPER/SKILL.md', {})).toBeUndefined();
    client.end();
    await eventually(async () => expect((await catalog.snapshot()).skill(item)).toBeUndefined());
  });

  test('keeps a limited number of requested skills', async () => {
    connectClient(registry, 'lab', [skillPath('/items/:item_id/skill.md')]);
    for (let at = 0; at < 1_010; at++) await catalog.find(`skill://mdp/lab/items/${at}/SKILL.md`, {});
    expect((await catalog.snapshot()).skills).toHaveLength(1_000);
  });
});

test('a path that cannot be a skill is a finding, and the rest is served', async () => {
  connectClient(registry, 'lab', [
    skillPath('/a/skill.md'),
    skillPath('/a/SKILL.md'),
    skillPath(`/${'x'.repeat(65)}/skill.md`),
    skillPath('/page/skill.md', { contentType: 'text/html' }),
    { type: 'prompt', path: '/p/prompt.md' },
    { type: 'endpoint', path: '/e', method: 'POST' },
  ]);
  expect(await uris()).toEqual(['skill://mdp/lab/a/SKILL.md']);
  expect((await rules()).sort()).toEqual(['runtime-content-type', 'runtime-path-taken', 'runtime-path-unmappable']);
});

test.each([
  [undefined, 'Live skill "/a/skill.md" of "Name of lab".'],
  ['--- name: x description: y ---', 'Live skill "/a/skill.md" of "Name of lab".'],
  ['  two\n lines\u0000 ', 'two lines'],
  ['x'.repeat(1_100), `${'x'.repeat(1_023)}…`],
])('the description %j becomes one that a skill may have', async (description, expected) => {
  const { description: _, ...plain } = skillPath('/a/skill.md');
  connectClient(registry, 'lab', [description === undefined ? plain : { ...plain, description }]);
  const [skill] = (await catalog.snapshot()).listed;
  expect(skill?.entry.frontmatter.description).toBe(expected);
});

describe('the tests of the port', () => {
  testSkillSource({
    test,
    async create() {
      const own = createRuntimeRegistry({ bounds: { changeMs: 1 } });
      connectClient(own, 'lab', [await staticPath('/a/skill.md', 'One.'), skillPath('/b/skill.md')], {
        '/a/skill.md': 'One.',
        '/b/skill.md': 'Live.',
      });
      return { source: mdpRuntimeSource(own), cleanUp: () => own.close() };
    },
  });
});
