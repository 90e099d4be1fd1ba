import { expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createGuardedStreams, type GuardedStreamsOptions } from './guarded-streams.ts';

function stream(): { answer: Response; write(text: string): void; ended(): boolean } {
  let ended = false;
  let own: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
    },
    cancel() {
      ended = true;
    },
  });
  return {
    answer: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    write: (text) => own?.enqueue(new TextEncoder().encode(text)),
    ended: () => ended,
  };
}

function guarded(more: Partial<GuardedStreamsOptions> = {}) {
  const errors: string[] = [];
  const state = { revision: '1', looks: 0, isValid: true };
  const streams = createGuardedStreams({
    revision: async () => state.revision,
    onerror: ({ message }) => errors.push(message),
    pollMs: 5,
    ...more,
  });
  const isValid = async (): Promise<boolean> => {
    state.looks++;
    return state.isValid;
  };
  return { streams, state, errors, isValid };
}

test('a stream ends when its token becomes invalid, and its owner is notified', async () => {
  const { streams, state, isValid } = guarded();
  const one = stream();
  const reader = streams.guard(one.answer, { isValid }).body?.getReader();
  one.write('hello');
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('hello');
  await eventually(() => expect(state.looks).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(state.looks).toBe(1);
  const last = reader?.read();
  state.isValid = false;
  state.revision = '2';
  expect(await last).toEqual({ done: true, value: undefined });
  await eventually(() => expect(one.ended()).toBe(true));
  expect(streams.size).toBe(0);
});

test('a token that is revoked while its stream opens ends the stream, too', async () => {
  const { streams, state, isValid } = guarded();
  const first = stream();
  streams.guard(first.answer, { isValid });
  await eventually(() => expect(state.looks).toBe(1));
  state.isValid = false;
  const second = stream();
  streams.guard(second.answer, { isValid });
  await eventually(() => expect(second.ended()).toBe(true));
  expect(first.ended()).toBe(false);
});

test('a stream ends when its token expires, even if no change is reported', async () => {
  let clock = 1_000_000;
  const { streams, isValid } = guarded({ revision: undefined, now: () => clock });
  const one = stream();
  streams.guard(one.answer, { isValid, expiresAt: 1_001 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(one.ended()).toBe(false);
  clock = 1_001_000;
  await eventually(() => expect(one.ended()).toBe(true));
});

test('streams stay open if their tokens cannot be checked, and this is reported once', async () => {
  let broken = true;
  const { streams, errors, isValid, state } = guarded({
    revision: async () => {
      if (broken) throw new Error('the state is locked');
      return '1';
    },
  });
  const one = stream();
  streams.guard(one.answer, { isValid });
  await eventually(() => expect(errors).toEqual(['the state is locked']));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([errors.length, one.ended()]).toEqual([1, false]);
  broken = false;
  state.isValid = false;
  await eventually(() => expect(one.ended()).toBe(true));
});

test('complete answers are not watched, and a client that disconnects is released', async () => {
  const { streams, isValid } = guarded();
  const plain = Response.json({});
  expect(streams.guard(plain, { isValid })).toBe(plain);
  const one = stream();
  await streams.guard(one.answer, { isValid }).body?.cancel();
  expect([streams.size, one.ended()]).toEqual([0, true]);
});
