import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createSenderReader } from './senders.ts';
import { createTrustedProxies } from './trusted-proxies.ts';

function message(address: string, forwarded?: string, host = 'skills.example.com'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const received = new IncomingMessage(socket);
  received.httpVersion = '1.1';
  Object.assign(received.headers, { host }, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
  return received;
}

const proxies = createTrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

test.each([
  ['10.200.3.4', true],
  ['::ffff:10.0.0.1', true],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8:1::5', true],
  ['2001:db9::5', false],
  ['', false],
  [undefined, false],
])('has(%s) is %s', (address, expected) => {
  expect(proxies.has(address)).toBe(expected);
});

describe('clientOf()', () => {
  test.each([
    ['the last address that is not a proxy', '10.0.0.1', '198.51.100.9, 203.0.113.5, 10.0.0.2', '203.0.113.5'],
    ['not what the client claims before it', '10.0.0.1', '127.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['an address with its port', '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['an IPv6 address in brackets', '10.0.0.1', '[2001:db9::1]:80', '2001:db9::1'],
    ['an IPv4 address of an IPv6 socket', '10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['the connection, if it is no proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['nothing without the header', '10.0.0.1', undefined, undefined],
    ['nothing if all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', undefined],
    ['nothing if the header is no address', '10.0.0.1', '203.0.113.5, unknown', undefined],
    ['nothing behind too many proxies', '10.0.0.1', `203.0.113.5${', 10.0.0.2'.repeat(20)}`, undefined],
  ])('returns %s', (_, address, forwarded, expected) => {
    expect(proxies.clientOf(message(address, forwarded))).toBe(expected);
  });
});

test.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0', 'proxy.example.com', '::1/129', '', '10.0.0.0/'])(
  '"%s" is not a range',
  (range) => {
    expect(() => createTrustedProxies([range])).toThrow(expect.objectContaining({ code: 'USAGE' }));
  },
);

describe('senders behind a trusted proxy', () => {
  const reader = createSenderReader({ host: '127.0.0.1', trustedProxies: ['127.0.0.1'] });

  test('are counted by their own network', () => {
    expect(reader.sender(message('127.0.0.1', '2001:db8:1:2:3::9')).client).toBe('2001:db8:1:2');
    expect(reader.countedAddress(message('127.0.0.1', '203.0.113.5'))).toBe('203.0.113.5');
    expect(reader.countedAddress(message('127.0.0.1'))).toBe('127.0.0.1');
  });

  test('are never local, even if the proxy hides itself', () => {
    expect(reader.sender(message('127.0.0.1', undefined, '127.0.0.1:4711')).local).toBe(false);
    const plain = createSenderReader({ host: '127.0.0.1' });
    expect(plain.sender(message('127.0.0.1', undefined, '127.0.0.1:4711')).local).toBe(true);
  });

  test('cannot choose their address without the proxy', () => {
    expect(reader.countedAddress(message('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9');
  });
});
