import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { countedAs, isForOwnPages, isPlain, liveSkillAt, routeOf, routes, takesSockets } from './routes.ts';

/** A path that only this row should match. */
function exampleOf(path: string): string {
  return path.replace(':id', 'some-id').replace('*', 'some/thing');
}

describe('the route table', () => {
  test.each(routes.map(({ path }) => path))('reaches the row of %s', (path) => {
    expect(routeOf(exampleOf(path))?.path).toBe(path);
  });

  test('has its rows in matching order', () => {
    const shadowed = routes.filter((route, index) =>
      routes
        .slice(0, index)
        .some(({ path, pattern }) =>
          pattern !== undefined || !path.endsWith('*') ? path === route.path : route.path.startsWith(path.slice(0, -1)),
        ),
    );
    expect(shadowed).toEqual([]);
  });

  test('matches exactly, or below', () => {
    for (const path of ['/mcp/', '/mcpx', '/.well-known/skills', '/.well-known/skillset/x', '/mdp', '/assets', '/x'])
      expect(routeOf(path), path).toBeUndefined();
    expect(routeOf('/api/searching')?.handler).toBe('data');
    expect(routeOf('/api/search')?.handler).toBe('search');
    expect(routeOf('/mdp/http-loop')?.who).toBe('reader');
  });

  test('marks the routes of the fast path', () => {
    for (const [method, target] of [
      ['POST', '/mcp'],
      ['GET', '/.well-known/agent-skills/x'],
      ['HEAD', '/.well-known/skills/index.json?x'],
      ['GET', '/api/search?q=x'],
    ] as const)
      expect(isPlain(method, target), `${method} ${target}`).toBe(true);
    for (const [method, target] of [
      ['GET', '/mcp'],
      ['POST', '/.well-known/skills/index.json'],
      ['GET', '/.well-known/skills'],
      ['GET', '/x/.well-known/skills/index.json'],
      ['POST', '/api/search'],
      ['GET', '/api/searching'],
      ['GET', '/api'],
    ] as const)
      expect(isPlain(method, target), `${method} ${target}`).toBe(false);
  });

  test.each(['mcp', '.well-known', 'api', 'mdp', 'healthz', 'readyz', 'metrics', 'assets', 'ui'])(
    'reserves "%s": such an id is reachable only below /skills/',
    (id) => {
      expect(liveSkillAt(`/${id}/skills/a`)).toBeUndefined();
      expect(liveSkillAt(`/skills/${id}/a`)).toMatchObject({ id, path: 'a' });
    },
  );

  test('accepts "skills" as an id only in the first form', () => {
    expect(liveSkillAt('/skills/skills/a')).toMatchObject({ id: 'skills', path: 'a' });
    expect(liveSkillAt('/skills//x/skills/a')).toBeUndefined();
  });

  test('counts by the first segment', () => {
    const counted = ['/mcp?x', '/.well-known/x', '/mdp/meta', '/skills/a/b', '/a/skills/b', '/', '/api'].map(countedAs);
    expect(counted).toEqual(['mcp', 'site', 'runtimes', 'runtimes', 'other', 'other', 'other']);
  });

  test('forbids pages of other ports the routes that show the server itself', () => {
    for (const path of [
      '/api',
      '/api/x',
      '/status',
      '/status/x/skills/y',
      '/metrics',
      '/mdp',
      '/mdp/meta',
      '/mdp/clients',
    ])
      expect(isForOwnPages(path), path).toBe(true);
    for (const path of ['/mcp', '/', '/apix', '/mdp/auth', '/mdp/http-loop/poll', '/.well-known/skills/index.json'])
      expect(isForOwnPages(path), path).toBe(false);
  });

  test('accepts runtimes on all paths without another route', () => {
    for (const path of ['/', '/mdp', '/mdp/', '/mdp/ws', '/mdp/metadata', '/x'])
      expect(takesSockets(path), path).toBe(true);
    for (const path of ['/mdp/meta', '/mdp/auth/x', '/mdp/http-loop', '/mdp/cluster', '/mdp/skills/', '/mdp/clients'])
      expect(takesSockets(path), path).toBe(false);
  });
});

/** The table, and paths that clients of other servers use too. */
const mayNamePaths = [
  'surfaces/routes.ts',
  'dialects/mdp/messages.ts',
  'dialects/well-known/index-places.ts',
  'serving/access/oidc/issuer-metadata.ts',
];

test('no other file names a path of the server', async () => {
  const source = join(import.meta.dirname, '..');
  const first = routes.map(({ path }) => path.split('/')[1] ?? '').filter((segment) => /^[.\w]/.test(segment));
  const segments = [...new Set(first)].map((segment) => segment.replace('.', '\\\\?\\.')).join('|');
  // As it begins in a string, or in a regular expression with its escapes.
  const named = new RegExp(`^\\^?\\\\?/(?:\\(\\?:)?(?:${segments})(?![\\w-])`);
  const found: string[] = [];
  for (const file of await readdir(source, { recursive: true })) {
    const path = file.replaceAll('\\', '/');
    // The servers of `testing/` stand in for other programs.
    if (!/(?<!\.test)\.ts$/.test(path) || path.startsWith('testing/') || mayNamePaths.includes(path)) continue;
    const text = readFileSync(join(source, file), 'utf8');
    if (!new RegExp(`/(?:\\(\\?:)?(?:${segments})(?![\\w-])`).test(text)) continue;
    const visit = (node: ts.Node): void => {
      let literal = '';
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) literal = node.text;
      if (ts.isRegularExpressionLiteral(node)) literal = node.text.slice(1);
      if (named.test(literal)) found.push(`${path}: ${literal}`);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  }
  expect(found).toEqual([]);
});
