import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { placeOfFailure } from './verify-places.ts';

const server = { origin: 'mcp:http://127.0.0.1:80/mcp', cwd: '/work' };

describe('placeOfFailure()', () => {
  test.each([
    ['skill://acme/docs/glossary/SKILL.md', 'acme/docs/glossary/SKILL.md'],
    ['skill://caf%C3%A9/a%20b.md', 'caf%C3%A9/a%20b.md'],
    ['skill://größen/x.md', 'gr%C3%B6%C3%9Fen/x.md'],
    ['github://me/x/SKILL.md?ref=1#top', 'me/x/SKILL.md'],
    ['file:///etc/passwd', 'etc/passwd'],
    ['skill://a/../../b/./SKILL.md', 'a/b/SKILL.md'],
    ['skill://a/%2e%2e/%2Fetc/SKILL.md', 'a/SKILL.md'],
    ['skill://a/100%/SKILL.md', 'a/100%25/SKILL.md'],
    ['(no URI)', '(no%20URI)'],
    ['', '.'],
    ['skill://\ud800x/SKILL.md', '%EF%BF%BDx/SKILL.md'],
  ])('puts %j of a server at a path without a scheme', (uri, path) => {
    expect(placeOfFailure(uri, server)).toEqual({ uri: path, uriBaseId: '%SRCROOT%' });
  });

  test('puts what concerns a server as a whole at its address', () => {
    expect(placeOfFailure(undefined, server)).toEqual({ uri: '127.0.0.1%3A80/mcp', uriBaseId: '%SRCROOT%' });
  });

  test('puts what is in a folder at the file, from the working folder or absolute', () => {
    const place = { origin: '/work/skills', folder: '/work/skills', cwd: '/work' };
    expect(placeOfFailure('skill://a%20b/SKILL.md', place)).toEqual({
      uri: 'skills/a%20b/SKILL.md',
      uriBaseId: '%SRCROOT%',
    });
    expect(placeOfFailure(undefined, place)).toEqual({ uri: 'skills', uriBaseId: '%SRCROOT%' });
    expect(placeOfFailure('skill://a/SKILL.md', { ...place, cwd: '/elsewhere' })).toEqual({
      uri: pathToFileURL('/work/skills/a/SKILL.md').href,
    });
  });
});
