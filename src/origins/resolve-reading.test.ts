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
): Promise<readonly NamedOrigin[]> {
  const file = join(root, 'config', 'skillwire.json');
  const found =
    configured === undefined
      ? undefined
      : { file, configuration: { origins: configured, rules: [] }, from: 'user' as const, judged: 'own' as const };
  return resolveReadingOrigins(given, options, { cwd: join(root, 'cwd'), home: join(root, 'home'), found, added });
}

async function refusal(given: readonly string[], known: Known = {}): Promise<string> {
  try {
    await resolved(given, known);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'USAGE') return error.message;
    throw error;
  }
  throw new Error(`accepted: ${given.join(' ')}`);
}

describe('resolveReadingOrigins()', () => {
  test('labels an unnamed origin with its normalized text', async () => {
    const given = ['skills', '~/x', 'MCP:HTTPS://Example.com', 'stdio:node  "a b"', 'team=mcp:http://127.0.0.1:1/mcp'];
    expect((await resolved(given)).map(({ label, location }) => [label, location])).toEqual([
      [join(root, 'cwd', 'skills'), { kind: 'folder', path: join(root, 'cwd', 'skills') }],
      [join(root, 'home', 'x'), { kind: 'folder', path: join(root, 'home', 'x') }],
      ['mcp:https://example.com/', { kind: 'mcp', url: 'https://example.com/' }],
      ["stdio:node 'a b'", { kind: 'stdio', command: ['node', 'a b'] }],
      ['team', { kind: 'mcp', url: 'http://127.0.0.1:1/mcp' }],
    ]);
  });

  test('recognizes sites by their address, and archives by their name unless they are folders', async () => {
    mkdirSync(join(root, 'cwd', 'folder.zip'), { recursive: true });
    const given = [
      'HTTPS://Example.com/',
      'docs=https://example.com/docs',
      './a.tar.gz',
      'old=./b.skill',
      './folder.zip',
    ];
    expect((await resolved(given)).map(({ label, location }) => [label, location])).toEqual([
      ['https://example.com', { kind: 'site', url: 'https://example.com' }],
      ['docs', { kind: 'site', url: 'https://example.com/docs' }],
      [join(root, 'cwd', 'a.tar.gz'), { kind: 'archive', path: join(root, 'cwd', 'a.tar.gz') }],
      ['old', { kind: 'archive', path: join(root, 'cwd', 'b.skill') }],
      [join(root, 'cwd', 'folder.zip'), { kind: 'folder', path: join(root, 'cwd', 'folder.zip') }],
    ]);
    expect(await refusal(['https://example.com', 'https://example.com/'])).toContain('named twice');
  });

  test('reads an added origin as its kind, with its fetch setting', async () => {
    const site: AddedOrigin = {
      ...remote,
      label: 'site',
      location: { kind: 'site', url: 'https://example.com' },
      siteFetch: 'lazy',
    };
    expect(await resolved(['site'], { added: [site] })).toMatchObject([
      { location: { kind: 'site', url: 'https://example.com' }, tokenEnv: 'T', siteFetch: 'lazy' },
    ]);
    expect(await resolved(['https://e.com'], { options: { siteFetch: 'lazy' } })).toMatchObject([
      { siteFetch: 'lazy' },
    ]);
    expect(await resolved(['https://e.com'])).toMatchObject([{ siteFetch: 'session' }]);
  });

  test('knows labels of the configuration and of added origins, and returns all if none is named', async () => {
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
    expect(await resolved([], { configured, added: [remote] })).toMatchObject([docs, added]);
    expect(await resolved(['remote', 'docs'], { configured, added: [remote] })).toMatchObject([added, docs]);
  });

  test('refuses an empty list', async () => {
    expect(await refusal([])).toContain('skillwire list ./skills');
  });

  test('refuses a label of two origins', async () => {
    const configured = [{ label: 'remote', folder: './docs' }];
    expect(await refusal(['skills'], { configured, added: [remote] })).toContain('skillwire origins remove remote');
    expect(await refusal(['remote=./x'], { added: [remote] })).toContain('choose another label');
    expect(await refusal(['remote=./x'], { configured })).toContain('choose another label');
    expect(await refusal(['team=./x', 'team=./y'])).toContain('named twice');
    expect(await refusal(['./x', './y/../x/'])).toContain('named twice');
  });

  test('resolves a short form to its repository, and reports the reading', async () => {
    const notes: string[] = [];
    const chosen: string[] = [];
    const context = {
      cwd: root,
      home: root,
      found: undefined,
      added: [],
      understood: (note: string) => notes.push(note),
    };
    const short = ['o/r', 'team=o/r/skills#v1', 'https://github.com/o/r/tree/main'];
    expect(await resolveReadingOrigins(short, {}, context)).toMatchObject([
      { label: 'git:https://github.com/o/r.git', location: { kind: 'git', repository: 'https://github.com/o/r.git' } },
      { label: 'team', location: { kind: 'git', ref: 'v1', path: 'skills' } },
      { label: 'git:https://github.com/o/r.git#main' },
    ]);
    expect(notes).toEqual([
      'o/r → git:https://github.com/o/r.git',
      'o/r/skills#v1 → git:https://github.com/o/r.git#v1:skills',
      'https://github.com/o/r/tree/main → git:https://github.com/o/r.git#main',
    ]);
    await expect(resolveReadingOrigins(['o/r@pdf'], {}, context)).rejects.toThrow('names one skill');
    await resolveReadingOrigins(['o/r@pdf'], {}, { ...context, chosen: (skill) => chosen.push(skill) });
    expect([chosen, notes.at(-1)]).toEqual([['pdf'], 'o/r@pdf → git:https://github.com/o/r.git, skill pdf']);
  });

  test('sends a secret to only one server', async () => {
    const options: OriginAccess = { tokenEnv: 'NEW', header: [{ name: 'a', variable: 'A' }], era: 'modern' };
    expect(await resolved(['remote', './x'], { added: [remote], options })).toMatchObject([
      { label: 'remote', tokenEnv: 'NEW', headers: [{ name: 'a', variable: 'A' }], era: 'modern' },
      { headers: [], era: 'auto' },
    ]);
    expect((await resolved(['remote', './x'], { added: [remote], options }))[1]).not.toHaveProperty('tokenEnv');
    const two = await refusal(['remote', 'mcp:https://other.example/mcp'], { added: [remote], options });
    expect(two).toContain('would send one secret to 2 servers');
    expect(await refusal(['remote', 'https://other.example'], { added: [remote], options })).toContain('to 2 servers');
    expect(await resolved(['https://e.com', './x'], { options })).toMatchObject([{ tokenEnv: 'NEW' }, { headers: [] }]);
    expect(await refusal(['./x'], { options })).toContain('has no effect');
    expect(await refusal(['stdio:x'], { options: { header: [] } })).toContain('--header has no effect');
    expect(await refusal(['./x'], { options: { passEnv: ['A'] } })).toContain('--pass-env has no effect');
    expect(await refusal(['stdio:x', 'stdio:y'], { options: { passEnv: ['A'] } })).toContain('one secret to 2 servers');
    expect(await resolved(['stdio:x'], { options: { passEnv: ['A'], assumeSkills: true } })).toMatchObject([
      { passEnv: ['A'], assumeSkills: true },
    ]);
  });

  test('applies a chosen dialect to servers only', async () => {
    const options: OriginAccess = { dialect: 'fastmcp', forbidDialect: ['skilljack'] };
    const [server, folder] = await resolved(['stdio:x', './x'], { options });
    expect(server).toMatchObject({ dialect: 'fastmcp', forbidDialects: ['skilljack'] });
    expect(folder).not.toHaveProperty('dialect');
    expect(await refusal(['https://e.com'], { options: { dialect: 'fastmcp' } })).toContain('--dialect has no effect');
    expect(await refusal(['./x'], { options: { forbidDialect: ['fastmcp'] } })).toContain(
      '--forbid-dialect has no effect',
    );
    const stored = { ...remote, dialect: 'nimblebrain', forbidDialects: ['fastmcp'] } as const;
    expect((await resolved(['remote'], { added: [stored] }))[0]).toMatchObject({ dialect: 'nimblebrain' });
    expect((await resolved(['remote'], { added: [stored], options }))[0]).toMatchObject({ dialect: 'fastmcp' });
  });

  test('stores the permission for plain HTTP with its origin', async () => {
    const plain: AddedOrigin = { ...remote, location: { kind: 'mcp', url: 'http://example.com/mcp' } };
    expect(await refusal(['remote'], { added: [plain] })).toContain('--insecure-http');
    expect(await resolved(['remote'], { added: [{ ...plain, insecureHttp: true }] })).toHaveLength(1);
    expect(await resolved(['remote'], { added: [plain], options: { insecureHttp: true } })).toHaveLength(1);
  });
});
