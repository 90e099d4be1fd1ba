import { describe, expect, test } from 'vitest';
import type { SkillSource } from '../sources/skill-source.ts';
import { createCallGuard } from './call-guard.ts';
import { guardedExtras } from './guarded-extras.ts';

const forever = (): Promise<never> => new Promise(() => {});

const plain: SkillSource = {
  name: 'plain',
  async *list() {},
  get: async () => undefined,
  open: async () => undefined,
};

const guard = () => createCallGuard({ label: 'docs', deadlineMs: 50, concurrency: 2 });

describe('guardedExtras()', () => {
  test.each(['templates', 'readDirectory'] as const)(
    '%s of an upstream that hangs ends at the deadline',
    async (call) => {
      const source: SkillSource = { ...plain, templates: forever, readDirectory: forever };
      const extras = guardedExtras(source, guard(), 'docs');
      const asked = call === 'templates' ? extras.templates?.({}) : extras.readDirectory?.('skill://a', {});
      await expect(asked).rejects.toMatchObject({
        code: 'TIMED_OUT',
        message: 'the origin "docs" of this gateway does not answer now; try again later',
      });
    },
  );

  test('gives what the upstream answers, and has nothing that it has not', async () => {
    const source: SkillSource = { ...plain, templates: async () => [] };
    const extras = guardedExtras(source, guard(), 'docs');
    expect(await extras.templates?.({})).toEqual([]);
    expect(extras.readDirectory).toBeUndefined();
  });
});
