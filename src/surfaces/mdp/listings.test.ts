import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import type { RuntimeClient } from '../../runtimes/runtime-registry.ts';
import { listClients, listPaths, pathDepth } from './listings.ts';

function client(serial: number, paths: RuntimeClient['paths'] = []): RuntimeClient {
  const at = new Date(0);
  const connection = { mode: 'ws', secure: false, authSource: 'none' } as const;
  return { id: `c${serial}`, name: `Name ${serial}`, serial, paths, connectedAt: at, lastSeenAt: at, connection };
}

test.each([
  ['/skill.md', 1],
  ['/a/skill.md', 1],
  ['/a/b/skill.md', 1],
  ['/a/b/c/skill.md', 2],
  ['/a/b/c/d/skill.md', 3],
])('pathDepth() of %s is %i', (path, depth) => {
  expect(pathDepth(path)).toBe(depth);
});

describe('pages', () => {
  const many = Array.from({ length: limits.runtimes.listed + 10 }, (_, index) => client(index + 1));

  test('continue where they ended, also while runtimes connect and leave', () => {
    const first = listClients(many);
    expect(first.rows).toHaveLength(limits.runtimes.listed);
    const later = [...many.slice(150, 199), ...many.slice(203), client(1_000)];
    const second = listClients(later, { cursor: first.nextCursor });
    expect(second.rows.map(({ id }) => id)).toEqual([...many.slice(203).map(({ id }) => id), 'c1000']);
    expect(second.nextCursor).toBeUndefined();
  });

  test.each(['', 'x', '1', '1.', '1.x', '-1.0', '1.2.3', '9'.repeat(30)])('refuse the cursor "%s"', (cursor) => {
    expect(() => listClients(many, { cursor })).toThrow('This server did not issue the cursor');
  });
});

describe('search', () => {
  const clients = [
    { ...client(1), metadata: { project: 'Needle' } },
    client(2, [{ type: 'endpoint', path: '/x', method: 'POST', inputSchema: { needle: 1 } }]),
    client(3, [{ type: 'skill', path: '/needle/skill.md' }]),
    client(4, [{ type: 'prompt', path: '/prompt.md', outputSchema: { title: 'NEEDLE' } }]),
    client(5, [{ type: 'skill', path: '/a/skill.md', contentType: 'text/plain' }]),
  ];

  test('finds clients by all their fields', () => {
    expect(listClients(clients, { search: ' needle ' }).rows.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3', 'c4']);
    expect(listClients(clients, { search: 'NAME 5' }).rows.map(({ id }) => id)).toEqual(['c5']);
    expect(listClients(clients, { search: '  ' }).rows).toHaveLength(5);
  });

  test('finds paths at any depth', () => {
    expect(listPaths(clients, { search: 'needle' }).rows.map(({ clientId }) => clientId)).toEqual(['c2', 'c3', 'c4']);
    expect(listPaths(clients, { search: 'c5' }).rows).toHaveLength(1);
    const deep = [client(1, [{ type: 'skill', path: '/a/b/c/d/needle/skill.md' }])];
    expect(listPaths(deep).rows).toEqual([]);
    expect(listPaths(deep, { search: 'needle' }).rows).toHaveLength(1);
    expect(listPaths(deep, { search: 'needle', depth: 2 }).rows).toEqual([]);
  });
});

test('a listed client has the fields of the reference, and of ours only the last call', () => {
  const [row] = listClients([{ ...client(1), lastCallAt: new Date(1) }]).rows;
  expect(row).toEqual({
    id: 'c1',
    name: 'Name 1',
    paths: [],
    status: 'online',
    connectedAt: '1970-01-01T00:00:00.000Z',
    lastSeenAt: '1970-01-01T00:00:00.000Z',
    lastCallAt: '1970-01-01T00:00:00.001Z',
    connection: { mode: 'ws', secure: false, authSource: 'none' },
  });
});
