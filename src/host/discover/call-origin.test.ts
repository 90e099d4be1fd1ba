import { expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { callOrigin } from './call-origin.ts';

const call = { action: 'list', label: 'docs', timeoutMs: 5_000 };
const never = (): Promise<never> => new Promise(() => undefined);

test('callOrigin() returns the answer, and passes on errors with a code', async () => {
  expect(await callOrigin(call, async () => 1)).toBe(1);
  const error = new SkillwireError('UNREACHABLE', 'no route');
  await expect(callOrigin(call, () => Promise.reject(error))).rejects.toBe(error);
});

test('callOrigin() abandons a call that ignores its signal, and aborts one that does not', async () => {
  let aborted = false;
  const hanging = callOrigin({ ...call, timeoutMs: 5 }, (signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return never();
  });
  await expect(hanging).rejects.toMatchObject({ code: 'TIMED_OUT', data: { label: 'docs', timeoutMs: 5 } });
  expect(aborted).toBe(true);
});

test('callOrigin() stops when the caller aborts, also before the call', async () => {
  const controller = new AbortController();
  const hanging = callOrigin({ ...call, signal: controller.signal }, never);
  controller.abort();
  await expect(hanging).rejects.toMatchObject({ code: 'INTERRUPTED' });
  let began = false;
  const late = callOrigin({ ...call, signal: controller.signal }, async () => {
    began = true;
  });
  await expect(late).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(began).toBe(false);
});

test('callOrigin() names the origin if it throws any other error', async () => {
  const failing = callOrigin(call, () => Promise.reject(new TypeError('boom')));
  await expect(failing).rejects.toMatchObject({ code: 'ORIGIN_FAILED', data: { label: 'docs' } });
  await expect(failing).rejects.toThrow(/"docs" failed: "boom"/);
});
