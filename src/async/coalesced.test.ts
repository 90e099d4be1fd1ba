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

  // A call while one run ends and the next one begins must not start a third beside it.
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'never runs beside itself, called %i turns after a run ended',
    async (turns) => {
      let [active, most] = [0, 0];
      const ended: (() => void)[] = [];
      const ask = coalesced(async () => {
        most = Math.max(most, ++active);
        await new Promise<void>((end) => ended.push(end));
        active--;
      });
      const calls = [ask(), ask()];
      ended[0]?.();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      calls.push(ask());
      for (let run = 1; run < 3; run++) {
        await new Promise((done) => setImmediate(done));
        ended[run]?.();
      }
      await Promise.all(calls);
      expect(most).toBe(1);
    },
  );

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
