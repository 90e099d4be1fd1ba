import { describe, expect, test } from 'vitest';
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { isLoopbackName } from './http-address.ts';
import { isArchiveName } from './kinds/folder.ts';
import type { OriginSpec } from './kinds.ts';
import { isLabel, parseConfiguredOrigin, parseOrigin, parseReadableOrigin, parseServedOrigin } from './parse-origin.ts';

const existing = ['skills', 'a=b', 'team=x/skills', 'clash', 'mcp:folder', 'named-too'];
const labels = ['docs', 'clash', 'named-too'];

function parse(argument: string): OriginSpec {
  return parseOrigin(argument, { exists: (path) => existing.includes(path), labels });
}

function parseReadable(argument: string, insecureHttp = false): OriginSpec {
  return parseReadableOrigin(argument, { exists: (path) => existing.includes(path), labels, insecureHttp });
}

function refusal(argument: string, by: (argument: string) => unknown = parse): { code: ErrorCode; message: string } {
  try {
    by(argument);
  } catch (error) {
    if (error instanceof SkillwireError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`"${argument}" was accepted`);
}

describe('parseOrigin()', () => {
  test.each([
    ['skills'],
    ['./missing'],
    ['../missing'],
    ['.'],
    ['/srv/skills'],
    ['~'],
    ['~/skills'],
    ['C:\\skills'],
    ['c:/skills'],
    ['D:'],
    ['\\\\server\\share'],
    ['./a=b'],
    ['C:\\a=b'],
  ])('reads %j as a folder without a label', (argument) => {
    expect(parse(argument)).toEqual({ folder: argument });
  });

  test('reads an existing path with "=" as a path', () => {
    expect(parse('a=b')).toEqual({ folder: 'a=b' });
    expect(parse('team=x/skills')).toEqual({ folder: 'team=x/skills' });
  });

  test.each([
    ['team=skills', 'team', 'skills'],
    ['team-a.v_2=./missing', 'team-a.v_2', './missing'],
    ['team=C:\\skills', 'team', 'C:\\skills'],
    ['team=c:/skills', 'team', 'c:/skills'],
    ['team=~/skills', 'team', '~/skills'],
    ['team=./a=b', 'team', './a=b'],
    ['team=a=b', 'team', 'a=b'],
  ])('reads the label of %j', (argument, label, folder) => {
    expect(parse(argument)).toEqual({ label, folder });
  });

  test('prefers a label to an existing path of that name', () => {
    expect(parse('docs')).toEqual({ configured: 'docs' });
    expect(parse('clash')).toEqual({ configured: 'clash' });
    expect(parse('./clash')).toEqual({ folder: './clash' });
    expect(refusal('team=clash')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('team=./clash') });
  });

  test('prefers an existing path to an untrusted label, and reports it', () => {
    const notes: string[] = [];
    const options = { labels, isAfterPath: () => true, understood: (note: string) => notes.push(note) };
    expect(parseOrigin('clash', { ...options, exists: () => true })).toEqual({ folder: 'clash' });
    expect(notes).toEqual([expect.stringContaining('is the folder ./clash')]);
    expect(parseOrigin('clash', { ...options, exists: () => false })).toEqual({ configured: 'clash' });
    expect(notes).toHaveLength(1);
  });

  test('prefers a known prefix to an existing path', () => {
    expect(refusal('mcp:folder').code).toBe('ORIGIN_UNSUPPORTED');
    expect(parse('./mcp:folder')).toEqual({ folder: './mcp:folder' });
  });

  test.each([
    ['mcp:https://example.com/mcp'],
    ['mcp:https://example.com/mcp?a=b'],
    ['stdio:node server.js --x=1'],
    ['https://example.com'],
    ['HTTPS://example.com'],
    ['http://127.0.0.1:8080/?a=b'],
    ['mdp:ws://127.0.0.1'],
    ['git:https://example.com/x.git#main'],
    ['agent:claude-code'],
    ['team=https://example.com'],
    ['team=git:https://example.com/x.git'],
  ])('refuses %j because only folders can be checked', (argument) => {
    const { code, message } = refusal(argument);
    expect(code).toBe('ORIGIN_UNSUPPORTED');
    expect(message).toContain('cannot be checked');
    expect(message).toContain('./skills');
  });

  test('refuses an unknown word and explains how to write a folder', () => {
    expect(refusal('skill')).toEqual({
      code: 'ORIGIN_NOT_FOUND',
      message: '"skill" is not a folder or a known origin. Check the spelling, or write ./skill for a folder.',
    });
    expect(refusal('team=skill')).toMatchObject({
      code: 'ORIGIN_NOT_FOUND',
      message: expect.stringContaining('./skill '),
    });
  });

  test.each([['Team=skills'], ['=skills'], ['-a=skills'], ['a-=skills'], ['a b=skills'], ['a/b=skills'], ['é=skills']])(
    'refuses the label of %j',
    (argument) => {
      expect(refusal(argument)).toMatchObject({ code: 'USAGE', message: expect.stringContaining('cannot be a label') });
    },
  );

  test('refuses a label without an origin, a second label, an empty text and a NUL character', () => {
    expect(refusal('team=')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('team=FOLDER') });
    expect(refusal('team=docs')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('second label') });
    expect(refusal('').code).toBe('USAGE');
    expect(refusal('./a\0b').code).toBe('USAGE');
  });
});

describe('parseReadableOrigin()', () => {
  test.each<[string, OriginSpec]>([
    ['./skills', { folder: './skills' }],
    ['team=skills', { folder: 'skills', label: 'team' }],
    ['docs', { configured: 'docs' }],
    ['mcp:https://Example.com/mcp', { url: 'https://example.com/mcp' }],
    ['MCP:HTTPS://example.com:443', { url: 'https://example.com/' }],
    ['mcp:https://example.com/mcp?a=b', { url: 'https://example.com/mcp?a=b' }],
    ['team=mcp:https://example.com/mcp?a=b', { url: 'https://example.com/mcp?a=b', label: 'team' }],
    ['mcp:http://127.0.0.1:4711/mcp', { url: 'http://127.0.0.1:4711/mcp' }],
    ['mcp:http://localhost/mcp', { url: 'http://localhost/mcp' }],
    ['mcp:http://[::1]:80/mcp', { url: 'http://[::1]/mcp' }],
    ['mcp:http://0x7f.1/mcp', { url: 'http://127.0.0.1/mcp' }],
    ["stdio:node 'my server.js' --x=1", { command: ['node', 'my server.js', '--x=1'] }],
    ['team=stdio:npx x', { command: ['npx', 'x'], label: 'team' }],
    ['https://Example.com', { site: 'https://example.com' }],
    ['HTTPS://example.com:443/', { site: 'https://example.com' }],
    ['https://example.com/docs//', { site: 'https://example.com/docs' }],
    [
      'https://example.com/.well-known/skills/index.json',
      { site: 'https://example.com/.well-known/skills/index.json' },
    ],
    ['team=https://example.com', { site: 'https://example.com', label: 'team' }],
    ['http://127.0.0.1:4711', { site: 'http://127.0.0.1:4711' }],
    ['./skills.zip', { folder: './skills.zip' }],
    ['mdp:ws://127.0.0.1:4711', { hub: 'ws://127.0.0.1:4711' }],
    ['MDP:WS://LocalHost:4711/', { hub: 'ws://localhost:4711' }],
    ['mdp:http://127.0.0.1:4711', { hub: 'ws://127.0.0.1:4711' }],
    ['tab=mdp:wss://hub.example.com', { hub: 'wss://hub.example.com', label: 'tab' }],
    ['mdp:stdio:node server.js --port 1', { hubCommand: ['node', 'server.js', '--port', '1'] }],
  ])('reads %j', (argument, spec) => {
    expect(parseReadable(argument)).toEqual(spec);
  });

  test.each<[string, OriginSpec]>([
    ['git:https://Example.com/x.git', { repository: 'https://example.com/x.git' }],
    [
      'team=git:https://example.com/x.git#v1.2',
      { repository: 'https://example.com/x.git', ref: 'v1.2', label: 'team' },
    ],
    ['git:git@example.com:acme/skills.git#main', { repository: 'git@example.com:acme/skills.git', ref: 'main' }],
    ['git:ssh://git@example.com/x.git', { repository: 'ssh://git@example.com/x.git' }],
    ['git:../repository#feature/a', { repository: '../repository', ref: 'feature/a' }],
    ['git:http://127.0.0.1:9/x.git', { repository: 'http://127.0.0.1:9/x.git' }],
    ['git:../r#v1:skills/pdf', { repository: '../r', ref: 'v1', path: 'skills/pdf' }],
    ['git:../r#:skills', { repository: '../r', path: 'skills' }],
    ['agent:claude-code', { agent: 'claude-code' }],
    ['mine=agent:codex', { agent: 'codex', label: 'mine' }],
  ])('reads %j', (argument, spec) => {
    expect(parseReadable(argument)).toEqual(spec);
  });

  test.each([
    ['git:', 'names no repository'],
    ['git:--upload-pack=evil', 'names no repository'],
    ['git:ext::sh -c evil', 'space'],
    ['git:ext::evil', 'run commands'],
    ['git:nothing', 'neither an address nor a path'],
    ['git:ftp://example.com/x', '"ftp:" is not supported'],
    ['git:https://me:secret@example.com/x.git', 'password'],
    ['git:http://example.com/x.git', 'read and changed on the way'],
    ['git:./x#--evil', 'not a branch'],
    ['git:./x#a..b', 'not a branch'],
    ['git:./x#', 'not a branch'],
    ['git:./x#main:', 'no folder inside'],
    ['git:./x#main:../y', 'no folder inside'],
    ['git:./x#main:a//b', 'no folder inside'],
    ['git:./x#main:/etc', 'no folder inside'],
    ['agent:', 'not an agent'],
    ['agent:../x', 'not an agent'],
  ])('refuses %j', (argument, said) => {
    const { code, message } = refusal(argument, parseReadable);
    expect(code).toBe('USAGE');
    expect(message).toContain(said);
    expect(message).not.toContain('secret');
  });

  test.each([
    ['mcp:', 'not an address'],
    ['mcp:example.com/mcp', 'is not an address'],
    ['mcp:ftp://example.com', '"ftp:" is not HTTP'],
    ['mcp:file:///etc/passwd', '"file:" is not HTTP'],
    ['mcp:https://example.com/#x', 'no fragment'],
    ['https://', 'not an address'],
    ['https://example.com/#x', 'no fragment'],
    ['https://example.com/?token=s3cret', 'no query'],
    ['stdio:', 'names no program'],
    ['mdp:', 'not the address of a hub'],
    ['mdp:ftp://x', 'not the address of a hub'],
    ['mdp:ws://127.0.0.1/skills', 'a host and a port alone'],
    ['mdp:ws://user:secret@127.0.0.1', 'mdp:ws://***@127.0.0.1'],
    ['mdp:ws://hub.example.com', 'Use wss:, or add --insecure-http'],
    ['mdp:stdio:', 'names no program'],
    ['stdio:a | b', 'no shell'],
  ])('refuses %j', (argument, said) => {
    expect(refusal(argument, parseReadable)).toMatchObject({ code: 'USAGE', message: expect.stringContaining(said) });
  });

  test('refuses plain HTTP to another machine without permission', () => {
    for (const host of ['example.com', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '[::2]'])
      expect(refusal(`mcp:http://${host}/mcp`, parseReadable)).toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('--insecure-http'),
      });
    expect(parseReadable('mcp:http://example.com/mcp', true)).toEqual({ url: 'http://example.com/mcp' });
    expect(refusal('http://example.com', parseReadable).message).toContain('--insecure-http');
    expect(parseReadable('http://example.com', true)).toEqual({ site: 'http://example.com' });
  });

  test.each(['mcp:https://ada:s3cret@example.com/mcp', 'https://ada:s3cret@example.com'])(
    'refuses a user and a password in the address, without repeating them',
    (argument) => {
      const { code, message } = refusal(argument, parseReadable);
      expect(code).toBe('USAGE');
      expect(message).toContain('--token-env');
      expect(message).not.toMatch(/s3cret|ada/);
    },
  );

  test('does not repeat a query, which may contain a secret', () => {
    expect(refusal('https://example.com/?token=s3cret', parseReadable).message).not.toContain('s3cret');
  });

  test('names the added origins if a label is unknown', () => {
    expect(refusal('skill', parseReadable).message).toContain('skillwire origins list');
  });
});

describe('parseServedOrigin()', () => {
  const served = (argument: string): OriginSpec => parseServedOrigin(argument, { exists: () => false, labels });

  test('accepts readable origins, and knows only labels of the configuration', () => {
    expect(served('docs')).toEqual({ configured: 'docs' });
    expect(served('site=https://example.com')).toEqual({ site: 'https://example.com', label: 'site' });
    expect(served('mcp:https://example.com/mcp')).toEqual({ url: 'https://example.com/mcp' });
    expect(refusal('skill', served).message).not.toContain('origins list');
  });
});

describe('isArchiveName()', () => {
  test('knows the extensions of archives', () => {
    for (const path of ['a.zip', '/x/a.tar.gz', 'a.TGZ', './pdf.skill']) expect(isArchiveName(path), path).toBe(true);
    for (const path of ['a.tar', 'zip', 'a.gz', 'a.zip/x', 'skill']) expect(isArchiveName(path), path).toBe(false);
  });
});

describe('isLoopbackName()', () => {
  test('knows the names of this machine', () => {
    for (const name of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) expect(isLoopbackName(name), name).toBe(true);
    for (const name of ['example.com', '127.0.0.1.example.com', 'notlocalhost', 'a.localhost', '[::]', '0.0.0.0', ''])
      expect(isLoopbackName(name), name).toBe(false);
  });
});

describe('isLabel()', () => {
  test('accepts up to 64 characters', () => {
    expect(isLabel('a'.repeat(64))).toBe(true);
    expect(isLabel('a'.repeat(65))).toBe(false);
    expect(isLabel('7')).toBe(true);
    expect(isLabel('')).toBe(false);
    expect(isLabel('a\n')).toBe(false);
  });
});

describe('parseConfiguredOrigin()', () => {
  test.each([
    ['https://github.com/acme/skills', 'git:https://github.com/acme/skills.git'],
    ['https://gitlab.com/group/skills/-/tree/main/docs', 'git:https://gitlab.com/group/skills.git'],
    ['github:acme/skills', 'git:https://github.com/acme/skills.git'],
    ['git@example.com:acme/skills.git', 'git:git@example.com:acme/skills.git'],
  ])('refuses %s, and says how to write it', (text, written) => {
    expect(() => parseConfiguredOrigin(text, {})).toThrow(`is a Git repository. Write "${written}"`);
    expect(parseConfiguredOrigin(written, {})).toEqual({ repository: written.slice('git:'.length) });
  });

  test.each(['team/skills', './team/skills', 'acme/skills'])('reads %s as a folder', (text) => {
    expect(parseConfiguredOrigin(text, {})).toEqual({ folder: text });
  });
});
