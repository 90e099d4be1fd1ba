import { expect, test } from 'vitest';
import { createAddressCaps, networkOf } from './address-caps.ts';

test('each address has its own number of places, and a place is returned once', () => {
  const caps = createAddressCaps(2);
  const first = caps.enter('10.0.0.1');
  expect(caps.enter('::ffff:10.0.0.1')).toBeDefined();
  expect(caps.enter('10.0.0.1')).toBeUndefined();
  expect(caps.enter('10.0.0.2')).toBeDefined();
  first?.();
  first?.();
  expect(caps.count('10.0.0.1')).toBe(1);
  expect(caps.enter('10.0.0.1')).toBeDefined();
  expect(caps.enter('10.0.0.1')).toBeUndefined();
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0'],
  ['2001:db8:0:1::5', '2001:db8:0:1'],
  ['2001:0DB8:0:1:ffff:1:2:3', '2001:db8:0:1'],
  ['2001:db8::', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  [undefined, ''],
])('networkOf(%j) is %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
