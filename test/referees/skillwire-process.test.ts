import { describe, expect, test } from 'vitest';
import { startSkillwire } from './skillwire-process.ts';

describe('startSkillwire()', { timeout: 120_000 }, () => {
  test('fails with the output of the program if it exits before it listens', async () => {
    const started = startSkillwire(['no-such-command']);
    await expect(started).rejects.toThrow(/ended before it was listening[\s\S]*"no-such-command"[\s\S]*stderr: [^(]/);
  });
});
