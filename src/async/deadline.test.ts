import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { withDeadline } from './deadline.ts';

const deadline = (signal: AbortSignal) => ({
  ms: 60_000,
  signal,
  late: () => new Error('late'),
  interrupted: (reason: unknown) => new Error(`interrupted: ${String(reason)}`),
});

const forever = (): Promise<never> => new Promise(() => {});

test('many calls share the signal of one caller without a leak warning, and all end with it', async () => {
  const warnings: string[] = [];
  const warned = ({ message }: Error): number => warnings.push(message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 30 }, () => withDeadline(deadline(signal), forever));
  const ends = Promise.allSettled(calls);
  // Warnings come with the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(signal, 'abort').length).toBeLessThan(10);
  expect(warnings).toEqual([]);
  controller.abort('enough');
  for (const end of await ends) expect(end).toMatchObject({ reason: { message: 'interrupted: enough' } });
});

test('a finished call leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  await withDeadline(deadline(signal), async () => 'done');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an aborted signal starts nothing', async () => {
  let started = false;
  const call = withDeadline(deadline(AbortSignal.abort('before')), async () => {
    started = true;
  });
  await expect(call).rejects.toThrow('interrupted: before');
  expect(started).toBe(false);
});
