import { describe, expect, test } from 'vitest';
import { locationText, type OriginLocation, sameLocation } from './kinds.ts';
import { readLocation, resolveLocation } from './location.ts';

const places: readonly (readonly [OriginLocation, string])[] = [
  [{ kind: 'folder', path: './skills' }, './skills'],
  [{ kind: 'folder', path: '/srv/skills', nested: false }, '/srv/skills'],
  [{ kind: 'archive', path: './skills.tar.gz' }, './skills.tar.gz'],
  [{ kind: 'site', url: 'https://example.com' }, 'https://example.com'],
  [{ kind: 'site', url: 'http://example.com' }, 'http://example.com'],
  [{ kind: 'mcp', url: 'https://example.com/mcp' }, 'mcp:https://example.com/mcp'],
  [{ kind: 'stdio', command: ['node', 'my server.js'] }, "stdio:node 'my server.js'"],
  [{ kind: 'mdp', hub: 'ws://127.0.0.1:4711' }, 'mdp:ws://127.0.0.1:4711'],
  [{ kind: 'mdp-stdio', hubCommand: ['hub'] }, 'mdp:stdio:hub'],
  [{ kind: 'git', repository: 'https://example.com/a.git' }, 'git:https://example.com/a.git'],
  [{ kind: 'git', repository: './vendored', ref: 'main' }, 'git:./vendored#main'],
  [{ kind: 'agent', agent: 'claude-code' }, 'agent:claude-code'],
];

describe('readLocation()', () => {
  test.each(places)('reads %j', (location, text) => {
    expect(readLocation(JSON.parse(JSON.stringify(location)))).toEqual(location);
    expect(locationText(location)).toBe(text);
  });

  test('keeps only fields of the kind', () => {
    expect(readLocation({ kind: 'site', url: 'https://example.com', command: ['sh'], path: '/' })).toEqual({
      kind: 'site',
      url: 'https://example.com',
    });
  });

  test.each([
    [null, 'not an object'],
    ['stdio:sh -c id', 'not an object'],
    [['stdio'], 'not an object'],
    [{}, '"kind"'],
    [{ kind: 'program', command: ['sh'] }, '"kind"'],
    [{ kind: '__proto__' }, '"kind"'],
    [{ kind: 'toString' }, '"kind"'],
    [{ kind: 'folder' }, '"path"'],
    [{ kind: 'folder', path: '' }, '"path"'],
    [{ kind: 'folder', path: 'a\0b' }, 'NUL'],
    [{ kind: 'folder', path: '.', nested: 'no' }, '"nested"'],
    [{ kind: 'folder', path: 'x'.repeat(5000) }, '"path"'],
    [{ kind: 'site', url: 'stdio:sh -c id' }, 'not HTTP'],
    [{ kind: 'site', url: 'file:///etc/passwd' }, 'not HTTP'],
    [{ kind: 'site', url: 'https://user:pass@example.com' }, 'password'],
    [{ kind: 'site', url: 'https://example.com?a=b' }, 'query'],
    [{ kind: 'mcp', url: 'not an address' }, 'not an address'],
    [{ kind: 'mcp', url: 7 }, '"url"'],
    [{ kind: 'stdio', command: 'sh -c id' }, '"command"'],
    [{ kind: 'stdio', command: [] }, '"command"'],
    [{ kind: 'stdio', command: [''] }, '"command"'],
    [{ kind: 'stdio', command: ['sh', 3] }, '"command"'],
    [{ kind: 'stdio', command: ['sh', 'a\0b'] }, '"command"'],
    [{ kind: 'mdp', hub: 'stdio:sh' }, 'not the address of a hub'],
    [{ kind: 'mdp', hub: 'ws://host/path' }, 'a host and a port alone'],
    [{ kind: 'mdp-stdio', hubCommand: [] }, '"hubCommand"'],
    [{ kind: 'git', repository: 'ext::sh -c id' }, 'space'],
    [{ kind: 'git', repository: 'ext::id' }, 'run commands'],
    [{ kind: 'git', repository: '--upload-pack=id' }, 'no repository'],
    [{ kind: 'git', repository: 'https://example.com/a.git', ref: '--output=x' }, 'not a branch'],
    [{ kind: 'agent', agent: '../x' }, 'not an agent'],
  ])('refuses %j', (value, fault) => {
    expect(readLocation(value)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

describe('resolvedPlace()', () => {
  test('resolves only paths', () => {
    const resolve = (path: string): string => `/root/${path}`;
    for (const [location] of places) {
      const moved = resolveLocation(location, resolve);
      const isPath = 'path' in location || (location.kind === 'git' && location.repository.startsWith('.'));
      expect(locationText(moved).includes('/root/')).toBe(isPath);
    }
  });
});

describe('sameLocation()', () => {
  test('compares every pair', () => {
    for (const [a] of places) for (const [b] of places) expect(sameLocation(a, b)).toBe(a === b);
    expect(sameLocation({ kind: 'folder', path: '/a', nested: true }, { kind: 'folder', path: '/a' })).toBe(true);
    // These have the same text.
    expect(sameLocation({ kind: 'folder', path: '/a.zip' }, { kind: 'archive', path: '/a.zip' })).toBe(false);
  });
});
