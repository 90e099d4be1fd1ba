import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { declarations } from './declarations.ts';

const id = 'io.modelcontextprotocol/skills';

/** Both eras declare the same, and the skills themselves are served. */
const declares =
  (compare: (capabilities: Readonly<Record<string, unknown>>) => void): Check =>
  async ({ result, message }) => {
    const modern = await result('server/discover');
    const legacy = await message('initialize', { protocolVersion: '2025-11-25' }, { era: 'legacy' });
    expect(legacy).toHaveProperty('result.capabilities', modern['capabilities']);
    compare(Object(modern['capabilities']));
    expect((await result('skills/list'))['skills']).toHaveLength(2);
  };

const extension = (value: unknown): Check => declares(({ extensions }) => expect(extensions).toEqual({ [id]: value }));

const results =
  (compare: (result: Readonly<Record<string, unknown>>) => void): Check =>
  async ({ row, result }) => {
    compare(await result('skills/list'));
    compare(await result('skills/get', { uri: row.target }));
    compare(await result('resources/read', { uri: row.target }));
  };

const field = (name: string, value: unknown): Check => results((result) => expect(result).toHaveProperty(name, value));

const directoryAnswered: Check = async ({ result }) => {
  expect((await result('resources/directory/read', { uri: 'skill://refunds' }))['resources']).toHaveLength(2);
};

proves('what the server declares', declarations, {
  'extension-absent': declares((capabilities) => expect(capabilities).toEqual({ resources: {} })),
  'extension-true': extension(true),
  'extension-text': extension('yes'),
  'extension-list': extension([]),
  'extension-null': extension(null),
  'extension-envelope': extension({ config: { directoryRead: true } }),
  'extension-experimental': declares((capabilities) =>
    expect(capabilities).toEqual({ resources: {}, experimental: { [id]: {} } }),
  ),
  'directory-read-undeclared': async (wire) => {
    await extension({})(wire);
    await directoryAnswered(wire);
  },
  'directory-read-text': async (wire) => {
    await extension({ directoryRead: 'true' })(wire);
    await directoryAnswered(wire);
  },
  'resources-undeclared': declares((capabilities) => expect(Object.keys(capabilities)).toEqual(['extensions'])),
  'method-not-found': async ({ call, result }) => {
    expect(await result('server/discover')).toHaveProperty(['capabilities', 'extensions', id]);
    for (const [era, status] of [
      ['modern', 404],
      ['legacy', 200],
    ] as const) {
      const answer = await call('skills/list', {}, { era });
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.body.toString())).toHaveProperty('error.code', -32601);
    }
  },
  'cache-hints-missing': results((result) => {
    expect(result).not.toHaveProperty('ttlMs');
    expect(result).not.toHaveProperty('cacheScope');
    expect(result).toHaveProperty('resultType', 'complete');
  }),
  'ttl-negative': field('ttlMs', -1),
  'ttl-huge': field('ttlMs', 31_557_600_000_000_000),
  'ttl-fraction': field('ttlMs', 0.5),
  'ttl-text': field('ttlMs', '60000'),
  'cache-scope-unknown': field('cacheScope', 'everyone'),
  'result-type-missing': results((result) => expect(result).not.toHaveProperty('resultType')),
  'result-type-unknown': field('resultType', 'maybe'),
  'result-wants-input': async ({ result }) =>
    expect(await result('skills/list')).toMatchObject({
      resultType: 'input_required',
      inputRequests: { essay: { method: 'sampling/createMessage' } },
    }),
});
