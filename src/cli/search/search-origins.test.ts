import { expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { discoveredSkill } from '../../host/discover/discover.ts';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import type { Discovery, Host } from '../../host/host.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { searchOrigins } from './search-origins.ts';

const uriOf = (path: string): string => `skill://${path}/SKILL.md`;

/** A host over sources by label. Each source lists only its first skill. */
async function hostOf(sources: Readonly<Record<string, SkillSource>>) {
  const origins = new Map(Object.entries(sources).map(([label, source]) => [label, { label, local: false, source }]));
  const skills: DiscoveredSkill[] = [];
  for (const origin of origins.values())
    for await (const page of origin.source.list({}))
      skills.push(...page.skills.slice(0, 1).map((skill) => discoveredSkill(origin, skill, true)));
  const reports = [...origins.keys()].map((label) => ({ label }));
  return {
    host: { origins, peek: async () => undefined } as unknown as Host,
    discovery: { skills, origins: reports, collisions: [] } as unknown as Discovery,
  };
}

function source(search?: SkillSource['search']): SkillSource {
  const skills = memorySource();
  skills.add('a/listed', { description: 'Reviews code.' }, 'Text.');
  skills.add('b/unlisted', { description: 'Reviews zebras.' }, 'Text.');
  return search === undefined ? skills : { ...skills, search };
}

const { signal } = new AbortController();

test('a server searches beyond its listing; other origins are searched by their listing', async () => {
  const { host, discovery } = await hostOf({
    far: source(async () => [uriOf('b/unlisted'), uriOf('gone/gone'), uriOf('a/listed')]),
    near: source(),
  });
  const warn = (): never => expect.unreachable();
  const found = await searchOrigins(discovery, { host, query: 'reviews', limit: 5, signal, warn });
  expect(found.hits.map(({ skill }) => `${skill.label} ${skill.name}`)).toEqual([
    'far unlisted',
    'near listed',
    'far listed',
  ]);
  expect(found).toMatchObject({ total: 3, byServer: ['far'], listed: 1 });
});

test('if a server has no search, or its search fails, the listing is searched', async () => {
  const failing = source(async () => {
    throw new SkillwireError('TIMED_OUT', 'Too late.');
  });
  const { host, discovery } = await hostOf({ failing, none: source(async () => undefined) });
  const warned: string[] = [];
  const warn = (label: string): unknown => warned.push(label);
  const found = await searchOrigins(discovery, { host, query: 'code', limit: undefined, signal, warn });
  expect(found).toMatchObject({ total: 1, byServer: [], listed: 2 });
  expect(warned).toEqual(['failing']);
});
