import { describe, expect, test } from 'vitest';
import { createGate } from './gate.ts';

describe('createGate()', () => {
  test('admits what fits without waiting, and the others in order', async () => {
    const gate = createGate(10);
    const first = gate.take(6);
    const second = gate.take(4);
    expect(typeof first).toBe('function');
    expect(typeof second).toBe('function');
    const order: string[] = [];
    const large = Promise.resolve(gate.take(8)).then((free) => {
      order.push('large');
      return free;
    });
    const small = Promise.resolve(gate.take(1)).then((free) => {
      order.push('small');
      return free;
    });
    (await second)();
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    (await first)();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  test('gives everything to a request larger than the gate, and releases it once', async () => {
    const gate = createGate(10);
    const free = await gate.take(1_000);
    let entered = false;
    const next = Promise.resolve(gate.take(10)).then((freeNext) => {
      entered = true;
      return freeNext;
    });
    await new Promise(setImmediate);
    expect(entered).toBe(false);
    free();
    free();
    await next;
    let over = false;
    void Promise.resolve(gate.take(1)).then(() => {
      over = true;
    });
    await new Promise(setImmediate);
    expect(over).toBe(false);
  });
});
