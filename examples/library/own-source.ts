import { createCatalog, memorySource, type SkillSource } from 'skillwire';

/** Skills of a database: list, get and open are all that a source needs. */
export function databaseSource(read: () => Promise<Record<string, string>>): SkillSource {
  const load = async () =>
    memorySource(Object.fromEntries(Object.entries(await read()).map(([path, text]) => [path, { 'SKILL.md': text }])));
  return {
    name: 'database',
    async *list(context) {
      yield* (await load()).list(context);
    },
    get: async (uri, context) => (await load()).get(uri, context),
    open: async (uri, context) => (await load()).open(uri, context),
  };
}

export const catalog = createCatalog(
  databaseSource(async () => ({
    'team/on-call': '---\nname: on-call\ndescription: How to answer a page at night.\n---\n',
  })),
);
