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

test('a decorator that forgets a member, or drops one that has to be there, does not compile', () => {
  // @ts-expect-error `extra` is not named
  derive<Port>(() => new Plain(), { name: 'pass', call: 'pass' });
  // @ts-expect-error `call` cannot be dropped
  derive<Port>(() => new Plain(), { name: 'pass', call: 'drop', extra: 'pass' });
  // @ts-expect-error `call` is there, so it is given and not mapped
  derive<Port>(() => new Plain(), { name: 'pass', call: { map: (own: Port['call']) => own }, extra: 'pass' });
});

test('passes members as methods of the port that they belong to', () => {
  const port = derive<Port>(() => new More(), { name: 'pass', call: 'pass', extra: 'pass' });
  const { name, call, extra } = port;
  expect([name, call('a'), extra?.('a')]).toEqual(['more', 'a!', 'a?!']);
});

test('has a mapped member only if the port has one', () => {
  const mapped = (port: Port): Port =>
    derive(() => port, { name: 'pass', call: 'pass', extra: { map: (own) => (given) => own(`<${given}>`) } });
  expect(mapped(new Plain()).extra).toBeUndefined();
  expect(mapped(new More()).extra?.('a')).toBe('<a>?!');
});

test('has what is given whatever the port has, and nothing that is dropped', () => {
  const given = derive<Port>(() => new Plain(), { name: { get: () => 'drop' }, call: 'pass', extra: () => 'own' });
  expect([given.name, given.extra?.('a')]).toEqual(['drop', 'own']);
  const dropped = derive<Port>(() => new More(), { name: 'pass', call: (text) => text, extra: 'drop' });
  expect(dropped.call('a')).toBe('a');
  expect('extra' in dropped).toBe(false);
});

test('follows the port that is behind now', () => {
  let behind: Port = new Plain();
  const port = derive<Port>(() => behind, { name: 'pass', call: 'pass', extra: 'pass' });
  expect([port.name, port.extra]).toEqual(['plain', undefined]);
  expect(port.call).toBe(port.call);
  behind = new More();
  expect([port.name, port.call('a'), port.extra?.('a')]).toEqual(['more', 'a!', 'a?!']);
});
