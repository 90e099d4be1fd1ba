import { describe, expect, test } from 'vitest';
import { createBus } from './bus.ts';

describe('createBus()', () => {
  test('throws again what a listener threw, where nobody asked for it: it is never lost', async () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.subscribe(() => {
      throw new Error('boom');
    });
    bus.subscribe(({ type }) => heard.push(type));
    const thrown: (() => void)[] = [];
    const queue = globalThis.queueMicrotask;
    globalThis.queueMicrotask = (task) => void thrown.push(task);
    try {
      bus.publish({ type: 'a', data: null });
    } finally {
      globalThis.queueMicrotask = queue;
    }
    expect(heard).toEqual(['a']);
    expect(thrown).toHaveLength(1);
    expect(thrown[0]).toThrow('boom');
  });

  test('does not tell a listener that unsubscribed while the event was told', () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.subscribe(() => end());
    const end = bus.subscribe(({ type }) => heard.push(type));
    bus.publish({ type: 'a', data: null });
    expect(heard).toEqual([]);
  });
});
