import { expect, test } from 'vitest';
import { derive } from './derive.ts';

interface Port {
  readonly name: string;
  call(given: string): string;
  extra?(given: string): string;
}

class Plain implements Port {
  readonly name: string = 'plain';
  protected suffix = '!';
  call(given: string): string {
    return `${given}${this.suffix}`;
  }
}

class More extends Plain {
  override readonly name = 'more';
  extra(given: string): string {
    return `${given}?${this.suffix}`;
  }
}

test('a decorator that forgets a member, or drops a required one, does not compile', () => {
  // @ts-expect-error `extra` is not named
  derive<Port>(() => new Plain(), { name: 'pass', call: 'pass' });
  // @ts-expect-error `call` cannot be dropped
  derive<Port>(() => new Plain(), { name: 'pass', call: 'drop', extra: 'pass' });
  // @ts-expect-error `call` is there, so it is given and not mapped
  derive<Port>(() => new Plain(), { name: 'pass', call: { map: (own: Port['call']) => own }, extra: 'pass' });
});

test('passes members on as methods of their own port', () => {
  const port = derive<Port>(() => new More(), { name: 'pass', call: 'pass', extra: 'pass' });
  const { name, call, extra } = port;
  expect([name, call('a'), extra?.('a')]).toEqual(['more', 'a!', 'a?!']);
});

test('has an optional mapped member only if the port has it', () => {
  const mapped = (port: Port): Port =>
    derive(() => port, { name: 'pass', call: 'pass', extra: { map: (own) => (given) => own(`<${given}>`) } });
  expect(mapped(new Plain()).extra).toBeUndefined();
  expect(mapped(new More()).extra?.('a')).toBe('<a>?!');
});

test('has all given members, and no dropped ones', () => {
  const given = derive<Port>(() => new Plain(), { name: { get: () => 'drop' }, call: 'pass', extra: () => 'own' });
  expect([given.name, given.extra?.('a')]).toEqual(['drop', 'own']);
  const dropped = derive<Port>(() => new More(), { name: 'pass', call: (text) => text, extra: 'drop' });
  expect(dropped.call('a')).toBe('a');
  expect('extra' in dropped).toBe(false);
});

test('follows a replaced port', () => {
  let behind: Port = new Plain();
  const port = derive<Port>(() => behind, { name: 'pass', call: 'pass', extra: 'pass' });
  expect([port.name, port.extra]).toEqual(['plain', undefined]);
  expect(port.call).toBe(port.call);
  behind = new More();
  expect([port.name, port.call('a'), port.extra?.('a')]).toEqual(['more', 'a!', 'a?!']);
});
