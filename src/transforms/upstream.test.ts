import { expect, test } from 'vitest';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { upstream } from './upstream.ts';

const guarded = (source: SkillSource) =>
  upstream(source, { label: 'docs', kind: 'mcp', gateway: 'gateway', deadlineMs: 50 });

test('a request for templates of an upstream that hangs ends at the deadline', async () => {
  const source = guarded({ ...memorySource(), templates: () => new Promise(() => {}) });
  await expect(source.templates?.({})).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: 'The origin "docs" of this gateway is not answering. Try again later.',
  });
  await source.close?.();
});

test('has templates only if the upstream has', async () => {
  const some = guarded({ ...memorySource(), templates: async () => [] });
  expect(await some.templates?.({})).toEqual([]);
  const none = guarded(memorySource());
  expect(none.templates).toBeUndefined();
  expect(none.readDirectory).toBeUndefined();
  await Promise.all([some.close?.(), none.close?.()]);
});
