import { expect, test } from 'vitest';
import { whileConnected } from './change-notifier.ts';

interface FakeTransport {
  onclose?: (() => void) | undefined;
}

/** Connects as the SDK does: it keeps the handler that it finds and calls it first. */
function server(fails = false) {
  return {
    closed: 0,
    async connect(transport: FakeTransport): Promise<void> {
      if (fails) throw new Error('no');
      const before = transport.onclose;
      transport.onclose = () => {
        before?.();
        this.closed++;
      };
    },
  };
}

test('whileConnected() starts and stops with each connection', async () => {
  const events: string[] = [];
  const one = server();
  whileConnected(one, () => {
    events.push('begin');
    return () => events.push('end');
  });
  for (let round = 0; round < 2; round++) {
    const transport: FakeTransport = {};
    await one.connect(transport);
    transport.onclose?.();
    transport.onclose?.();
  }
  expect(events).toEqual(['begin', 'end', 'begin', 'end']);
  expect(one.closed).toBe(4);
});

test("whileConnected() keeps the handler of the transport's owner", async () => {
  const events: string[] = [];
  const one = server();
  whileConnected(one, () => () => events.push('end'));
  const transport: FakeTransport = { onclose: () => events.push('owner') };
  await one.connect(transport);
  transport.onclose?.();
  expect(events).toEqual(['end', 'owner']);
});

test('whileConnected() stops if connecting fails', async () => {
  const events: string[] = [];
  const one = server(true);
  whileConnected(one, () => () => events.push('end'));
  await expect(one.connect({})).rejects.toThrow('no');
  expect(events).toEqual(['end']);
});
