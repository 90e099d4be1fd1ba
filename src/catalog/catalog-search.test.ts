import { describe, expect, it } from 'vitest';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import type { Catalog } from './catalog.ts';
import { type CatalogSearch, createCatalogSearch, type SkillSearch } from './catalog-search.ts';
import { catalogView } from './catalog-view.ts';
import { createCatalog } from './create-catalog.ts';

function file(name: string, description: string, body = ''): { 'SKILL.md': string } {
  return { 'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n---\n${body}` };
}

/** A source with remote files, which records the opened ones. */
function elsewhere(source: SkillSource): { readonly source: SkillSource; readonly opened: string[] } {
  const opened: string[] = [];
  const away = ({ isLocal: _, ...skill }: SourceSkill): SourceSkill => skill;
  return {
    opened,
    source: {
      ...source,
      async *list(context) {
        for await (const page of source.list(context)) yield { ...page, skills: page.skills.map(away) };
      },
      async get(uri, context) {
        const skill = await source.get(uri, context);
        return skill === undefined ? undefined : away(skill);
      },
      open(uri, context) {
        opened.push(uri);
        return source.open(uri, context);
      },
    },
  };
}

async function found(search: SkillSearch, query: string): Promise<string[]> {
  return (await search.search(query)).hits.map(({ skill }) => skill.path);
}

function searching(source: SkillSource): { readonly catalog: Catalog; readonly search: CatalogSearch } {
  const catalog = createCatalog(source);
  return { catalog, search: createCatalogSearch(catalog) };
}

const skills = {
  'docs/pdf-forms': file('pdf-forms', 'Fills in forms.', '# Signatures\nFlatten before sending.\n'),
  'ops/deploy': file('deploy', 'Brings a service into production.', 'Watch the canary.\n'),
};

describe('createCatalogSearch()', () => {
  it('finds skills by all available texts', async () => {
    const { search } = searching(memorySource(skills));
    expect(await found(search, 'forms')).toEqual(['docs/pdf-forms']);
    expect(await found(search, 'signature')).toEqual(['docs/pdf-forms']);
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
    expect(await search.search('nothing')).toEqual({ hits: [], total: 0, complete: true });
  });

  it('reads nothing before the first search, and keeps its reads out of the cache', async () => {
    const source = memorySource(skills);
    let opened = 0;
    const { catalog, search } = searching({
      ...source,
      open: (uri, context) => {
        opened++;
        return source.open(uri, context);
      },
    });
    await catalog.snapshot();
    expect(opened).toBe(0);
    await search.search('forms');
    await search.search('canary');
    expect(opened).toBe(2);
    await catalog.read('skill://ops/deploy/SKILL.md', {});
    expect(opened).toBe(3);
  });

  it('fetches no body, but indexes one that somebody else reads', async () => {
    const { source, opened } = elsewhere(memorySource(skills));
    const { catalog, search } = searching(source);
    expect(await found(search, 'production')).toEqual(['ops/deploy']);
    expect(await found(search, 'canary')).toEqual([]);
    expect(opened).toEqual([]);
    await catalog.read('skill://ops/deploy/SKILL.md', {});
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
    expect(opened).toEqual(['skill://ops/deploy/SKILL.md']);
  });

  it('indexes a body that was read before the first search', async () => {
    const { source, opened } = elsewhere(memorySource(skills));
    const { catalog, search } = searching(source);
    await catalog.read('skill://docs/pdf-forms/SKILL.md', {});
    expect(await found(search, 'flatten')).toEqual(['docs/pdf-forms']);
    expect(opened).toHaveLength(1);
  });

  it('never reads dynamic skills, which may be made for one reader', async () => {
    const source = memorySource();
    source.add('today', { description: 'Figures of the day.' }, () => '# Salaries\n');
    const { catalog, search } = searching(source);
    await catalog.read('skill://today/SKILL.md', { principal: { id: 'boss' } });
    expect(await found(search, 'figures')).toEqual(['today']);
    await catalog.read('skill://today/SKILL.md', { principal: { id: 'boss' } });
    expect(await found(search, 'salaries')).toEqual([]);
  });

  it('follows the catalog: added, changed and removed skills', async () => {
    const source = memorySource(skills);
    const { catalog, search } = searching(source);
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
    const changed = new Promise<void>((resolve) => {
      let left = 3;
      catalog.subscribe(() => {
        left--;
        if (left === 0) resolve();
      });
    });
    source.add('ops/deploy', file('deploy', 'Brings a service into production.', 'Use blue and green.\n'));
    source.add('horses', file('horses', 'Rides.'));
    source.remove('docs/pdf-forms');
    await changed;
    expect(await found(search, 'canary')).toEqual([]);
    expect(await found(search, 'green')).toEqual(['ops/deploy']);
    expect(await found(search, 'riding')).toEqual(['horses']);
    expect(await found(search, 'forms')).toEqual([]);
  });

  it('does not find skills that the source does not list', async () => {
    const source = memorySource(skills);
    const { search } = searching({
      ...source,
      async *list(context) {
        for await (const page of source.list(context))
          yield { ...page, skills: page.skills.map((skill) => ({ ...skill, listed: false })) };
      },
    });
    expect(await found(search, 'forms')).toEqual([]);
  });

  it('shows skills with the same SKILL.md as one hit', async () => {
    const { search } = searching(
      memorySource({
        ...skills,
        'copy/deploy': file('deploy', 'Brings a service into production.', 'Watch the canary.\n'),
      }),
    );
    const { hits, total } = await search.search('canary');
    expect([total, hits.map(({ skill, copies }) => [skill.path, copies.map(({ path }) => path)])]).toEqual([
      1,
      [['copy/deploy', ['ops/deploy']]],
    ]);
  });

  it('does not mix up descriptions if a digest is claimed twice', async () => {
    const honest = memorySource(skills);
    const { search } = searching({
      ...honest,
      async *list(context) {
        for await (const page of honest.list(context)) {
          const [first] = page.skills as [SourceSkill];
          const { entry } = first;
          const uri = 'skill://bad/pdf-forms/SKILL.md';
          const frontmatter = { ...entry.frontmatter, description: 'Steals horses.' };
          const resources = entry.resources === 'dynamic' ? [] : entry.resources.map((one) => ({ ...one, uri }));
          yield { ...page, skills: [...page.skills, { listed: true, entry: { uri, frontmatter, resources } }] };
        }
      },
    });
    expect(await found(search, 'horses')).toEqual(['bad/pdf-forms']);
    expect(await found(search, 'fill in')).toEqual(['docs/pdf-forms']);
  });

  it('answers from names and descriptions while texts are still being read, and marks the answer', async () => {
    const source = memorySource(skills);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const catalog = createCatalog({
      ...source,
      async open(uri, context) {
        if (uri.includes('deploy')) await released;
        return source.open(uri, context);
      },
    });
    const search = createCatalogSearch(catalog, { waitMs: 50 });
    for (let number = 0; number < 20; number++)
      source.add(`more-${number}/deploy`, file('deploy', `Service ${number}.`));
    expect(await search.search('production')).toMatchObject({ complete: false });
    expect((await search.search('service')).hits.length).toBeGreaterThan(5);
    release();
    await expect.poll(async () => (await search.search('canary')).complete).toBe(true);
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
  });

  it('answers simultaneous searches, also the first ones', async () => {
    const { search } = searching(memorySource(skills));
    const all = await Promise.all(Array.from({ length: 5 }, () => found(search, 'canary')));
    expect(all).toEqual(Array.from({ length: 5 }, () => ['ops/deploy']));
  });

  it('tries again after the catalog failed to load', async () => {
    const source = memorySource(skills);
    let broken = true;
    const { search } = searching({
      ...source,
      list(context) {
        if (broken) throw new Error('down');
        return source.list(context);
      },
    });
    await expect(search.search('canary')).rejects.toThrow('down');
    broken = false;
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
  });

  it('stops for a caller that aborts, and after it was closed', async () => {
    const { search } = searching(memorySource(skills));
    await expect(search.search('canary', { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    search.close();
    await expect(search.search('canary')).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('within()', () => {
  it('finds only the skills of the view, also beyond the bounds of its listing', async () => {
    const { catalog, search } = searching(memorySource(skills));
    const view = catalogView(catalog, { allows: (path) => path.startsWith('docs/'), listing: () => [] });
    const own = search.within(view);
    expect(await found(own, 'canary production')).toEqual([]);
    expect(await found(own, 'signature')).toEqual(['docs/pdf-forms']);
    expect((await view.snapshot()).listed).toEqual([]);
    expect(await found(search, 'canary')).toEqual(['ops/deploy']);
  });

  it('names no copy outside the view', async () => {
    const source = memorySource({
      'docs/deploy': file('deploy', 'Brings a service into production.'),
      'ops/deploy': file('deploy', 'Brings a service into production.'),
    });
    const { catalog, search } = searching(source);
    const view = catalogView(catalog, { allows: (path) => path.startsWith('ops/') });
    const { hits } = await search.within(view).search('production');
    expect(hits.map(({ skill, copies }) => [skill.path, copies])).toEqual([['ops/deploy', []]]);
  });
});
