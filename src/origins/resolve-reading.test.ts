import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import type { AddedOrigin } from './added-origins.ts';
import type { OriginAccess } from './credentials.ts';
import type { NamedOrigin } from './named-origin.ts';
import type { ConfiguredOrigin } from './origin-schema.ts';
import { resolveReadingOrigins } from './resolve-reading.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-reading-')));
  mkdirSync(join(root, 'cwd', 'skills'), { recursive: true });
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const remote: AddedOrigin = {
  label: 'remote',
  location: { kind: 'mcp', url: 'https://example.com/mcp' },
  tokenEnv: 'T',
  headers: [{ name: 'X-Key', variable: 'K' }],
  passEnv: [],
  insecureHttp: false,
  assumeSkills: false,
  era: 'legacy',
  addedAt: '2026-11-15T00:00:00Z',
};

interface Known {
  readonly configured?: readonly ConfiguredOrigin[];
  readonly added?: readonly AddedOrigin[];
  readonly options?: OriginAccess;
}

function resolved(
  given: readonly string[],
  { configured, added = [], options = {} }: Known = {},
): readonly NamedOrigin[] {
  const file = join(root, 'config', 'skillwire.json');
  const found =
    configured === undefined
      ? undefined
      : { file, configuration: { origins: configured, rules: [] }, from: 'user' as const, judged: 'own' as const };
  return resolveReadingOrigins(given, options, { cwd: join(root, 'cwd'), home: join(root, 'home'), found, added });
}

function refusal(given: readonly string[], known: Known = {}): string {
  try {
    resolved(given, known);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'USAGE') return error.message;
    throw error;
  }
  throw new Error(`accepted: ${given.join(' ')}`);
}

describe('resolveReadingOrigins()', () => {
  test('labels what has no name with its normalised text', () => {
    const given = ['skills', '~/x', 'MCP:HTTPS://Example.com', 'stdio:node  "a b"', 'team=mcp:http://127.0.0.1:1/mcp'];
    expect(resolved(given).map(({ label, location }) => [label, location])).toEqual([
      [join(root, 'cwd', 'skills'), { kind: 'folder', path: join(root, 'cwd', 'skills') }],
      [join(root, 'home', 'x'), { kind: 'folder', path: join(root, 'home', 'x') }],
      ['mcp:https://example.com/', { kind: 'mcp', url: 'https://example.com/' }],
      ["stdio:node 'a b'", { kind: 'stdio', command: ['node', 'a b'] }],
      ['team', { kind: 'mcp', url: 'http://127.0.0.1:1/mcp' }],
    ]);
  });

  test('knows sites by their address, and archives by their name unless they are folders', () => {
    mkdirSync(join(root, 'cwd', 'folder.zip'), { recursive: true });
    const given = [
      'HTTPS://Example.com/',
      'docs=https://example.com/docs',
      './a.tar.gz',
      'old=./b.skill',
      './folder.zip',
    ];
    expect(resolved(given).map(({ label, location }) => [label, location])).toEqual([
      ['https://example.com', { kind: 'site', url: 'https://example.com' }],
      ['docs', { kind: 'site', url: 'https://example.com/docs' }],
      [join(root, 'cwd', 'a.tar.gz'), { kind: 'archive', path: join(root, 'cwd', 'a.tar.gz') }],
      ['old', { kind: 'archive', path: join(root, 'cwd', 'b.skill') }],
      [join(root, 'cwd', 'folder.zip'), { kind: 'folder', path: join(root, 'cwd', 'folder.zip') }],
    ]);
    expect(refusal(['https://example.com', 'https://example.com/'])).toContain('named twice');
  });

  test('reads what was added as the kind that it is, with when its files are fetched', () => {
    const site: AddedOrigin = {
      ...remote,
      label: 'site',
      location: { kind: 'site', url: 'https://example.com' },
      siteFetch: 'lazy',
    };
    expect(resolved(['site'], { added: [site] })).toMatchObject([
      { location: { kind: 'site', url: 'https://example.com' }, tokenEnv: 'T', siteFetch: 'lazy' },
    ]);
    expect(resolved(['https://e.com'], { options: { siteFetch: 'lazy' } })).toMatchObject([{ siteFetch: 'lazy' }]);
    expect(resolved(['https://e.com'])).toMatchObject([{ siteFetch: 'session' }]);
  });

  test('knows labels of the configuration and of what was added, and gives all where none is named', () => {
    const configured = [{ label: 'docs', folder: './docs', nested: false }];
    const docs = {
      label: 'docs',
      location: { kind: 'folder', path: join(root, 'config', 'docs'), nested: false },
      from: 'configuration',
    };
    const added = {
      label: 'remote',
      location: { kind: 'mcp', url: 'https://example.com/mcp' },
      tokenEnv: 'T',
      headers: [{ name: 'X-Key', variable: 'K' }],
      era: 'legacy',
      from: 'added',
    };
    expect(resolved([], { configured, added: [remote] })).toMatchObject([docs, added]);
    expect(resolved(['remote', 'docs'], { configured, added: [remote] })).toMatchObject([added, docs]);
  });

  test('refuses to read nothing', () => {
    expect(refusal([])).toContain('skillwire list ./skills');
  });

  test('refuses a label that means two origins', () => {
    const configured = [{ label: 'remote', folder: './docs' }];
    expect(refusal(['skills'], { configured, added: [remote] })).toContain('skillwire origins remove remote');
    expect(refusal(['remote=./x'], { added: [remote] })).toContain('choose another label');
    expect(refusal(['remote=./x'], { configured })).toContain('choose another label');
    expect(refusal(['team=./x', 'team=./y'])).toContain('named twice');
    expect(refusal(['./x', './y/../x/'])).toContain('named twice');
  });

  test('sends a secret to one server only', () => {
    const options: OriginAccess = { tokenEnv: 'NEW', header: [{ name: 'a', variable: 'A' }], era: 'modern' };
    expect(resolved(['remote', './x'], { added: [remote], options })).toMatchObject([
      { label: 'remote', tokenEnv: 'NEW', headers: [{ name: 'a', variable: 'A' }], era: 'modern' },
      { headers: [], era: 'auto' },
    ]);
    expect(resolved(['remote', './x'], { added: [remote], options })[1]).not.toHaveProperty('tokenEnv');
    const two = refusal(['remote', 'mcp:https://other.example/mcp'], { added: [remote], options });
    expect(two).toContain('would send one secret to 2 servers');
    expect(refusal(['remote', 'https://other.example'], { added: [remote], options })).toContain('to 2 servers');
    expect(resolved(['https://e.com', './x'], { options })).toMatchObject([{ tokenEnv: 'NEW' }, { headers: [] }]);
    expect(refusal(['./x'], { options })).toContain('has no effect');
    expect(refusal(['stdio:x'], { options: { header: [] } })).toContain('--header has no effect');
    expect(refusal(['./x'], { options: { passEnv: ['A'] } })).toContain('--pass-env has no effect');
    expect(refusal(['stdio:x', 'stdio:y'], { options: { passEnv: ['A'] } })).toContain('one secret to 2 servers');
    expect(resolved(['stdio:x'], { options: { passEnv: ['A'], assumeSkills: true } })).toMatchObject([
      { passEnv: ['A'], assumeSkills: true },
    ]);
  });

  test('reads servers in the dialect that is chosen, and nothing else by it', () => {
    const options: OriginAccess = { dialect: 'fastmcp', forbidDialect: ['skilljack'] };
    const [server, folder] = resolved(['stdio:x', './x'], { options });
    expect(server).toMatchObject({ dialect: 'fastmcp', forbidDialects: ['skilljack'] });
    expect(folder).not.toHaveProperty('dialect');
    expect(refusal(['https://e.com'], { options: { dialect: 'fastmcp' } })).toContain('--dialect has no effect');
    expect(refusal(['./x'], { options: { forbidDialect: ['fastmcp'] } })).toContain('--forbid-dialect has no effect');
    const stored = { ...remote, dialect: 'nimblebrain', forbidDialects: ['fastmcp'] } as const;
    expect(resolved(['remote'], { added: [stored] })[0]).toMatchObject({ dialect: 'nimblebrain' });
    expect(resolved(['remote'], { added: [stored], options })[0]).toMatchObject({ dialect: 'fastmcp' });
  });

  test('keeps the permission for plain HTTP with the origin that has it', () => {
    const plain: AddedOrigin = { ...remote, location: { kind: 'mcp', url: 'http://example.com/mcp' } };
    expect(refusal(['remote'], { added: [plain] })).toContain('--insecure-http');
    expect(resolved(['remote'], { added: [{ ...plain, insecureHttp: true }] })).toHaveLength(1);
    expect(resolved(['remote'], { added: [plain], options: { insecureHttp: true } })).toHaveLength(1);
  });
});
