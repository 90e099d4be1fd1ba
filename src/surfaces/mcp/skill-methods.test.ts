import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource, SourceSkill } from '../../sources/skill-source.ts';
import type { MethodCall } from './cache-fields.ts';
import { createSkillMethods, type SkillMethods } from './skill-methods.ts';

const modern: MethodCall = { era: 'modern', context: {} };
const legacy: MethodCall = { era: 'legacy', context: {} };
const signedIn: MethodCall = { era: 'modern', context: { principal: { id: 'ada' } } };

function skill(name: string, more = ''): { 'SKILL.md': string } {
  return { 'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# ${name}\n${more}` };
}

function skills(): Record<string, { 'SKILL.md': string } & Record<string, string | Uint8Array>> {
  return {
    'git-workflow': {
      ...skill('git-workflow'),
      'references/GUIDE.md': '# Guide\n',
      'assets/raw.bin': Uint8Array.of(0, 255),
    },
    'acme/billing/refunds': { ...skill('refunds'), 'a b.md': 'x' },
    outer: { ...skill('outer'), 'inner/SKILL.md': skill('inner')['SKILL.md'] },
  };
}

/** The source with every skill changed by `change`. */
function changed(source: SkillSource, change: (skill: SourceSkill) => SourceSkill): SkillSource {
  return {
    ...source,
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, skills: page.skills.map(change) };
    },
    get: async (uri, context) => {
      const found = await source.get(uri, context);
      return found === undefined ? undefined : change(found);
    },
  };
}

function methodsOf(source: SkillSource = memorySource(skills())): { methods: SkillMethods; catalog: Catalog } {
  const catalog = createCatalog(source);
  return { methods: createSkillMethods(catalog), catalog };
}

async function refusal(promise: Promise<unknown> | (() => unknown)): Promise<SkillwireError> {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (error instanceof SkillwireError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('skills/list', () => {
  test('lists the entries by URI, unchanged', async () => {
    const { methods, catalog } = methodsOf();
    const { skills: listed, nextCursor } = await methods.listSkills({}, modern);
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://acme/billing/refunds/SKILL.md',
      'skill://git-workflow/SKILL.md',
      'skill://outer/SKILL.md',
    ]);
    expect(listed[1]).toBe((await catalog.snapshot()).listed[1]?.entry);
    expect(nextCursor).toBeUndefined();
  });

  test('omits unlisted skills', async () => {
    const source = changed(memorySource(skills()), (found) => ({
      ...found,
      listed: !found.entry.uri.includes('outer'),
    }));
    const { methods } = methodsOf(source);
    const { skills: listed } = await methods.listSkills({}, modern);
    expect(listed).toHaveLength(2);
    expect((await methods.listResources({}, modern)).resources.map(({ uri }) => uri)).toEqual([
      'skill://acme/billing/refunds/SKILL.md',
      'skill://git-workflow/SKILL.md',
      'skill://index.json',
    ]);
    expect((await methods.getSkill({ uri: 'skill://outer/SKILL.md' }, modern)).skill.frontmatter.name).toBe('outer');
  });

  test('continues from a cursor after skills were added and removed', async () => {
    const source = memorySource(skills());
    const catalog = createCatalog(source);
    const methods = createSkillMethods(catalog, { pages: { entries: 1, bytes: 1_000_000 } });
    const first = await methods.listSkills({}, modern);
    source.remove('acme/billing/refunds');
    source.add('b-new', skill('b-new'));
    await catalog.refresh();
    const second = await methods.listSkills({ cursor: first.nextCursor }, modern);
    expect(second.skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['b-new']);
    const third = await methods.listSkills({ cursor: second.nextCursor }, modern);
    expect(third.skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['git-workflow']);
  });

  test('refuses the cursor of a directory', async () => {
    const { methods } = methodsOf();
    const cursor = Buffer.from('skill://git-workflow/references').toString('base64url');
    expect((await refusal(methods.listSkills({ cursor }, modern))).code).toBe('INVALID_CURSOR');
    expect((await refusal(methods.listResources({ cursor: '' }, modern))).rpcCode).toBe(-32602);
  });
});

describe('skills/get', () => {
  test('returns exactly the entry of the list, for every spelling of the URI', async () => {
    const { methods } = methodsOf();
    const listed = (await methods.listSkills({}, modern)).skills[0];
    for (const uri of ['skill://acme/billing/refunds/SKILL.md', 'SKILL://acme/%62illing/refunds/SKILL.md'])
      expect((await methods.getSkill({ uri }, modern)).skill).toBe(listed);
  });

  test.each([
    ['a directory', 'skill://git-workflow', /directory/],
    ['a supporting file', 'skill://git-workflow/references/GUIDE.md', /resources\/read/],
    [
      'the SKILL.md of a skill that is not served as one',
      'skill://outer/inner/SKILL.md',
      /file of the skill "skill:\/\/outer/,
    ],
    ['an alias', 'skill://old-name/SKILL.md', /an alias of "skill:\/\/git-workflow\/SKILL.md"/],
    ['an unknown skill', 'skill://nothing/SKILL.md', /no skill has this URI/],
    ['another scheme', 'file:///etc/passwd', /no skill has this URI/],
    ['dot segments', 'skill://x/../git-workflow/SKILL.md', /no skill has this URI/],
    ['a trailing slash', 'skill://git-workflow/SKILL.md/', /no skill has this URI/],
  ])('refuses %s with the reason', async (_, uri, reason) => {
    const source = changed(memorySource(skills()), (found) =>
      found.entry.uri === 'skill://git-workflow/SKILL.md' ? { ...found, aliases: ['old-name'] } : found,
    );
    const error = await refusal(() => methodsOf(source).methods.getSkill({ uri }, modern));
    expect(error.code).toBe('SKILL_NOT_FOUND');
    expect(error.rpcCode).toBe(-32602);
    expect(error.message).toMatch(reason);
    expect(error.data).toEqual({ uri });
  });
});

describe('resources/directory/read', () => {
  test('lists files with size and type, and folders', async () => {
    const { methods } = methodsOf();
    const { resources } = await methods.readDirectory({ uri: 'skill://git-workflow/' }, legacy);
    expect(resources).toEqual([
      { uri: 'skill://git-workflow/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: 76 },
      { uri: 'skill://git-workflow/assets', name: 'assets', mimeType: 'inode/directory' },
      { uri: 'skill://git-workflow/references', name: 'references', mimeType: 'inode/directory' },
    ]);
  });

  test('knows the folders above skills and the whole namespace', async () => {
    const { methods } = methodsOf();
    const names = async (uri: string): Promise<readonly string[]> =>
      (await methods.readDirectory({ uri }, modern)).resources.map(({ name }) => name);
    expect(await names('skill://')).toEqual(['acme', 'git-workflow', 'outer']);
    expect(await names('skill://acme/billing')).toEqual(['refunds']);
  });

  test('pages by the last child, and refuses the cursor of another directory', async () => {
    const catalog = createCatalog(memorySource(skills()));
    const methods = createSkillMethods(catalog, { pages: { entries: 2, bytes: 1_000_000 } });
    const first = await methods.readDirectory({ uri: 'skill://git-workflow' }, modern);
    const second = await methods.readDirectory({ uri: 'skill://git-workflow', cursor: first.nextCursor }, modern);
    expect(first.resources).toHaveLength(2);
    expect(second.resources.map(({ name }) => name)).toEqual(['references']);
    const foreign = () => methods.readDirectory({ uri: 'skill://outer', cursor: first.nextCursor }, modern);
    expect((await refusal(foreign)).code).toBe('INVALID_CURSOR');
  });

  test.each([
    ['a file', 'skill://git-workflow/SKILL.md', /resources\/read/],
    ['what does not exist', 'skill://git-workflow/none', /does not exist/],
    ['dot segments', 'skill://git-workflow/references/..', /does not exist/],
  ])('refuses %s', async (_, uri, reason) => {
    const error = await refusal(() => methodsOf().methods.readDirectory({ uri }, modern));
    expect(error.code).toBe('DIRECTORY_NOT_FOUND');
    expect(error.message).toMatch(reason);
  });
});

describe('resources/list', () => {
  test('has one row per listed SKILL.md, with name and description of the skill', async () => {
    const { resources } = await methodsOf().methods.listResources({}, legacy);
    expect(resources[1]).toEqual({
      uri: 'skill://git-workflow/SKILL.md',
      name: 'git-workflow',
      description: 'About git-workflow.',
      mimeType: 'text/markdown',
      size: 76,
    });
  });

  test('has no size for a dynamic skill', async () => {
    const source = memorySource();
    source.add('now', { description: 'The time' }, () => 'x');
    const { resources } = await methodsOf(source).methods.listResources({}, legacy);
    expect(resources.filter(({ name }) => name === 'now')).toEqual([
      { uri: 'skill://now/SKILL.md', name: 'now', description: 'The time', mimeType: 'text/markdown' },
    ]);
  });
});

describe('resources/read', () => {
  test('echoes the requested URI', async () => {
    const { methods } = methodsOf();
    for (const uri of ['skill://acme/billing/refunds/a%20b.md', 'skill://acme/billing/refunds/a b.md'])
      expect((await methods.readResource({ uri }, legacy)).contents).toEqual([
        { uri, mimeType: 'text/markdown', text: 'x' },
      ]);
  });

  test('sends binary bytes as a blob', async () => {
    const { contents } = await methodsOf().methods.readResource({ uri: 'skill://git-workflow/assets/raw.bin' }, legacy);
    expect(contents[0]).toHaveProperty('blob', 'AP8=');
  });

  test.each([
    ['a directory', 'skill://git-workflow/references', /is a directory\. Use resources\/directory\/read/],
    ['an unknown file', 'skill://git-workflow/none.md', /no served skill/],
    ['encoded dot segments', 'skill://git-workflow/references/%2e%2e/SKILL.md', /no served skill/],
    ['an encoded slash', 'skill://git-workflow/references%2FGUIDE.md', /no served skill/],
    ['a path on disk', 'file:///etc/passwd', /no served skill/],
  ])('refuses %s', async (_, uri, reason) => {
    const error = await refusal(() => methodsOf().methods.readResource({ uri }, modern));
    expect(error.code).toBe('FILE_NOT_FOUND');
    expect(error.message).toMatch(reason);
    expect(error.data).toEqual({ uri });
  });
});

describe('ttlMs and cacheScope', () => {
  const uri = 'skill://git-workflow/SKILL.md';

  async function fields(methods: SkillMethods, call: MethodCall): Promise<readonly unknown[]> {
    const answers = [
      await methods.listSkills({}, call),
      await methods.getSkill({ uri }, call),
      await methods.readDirectory({ uri: 'skill://git-workflow' }, call),
      await methods.listResources({}, call),
      await methods.readResource({ uri }, call),
      await methods.listResourceTemplates({}, call),
    ];
    return answers.map(({ ttlMs, cacheScope }) => [ttlMs, cacheScope]);
  }

  test('are absent in revisions without them', async () => {
    const { methods } = methodsOf();
    expect(await fields(methods, legacy)).toEqual(Array(6).fill([undefined, undefined]));
    expect(await methods.listSkills({}, legacy)).not.toHaveProperty('ttlMs');
  });

  test('announce the cache time of a watched catalog', async () => {
    expect(await fields(methodsOf().methods, modern)).toEqual(Array(6).fill([limits.ttl.watchedMs, 'public']));
  });

  test('announce a longer time for an unwatched catalog', async () => {
    const { methods } = methodsOf({ ...memorySource(skills()), watched: false });
    expect(await fields(methods, modern)).toEqual(Array(6).fill([limits.ttl.unwatchedMs, 'public']));
  });

  test('are private for an authenticated caller', async () => {
    const source = changed(memorySource(skills()), (found) => ({ ...found, cacheScope: 'public' }));
    expect(await fields(methodsOf(source).methods, signedIn)).toEqual(Array(6).fill([limits.ttl.watchedMs, 'private']));
  });

  test('come from the source for a skill; a list has the shortest and most private of its parts', async () => {
    const source = changed(memorySource(skills()), (found) =>
      found.entry.uri === uri ? { ...found, ttlMs: 5, cacheScope: 'private' } : found,
    );
    const { methods } = methodsOf(source);
    expect((await fields(methods, modern)).slice(0, 5)).toEqual(Array(5).fill([5, 'private']));
    expect(await methods.getSkill({ uri: 'skill://outer/SKILL.md' }, modern)).toMatchObject({
      ttlMs: limits.ttl.watchedMs,
      cacheScope: 'public',
    });
  });

  test('forbid caching the text of a dynamic skill, but not its entry', async () => {
    const source = memorySource();
    source.add('now', { description: 'The time' }, () => 'x');
    const { methods } = methodsOf(source);
    const now = { uri: 'skill://now/SKILL.md' };
    const never = { ttlMs: 0, cacheScope: 'private' };
    expect(await methods.getSkill(now, modern)).toMatchObject(never);
    expect(await methods.readResource(now, modern)).toMatchObject(never);
    expect(await methods.listSkills({}, modern)).toMatchObject({ ttlMs: limits.ttl.watchedMs, cacheScope: 'public' });
  });
});

describe('resolveFile()', () => {
  test('returns the canonical URI of a served file and refuses everything else', async () => {
    const { methods } = methodsOf();
    expect(await methods.resolveFile('skill://acme/billing/refunds/a b.md', legacy)).toBe(
      'skill://acme/billing/refunds/a%20b.md',
    );
    for (const uri of ['skill://acme', 'skill://none/SKILL.md', 'https://example.com'])
      expect((await refusal(methods.resolveFile(uri, legacy))).code).toBe('FILE_NOT_FOUND');
  });
});

test('listResourceTemplates() refuses every cursor, because it never issues one', async () => {
  const { methods } = methodsOf();
  expect((await refusal(() => methods.listResourceTemplates({ cursor: 'x' }, modern))).code).toBe('INVALID_CURSOR');
});

test('the context reaches the function behind a dynamic skill', async () => {
  const source = memorySource();
  source.add('who', { description: 'Who asks' }, ({ principal }) => `I am ${principal?.id}`);
  const { contents } = await methodsOf(source).methods.readResource({ uri: 'skill://who/SKILL.md' }, signedIn);
  expect(contents[0]).toHaveProperty('text', expect.stringContaining('I am ada'));
});
