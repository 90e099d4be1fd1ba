import { expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { unlessAborted } from './unless-aborted.ts';

const never = new Promise<never>(() => undefined);

test('unlessAborted() returns the result or throws the failure of the work', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
  expect(await unlessAborted(Promise.resolve(2), signal, 'count')).toBe(2);
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

test('unlessAborted() stops waiting when the signal aborts, before or during the wait', async () => {
  const stop = new AbortController();
  const waiting = unlessAborted(never, stop.signal, 'count');
  const reason = new Error('enough');
  stop.abort(reason);
  const message = 'cannot count: the caller canceled it';
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED', message, cause: reason });
  await expect(unlessAborted(never, stop.signal, 'count')).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await expect(unlessAborted(never, stop.signal)).rejects.toBe(reason);
});

test('unlessAborted() keeps a reason that is a SkillwireError', async () => {
  const late = new SkillwireError('TIMED_OUT', 'too late');
  await expect(unlessAborted(never, AbortSignal.abort(late), 'count')).rejects.toBe(late);
});

test('many waits on one signal leave no listeners behind', async () => {
  const warned: Error[] = [];
  const onWarning = (warning: Error): number => warned.push(warning);
  process.on('warning', onWarning);
  const { signal } = new AbortController();
  const work = Promise.resolve(1);
  await Promise.all(Array.from({ length: 50 }, () => unlessAborted(work, signal)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warned).toEqual([]);
});
