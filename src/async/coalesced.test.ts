import { describe, expect, test } from 'vitest';
import { coalesced } from './shared-work.ts';

function gated() {
  const gates: (() => void)[] = [];
  let runs = 0;
  const work = async (): Promise<number> => {
    const run = ++runs;
    await new Promise<void>((open) => gates.push(open));
    return run;
  };
  return { work, open: () => gates.shift()?.() };
}

describe('coalesced work', () => {
  test('runs once for all calls that arrive before it starts', async () => {
    const { work, open } = gated();
    const ask = coalesced(work);
    const [first, second, third] = [ask(), ask(), ask()];
    open();
    expect(await first).toBe(1);
    await Promise.resolve();
    open();
    expect(await Promise.all([second, third])).toEqual([2, 2]);
    const later = ask();
    open();
    expect(await later).toBe(3);
  });

  test('runs again after a failure', async () => {
    let fails = true;
    const ask = coalesced(async () => {
      if (fails) throw new Error('no');
      return 1;
    });
    const [first, second] = [ask(), ask()];
    await expect(first).rejects.toThrow('no');
    await expect(second).rejects.toThrow('no');
    fails = false;
    expect(await ask()).toBe(1);
  });
});
