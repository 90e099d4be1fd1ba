import { expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
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

test.each([
  ['after a good listing', false, 0, 60_000],
  ['after a good listing', false, 1, 54_000],
  ['after a failure', true, 0, 1_000],
  ['after a failure', true, 1, 1_100],
])(
  '%s (fails: %s), several gateways with different numbers (%d) ask after different times',
  async (_, fails, number, ms) => {
    const source: SkillSource = {
      ...memorySource(),
      watched: false,
      async *list() {
        if (fails) throw new SkillwireError('UNREACHABLE', 'gone');
        yield { skills: [], findings: [] };
      },
    };
    const now = () => 1_000_000;
    const own = upstream(source, {
      label: 'docs',
      kind: 'mcp',
      gateway: 'gateway',
      ttlMs: 60_000,
      retryMs: 1_000,
      now,
      random: () => number,
    });
    for await (const page of own.list({})) expect(page.skills).toEqual([]);
    await expect.poll(() => own.report().nextAt).toBe(new Date(now() + ms).toISOString());
    await own.close?.();
  },
);
