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
  const state = { revision: '1', looks: 0, holds: true };
  const streams = createGuardedStreams({
    revision: async () => state.revision,
    onerror: ({ message }) => errors.push(message),
    pollMs: 5,
    ...more,
  });
  const holds = async (): Promise<boolean> => {
    state.looks++;
    return state.holds;
  };
  return { streams, state, errors, holds };
}

test('a stream ends when its token no longer holds, and its owner hears of it', async () => {
  const { streams, state, holds } = guarded();
  const one = stream();
  const reader = streams.hold(one.answer, { holds }).body?.getReader();
  one.write('hello');
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('hello');
  await eventually(() => expect(state.looks).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(state.looks).toBe(1);
  const last = reader?.read();
  state.holds = false;
  state.revision = '2';
  expect(await last).toEqual({ done: true, value: undefined });
  await eventually(() => expect(one.ended()).toBe(true));
  expect(streams.size).toBe(0);
});

test('a token that was revoked while its stream was being opened ends it too', async () => {
  const { streams, state, holds } = guarded();
  const first = stream();
  streams.hold(first.answer, { holds });
  await eventually(() => expect(state.looks).toBe(1));
  state.holds = false;
  const second = stream();
  streams.hold(second.answer, { holds });
  await eventually(() => expect(second.ended()).toBe(true));
  expect(first.ended()).toBe(false);
});

test('a stream ends when the time of its token is over, also where nothing tells of changes', async () => {
  let clock = 1_000_000;
  const { streams, holds } = guarded({ revision: undefined, now: () => clock });
  const one = stream();
  streams.hold(one.answer, { holds, expiresAt: 1_001 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(one.ended()).toBe(false);
  clock = 1_001_000;
  await eventually(() => expect(one.ended()).toBe(true));
});

test('streams stay where it cannot be told whether their tokens hold, which is told once', async () => {
  let broken = true;
  const { streams, errors, holds, state } = guarded({
    revision: async () => {
      if (broken) throw new Error('the state is locked');
      return '1';
    },
  });
  const one = stream();
  streams.hold(one.answer, { holds });
  await eventually(() => expect(errors).toEqual(['the state is locked']));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([errors.length, one.ended()]).toEqual([1, false]);
  broken = false;
  state.holds = false;
  await eventually(() => expect(one.ended()).toBe(true));
});

test('answers with an end are left alone, and a client that goes away is let go', async () => {
  const { streams, holds } = guarded();
  const plain = Response.json({});
  expect(streams.hold(plain, { holds })).toBe(plain);
  const one = stream();
  await streams.hold(one.answer, { holds }).body?.cancel();
  expect([streams.size, one.ended()]).toEqual([0, true]);
});
