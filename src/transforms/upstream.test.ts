import { expect, test } from 'vitest';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { upstream } from './upstream.ts';

const guarded = (source: SkillSource) =>
  upstream(source, { label: 'docs', kind: 'mcp', gateway: 'gateway', deadlineMs: 50 });

test('templates of an upstream that hangs end at the deadline', async () => {
  const source = guarded({ ...memorySource(), templates: () => new Promise(() => {}) });
  await expect(source.templates?.({})).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: 'the origin "docs" of this gateway does not answer now; try again later',
  });
  await source.close?.();
});

test('gives the templates of the upstream, and has nothing that it has not', async () => {
  const some = guarded({ ...memorySource(), templates: async () => [] });
  expect(await some.templates?.({})).toEqual([]);
  const none = guarded(memorySource());
  expect(none.templates).toBeUndefined();
  expect(none.readDirectory).toBeUndefined();
  await Promise.all([some.close?.(), none.close?.()]);
});
