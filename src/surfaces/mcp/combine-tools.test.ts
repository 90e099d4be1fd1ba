import { expect, test } from 'vitest';
import type { MethodCall } from './cache-fields.ts';
import { combineTools } from './combine-tools.ts';
import type { ServerTools } from './server-options.ts';

const call: MethodCall = { era: 'modern', context: {} };

function tools(names: readonly string[], hint: object = {}): ServerTools {
  return {
    list: () => ({ tools: names.map((name) => ({ name })), ...hint }),
    call: async ({ name }) => ({ content: [{ type: 'text', text: `${names[0]} did ${name}` }] }),
  };
}

test('combineTools() returns nothing for no parts, and a single part itself', () => {
  const part = tools(['a']);
  expect(combineTools([])).toBeUndefined();
  expect(combineTools([part])).toBe(part);
});

test('combineTools() lists all tools in order and calls the named one', async () => {
  const slow: ServerTools = { ...tools(['c']), names: ['c'], list: async () => ({ tools: [{ name: 'c' }] }) };
  const both = combineTools([tools(['a', 'b']), slow]);
  expect(await both?.list({}, call)).toEqual({ tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  expect(both?.names).toEqual(['a', 'b', 'c']);
  expect((await both?.call({ name: 'b' }, call))?.content).toEqual([{ type: 'text', text: 'a did b' }]);
  expect((await both?.call({ name: 'c' }, call))?.content).toEqual([{ type: 'text', text: 'c did c' }]);
  await expect(both?.call({ name: 'd' }, call)).rejects.toMatchObject({ code: 'USAGE' });
});

test('combineTools() uses the shortest TTL of its parts, and is private if one of them is', async () => {
  const both = combineTools([
    tools(['a'], { ttlMs: 60_000, cacheScope: 'public' }),
    tools(['b'], { ttlMs: 5, cacheScope: 'private' }),
  ]);
  expect(await both?.list({}, call)).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
});

test('combineTools() refuses two tools with one name, and a part without known names', () => {
  expect(() => combineTools([tools(['a']), tools(['a'])])).toThrow(TypeError);
  const nameless: ServerTools = { ...tools(['b']), list: async () => ({ tools: [] }) };
  expect(() => combineTools([tools(['a']), nameless])).toThrow(/has no "names"/);
});
