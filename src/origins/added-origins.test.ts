import { describe, expect, test } from 'vitest';
import { memoryStore } from '../store/memory-store.ts';
import {
  type AddedOrigin,
  addedLabels,
  deleteAddedOrigin,
  readAddedOrigins,
  writeAddedOrigin,
} from './added-origins.ts';

const docs: AddedOrigin = {
  label: 'docs',
  location: { kind: 'mcp', url: 'https://example.com/mcp' },
  headers: [{ name: 'X-Key', variable: 'K' }],
  passEnv: [],
  tokenEnv: 'T',
  insecureHttp: false,
  assumeSkills: true,
  era: 'modern',
  dialect: 'fastmcp',
  forbidDialects: ['resource-list'],
  addedAt: '2026-11-15T00:00:00.000Z',
};

describe('added origins', () => {
  test('are read as written, in the order of their labels', async () => {
    const store = memoryStore();
    const { state } = store;
    const { tokenEnv: _token, era: _era, dialect: _dialect, forbidDialects: _forbid, ...plain } = docs;
    const other: AddedOrigin = {
      ...plain,
      label: 'a',
      location: { kind: 'site', url: 'https://example.com' },
      siteFetch: 'lazy',
    };
    expect(await writeAddedOrigin(state, docs)).toBe(true);
    expect(await writeAddedOrigin(state, other)).toBe(true);
    expect(await readAddedOrigins(state)).toEqual([other, docs]);
    expect(await addedLabels(state)).toEqual(['a', 'docs']);
    expect(await deleteAddedOrigin(store, 'docs')).toBe(true);
    expect(await deleteAddedOrigin(store, 'docs')).toBe(false);
    expect(await readAddedOrigins(state)).toEqual([other]);
  });

  test('do not replace each other', async () => {
    const { state } = memoryStore();
    await writeAddedOrigin(state, docs);
    expect(await writeAddedOrigin(state, { ...docs, location: { kind: 'stdio', command: ['x'] } })).toBe(false);
    expect(await readAddedOrigins(state)).toEqual([docs]);
  });

  test('of older records, which have a text, are read as the same locations', async () => {
    const { state } = memoryStore();
    const { label, location: _, ...rest } = docs;
    const texts: readonly (readonly [string, AddedOrigin['location']])[] = [
      ['mcp:https://example.com/mcp', docs.location],
      ['https://example.com', { kind: 'site', url: 'https://example.com' }],
      ['mcp:http://wiki.corp/mcp', { kind: 'mcp', url: 'http://wiki.corp/mcp' }],
      ['stdio:node "a b.js"', { kind: 'stdio', command: ['node', 'a b.js'] }],
      ['mdp:stdio:hub x', { kind: 'mdp-stdio', hubCommand: ['hub', 'x'] }],
      ['git:/srv/skills#main', { kind: 'git', repository: '/srv/skills', ref: 'main' }],
      ['/srv/skills', { kind: 'folder', path: '/srv/skills' }],
      ['/srv/skills.zip', { kind: 'archive', path: '/srv/skills.zip' }],
      ['agent:codex', { kind: 'agent', agent: 'codex' }],
    ];
    for (const [origin, location] of texts) {
      await state.set(['origin', label], JSON.parse(JSON.stringify({ ...rest, origin })));
      expect(await readAddedOrigins(state)).toEqual([{ ...docs, location }]);
    }
  });

  const { label: _label, location: _place, ...unplaced } = docs;
  test.each([
    ['text'],
    [{}],
    [{ origin: 'x' }],
    [{ ...unplaced, place: docs.location, token: 's3cret' }],
    [unplaced],
    [{ ...unplaced, place: docs.location, origin: 'stdio:x' }],
    [{ ...unplaced, place: { kind: 'site', url: 'stdio:x' } }],
    [{ ...unplaced, place: { kind: 'surprise' } }],
    [{ ...unplaced, origin: 'mcp:x' }],
    [null],
  ])('that are %j in the state are an error with a remedy', async (value) => {
    const { state } = memoryStore();
    await state.set(['origin', 'docs'], JSON.parse(JSON.stringify(value)));
    await expect(readAddedOrigins(state)).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('skillwire origins remove docs'),
    });
    expect(await addedLabels(state)).toEqual(['docs']);
  });
});
