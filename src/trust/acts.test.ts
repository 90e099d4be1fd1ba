import { describe, expect, test } from 'vitest';
import { configurationJsonSchema } from '../gateway/configuration.ts';
import { referenceTo } from '../origins/credentials.ts';
import { kindOf, type OriginLocation } from '../origins/kinds.ts';
import type { JsonValue } from '../skill/entry.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import {
  type ActingValue,
  accessActs,
  actWords,
  addressActs,
  agentActs,
  configurationRows,
  originActs,
  originRows,
  type Surroundings,
  searchActs,
  storeActs,
} from './acts.ts';
import {
  accepting,
  fileDigest,
  isAccepted,
  type JudgedValue,
  judged,
  parseTrustRecord,
  recordJson,
  replacedActs,
} from './trust-record.ts';

const around: Surroundings = {
  isInsideProject: (path) => path.startsWith('/project/'),
  isInsideNetwork: (host) => host === '127.0.0.1' || host === 'wiki.corp',
};

const actsOf = (at: string, place: OriginLocation, settings: Record<string, JsonValue> = {}): ActingValue =>
  originActs(at, { ...place }, kindOf(place).acts(place, around), settings);

const kinds = (place: OriginLocation, settings: Record<string, never> | object = {}): readonly string[] =>
  actsOf('origins.x', place, settings as Record<string, never>).acts.map(({ kind }) => kind);

describe('originActs()', () => {
  const free: readonly OriginLocation[] = [
    { kind: 'folder', path: '/project/skills' },
    { kind: 'archive', path: '/project/a.zip' },
    { kind: 'site', url: 'https://example.com' },
    { kind: 'mcp', url: 'https://example.com/mcp' },
    { kind: 'mdp', hub: 'wss://example.com' },
    { kind: 'git', repository: 'https://example.com/a.git', ref: 'main' },
    { kind: 'git', repository: '/project/vendored' },
    { kind: 'git', repository: 'file:///project/vendored' },
  ];
  test.each(free)('%j is data', (place) => {
    expect(kinds(place)).toEqual([]);
  });

  const acting: readonly (readonly [OriginLocation, string])[] = [
    [{ kind: 'folder', path: '/etc' }, 'outside-folder'],
    [{ kind: 'archive', path: '/etc/a.zip' }, 'outside-folder'],
    [{ kind: 'site', url: 'http://127.0.0.1:80' }, 'inside-address'],
    [{ kind: 'site', url: 'https://wiki.corp' }, 'inside-address'],
    [{ kind: 'site', url: 'http://example.com' }, 'insecure-http'],
    [{ kind: 'mcp', url: 'http://127.0.0.1/mcp' }, 'inside-address'],
    [{ kind: 'mcp', url: 'http://example.com/mcp' }, 'insecure-http'],
    [{ kind: 'stdio', command: ['sh', '-c', 'id'] }, 'program'],
    [{ kind: 'mdp', hub: 'ws://127.0.0.1:4711' }, 'inside-address'],
    [{ kind: 'mdp', hub: 'ws://example.com' }, 'insecure-http'],
    [{ kind: 'mdp-stdio', hubCommand: ['hub'] }, 'program'],
    [{ kind: 'git', repository: 'ssh://git@example.com/a.git' }, 'git-credentials'],
    [{ kind: 'git', repository: 'git@example.com:a.git' }, 'git-credentials'],
    [{ kind: 'git', repository: 'http://example.com/a.git' }, 'insecure-http'],
    [{ kind: 'git', repository: 'https://127.0.0.1/a.git' }, 'inside-address'],
    [{ kind: 'git', repository: '/srv/repository' }, 'outside-folder'],
    [{ kind: 'git', repository: 'file:///srv/repository' }, 'outside-folder'],
    [{ kind: 'git', repository: 'C:\\repository' }, 'outside-folder'],
    [{ kind: 'agent', agent: 'claude-code' }, 'outside-folder'],
  ];
  test.each(acting)('%j acts: %s', (place, kind) => {
    expect(kinds(place)).toEqual([kind]);
  });

  test('settings act as their rows say', () => {
    const site: OriginLocation = { kind: 'site', url: 'https://example.com' };
    expect(kinds(site, { headers: { 'X-Team': 'a' } })).toEqual(['credential']);
    expect(kinds(site, { auth: { bearer: referenceTo('TOKEN') } })).toEqual(['credential']);
    expect(kinds(site, { insecureHttp: true })).toEqual(['insecure-http']);
    expect(kinds({ kind: 'folder', path: '/project/a' }, { publish: ['a/prod.env'] })).toEqual(['secret-files']);
    const committed: OriginLocation = { kind: 'git', repository: 'https://example.com/a.git' };
    expect(kinds(committed, { publish: ['a/prod.env'] })).toEqual([]);
    expect(kinds(site, { insecureHttp: false, ttlMs: 5, include: ['a'], listed: true })).toEqual([]);
    expect(kinds({ kind: 'stdio', command: ['a'] }, { env: { A: referenceTo('B'), C: 'd' } })).toEqual([
      'program',
      'variable',
      'program',
    ]);
  });

  test('a setting without a row is refused', () => {
    expect(() => kinds({ kind: 'site', url: 'https://example.com' }, { surprise: true })).toThrow('no row');
  });

  test('shows blanks and control characters inside a word', () => {
    const { acts } = actsOf('x', { kind: 'stdio', command: ['sh', '-c', 'a b\nc'] });
    expect(acts[0]?.value).toBe('sh -c "a b\\nc"');
  });
});

test('access without a token and folders of agents act', () => {
  expect(accessActs({}, () => [])).toEqual([]);
  expect(accessActs({ anonymous: 'all' }, () => [])[0]?.acts).toEqual([
    { kind: 'anonymous-access', at: 'access.anonymous', value: 'all' },
  ]);
  expect(agentActs({ id: 'a' })).toEqual([]);
  expect(agentActs({ id: 'a', globalFolder: '~/.config/fish' })[0]?.acts).toEqual([
    { kind: 'agent-folder', at: 'agents.a.global', value: '~/.config/fish' },
  ]);
});

test('an identity provider acts with its addresses and secrets, and is accepted as a whole', () => {
  const issuer = 'https://wiki.corp';
  const at = `access.oidc.${issuer}`;
  const provider = {
    issuer,
    jwks: 'https://example.com/keys',
    introspection: { clientId: 'a', clientSecretEnv: 'ONE', url: 'http://127.0.0.1/check' },
    signIn: { clientId: 'b', clientSecretEnv: 'TWO' },
  };
  const [acting, ...more] = accessActs({ oidc: [provider] }, (url) => addressActs(url, around));
  expect(more).toEqual([]);
  expect(acting).toMatchObject({ at, value: provider });
  expect(acting?.acts.map((act) => [act.kind, act.at])).toEqual(
    ['identity-provider', 'inside-address', 'inside-address', 'credential', 'credential'].map((kind) => [kind, at]),
  );
  expect(acting?.acts[0]?.value).toBe(issuer);
});

test('a shared store acts with its address and its cluster', () => {
  const store = { postgres: 'postgres://db.example.com/skills', cluster: 'prod' };
  const acts = [{ kind: 'shared-store', at: 'store', value: 'postgres://db.example.com/skills (prod)' }];
  expect(storeActs(undefined)).toEqual([]);
  expect(storeActs(store)).toEqual([{ at: 'store', acts, value: store }]);
});

test('a setting without a value changes nothing', () => {
  const place: OriginLocation = { kind: 'mcp', url: 'https://example.com/mcp' };
  const missing = { auth: undefined, headers: undefined } as unknown as Record<string, JsonValue>;
  expect(actsOf('origins.x', place, missing)).toEqual(actsOf('origins.x', place));
});

test('an endpoint for search by meaning acts at any address, with its key and its model', () => {
  const acting = (url: string, more: object = {}): ActingValue | undefined =>
    searchActs({ embeddings: { url, model: 'small', ...more } }, (address) => addressActs(address, around))[0];
  const kindsOf = (url: string, more: object = {}): readonly string[] | undefined =>
    acting(url, more)?.acts.map(({ kind }) => kind);
  expect(searchActs({}, () => [])).toEqual([]);
  expect(kindsOf('https://api.example.com/v1')).toEqual(['search-texts']);
  expect(kindsOf('https://wiki.corp/v1')).toEqual(['search-texts', 'inside-address']);
  expect(kindsOf('http://example.com/v1')).toEqual(['search-texts', 'insecure-http']);
  expect(kindsOf('https://example.com/v1', { insecureHttp: true })).toEqual(['search-texts', 'insecure-http']);
  expect(acting('https://example.com/v1', { keyEnv: 'KEY' })?.acts[1]).toEqual({
    kind: 'credential',
    at: 'search.embeddings',
    value: `bearer ${referenceTo('KEY')}`,
  });
  const changes = [{ model: 'large' }, { keyEnv: 'KEY' }, { insecureHttp: true }];
  const values = [{}, ...changes].map((more) => JSON.stringify(acting('https://example.com/v1', more)?.value));
  expect(new Set(values).size).toBe(4);
});

describe('the table of acts', () => {
  const schema = configurationJsonSchema() as {
    properties: Record<string, { additionalProperties?: { anyOf: { properties?: Record<string, unknown> }[] } }>;
  };

  test('has a row for every key of a configuration', () => {
    const keys = Object.keys(schema.properties).filter((key) => key !== '$schema');
    expect(Object.keys(configurationRows).sort()).toEqual(keys.sort());
  });

  test('has a row for every setting of an origin', () => {
    const object = schema.properties['origins']?.additionalProperties?.anyOf.find(({ properties }) => properties);
    const places = ['folder', 'archive', 'mcp', 'stdio', 'site', 'mdp', 'git', 'agent'];
    const settings = Object.keys(object?.properties ?? {}).filter((key) => !places.includes(key));
    const rows = Object.keys(originRows).map((key) => key.replace(/Ms$/, ''));
    expect(settings.length).toBeGreaterThan(10);
    expect(rows.sort()).toEqual(settings.sort());
  });

  test('has a text for every act', () => {
    for (const words of Object.values(actWords)) expect(words).toMatch(/^[a-z]/);
  });
});

describe('trust records', () => {
  const value = (command: string, header?: string): JudgedValue =>
    judged(
      actsOf(
        'origins.tools',
        { kind: 'stdio', command: [command] },
        header === undefined ? {} : { env: { X: header } },
      ),
      nodeDigest,
    );

  test('accept exactly the accepted values', () => {
    const record = accepting(undefined, [value('a')], '2026-01-01T00:00:00Z');
    expect(isAccepted(record, value('a'))).toBe(true);
    expect(isAccepted(record, value('b'))).toBe(false);
    expect(isAccepted(record, value('a', referenceTo('SECRET')))).toBe(false);
    expect(isAccepted(undefined, value('a'))).toBe(false);
    expect(replacedActs(record, [value('b')]).map((act) => act.value)).toEqual(['a']);
    expect(replacedActs(record, [value('a'), value('b')])).toEqual([]);
    expect(replacedActs(undefined, [value('a')])).toEqual([]);
  });

  test('a header is bound to its target', () => {
    const site = (url: string): JudgedValue =>
      judged(actsOf('x', { kind: 'site', url }, { auth: { bearer: referenceTo('T') } }), nodeDigest);
    expect(site('https://a.example').digest).not.toBe(site('https://b.example').digest);
  });

  test('are read back from the state, and nothing else is read as one', () => {
    const record = accepting(undefined, [value('a'), value('b')], '2026-01-01T00:00:00Z');
    expect(parseTrustRecord(JSON.parse(JSON.stringify(recordJson(record))))).toEqual(record);
    const bads: readonly JsonValue[] = [
      null,
      1,
      [],
      {},
      { at: 1, values: [] },
      { at: 'x', values: [1] },
      { at: 'x', values: [{ digest: 1, acts: [] }] },
      { at: 'x', values: [{ digest: 'd', acts: [{ kind: 'unknown', at: 'a', value: 'v' }] }] },
    ];
    for (const bad of bads) expect(parseTrustRecord(bad)).toBeUndefined();
  });

  test('the digest of a file does not depend on the order', () => {
    expect(fileDigest([value('a'), value('b')], nodeDigest)).toBe(fileDigest([value('b'), value('a')], nodeDigest));
    expect(fileDigest([value('a')], nodeDigest)).not.toBe(fileDigest([value('b')], nodeDigest));
  });

  test('more values can be accepted beside earlier ones', () => {
    const record = accepting(accepting(undefined, [value('a')], 'x'), [value('b')], 'y');
    expect(isAccepted(record, value('a')) && isAccepted(record, value('b'))).toBe(true);
    expect(record.at).toBe('y');
  });
});
