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
  origin: 'mcp:https://example.com/mcp',
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
  test('are read as they were written, in the order of their labels', async () => {
    const store = memoryStore();
    const { state } = store;
    const { tokenEnv: _token, era: _era, dialect: _dialect, forbidDialects: _forbid, ...plain } = docs;
    const other: AddedOrigin = { ...plain, label: 'a', origin: 'https://example.com', siteFetch: 'lazy' };
    expect(await writeAddedOrigin(state, docs)).toBe(true);
    expect(await writeAddedOrigin(state, other)).toBe(true);
    expect(await readAddedOrigins(state)).toEqual([other, docs]);
    expect(await addedLabels(state)).toEqual(['a', 'docs']);
    expect(await deleteAddedOrigin(store, 'docs')).toBe(true);
    expect(await deleteAddedOrigin(store, 'docs')).toBe(false);
    expect(await readAddedOrigins(state)).toEqual([other]);
  });

  test('do not replace one another', async () => {
    const { state } = memoryStore();
    await writeAddedOrigin(state, docs);
    expect(await writeAddedOrigin(state, { ...docs, origin: 'stdio:x' })).toBe(false);
    expect(await readAddedOrigins(state)).toEqual([docs]);
  });

  test.each([['text'], [{}], [{ origin: 'x' }], [{ ...docs, token: 's3cret' }], [null]])(
    'that are %j in the state are an error with a remedy',
    async (value) => {
      const { state } = memoryStore();
      await state.set(['origin', 'docs'], JSON.parse(JSON.stringify(value)));
      await expect(readAddedOrigins(state)).rejects.toMatchObject({
        code: 'STATE_UNUSABLE',
        message: expect.stringContaining('skillwire origins remove docs'),
      });
      expect(await addedLabels(state)).toEqual(['docs']);
    },
  );
});
