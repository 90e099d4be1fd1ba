import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Sender } from '../../surfaces/sender.ts';
import { createSenderReader, type SenderOptions } from './senders.ts';

function message(headers: Readonly<Record<string, string>>, address = '127.0.0.1'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const received = new IncomingMessage(socket);
  Object.assign(received.headers, headers);
  return received;
}

function senderOf(
  headers: Readonly<Record<string, string>>,
  options: Partial<SenderOptions> = {},
  address?: string,
): Sender {
  return createSenderReader({ host: '127.0.0.1', ...options }).sender(message(headers, address));
}

const local = { host: '127.0.0.1:4711' };

describe('a local sender', () => {
  test.each([
    ['127.0.0.1', 'localhost:4711'],
    ['::1', '[::1]:4711'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['127.8.8.8', '127.8.8.8'],
  ])('connects from %s and names %s', (address, host) => {
    expect(senderOf({ host }, { host: '::1' }, address).local).toBe(true);
  });

  test.each([
    ['another machine', '192.0.2.1', local.host],
    ['a name that is like an address of loopback', '::ffff:192.0.2.1', local.host],
    ['a connection that is closed already', '', local.host],
    ['a proxy that keeps the host', '127.0.0.1', 'skills.example.com'],
    ['a host that cannot be read', '127.0.0.1', 'localhost:x'],
  ])('is not: %s', (_, address, host) => {
    expect(senderOf({ host }, {}, address).local).toBe(false);
  });

  test.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-server',
    'x-forwarded-anything',
    'x-original-forwarded-for',
    'x-real-ip',
    'x-client-ip',
    'x-envoy-external-address',
    'true-client-ip',
    'cf-connecting-ip',
    'cdn-loop',
  ])('does not send %s, not even empty', (name) => {
    expect(senderOf({ ...local, [name]: '127.0.0.1' })).toMatchObject({ local: false, client: undefined });
    expect(senderOf({ ...local, [name]: '' }).local).toBe(false);
  });

  test('does not speak HTTP/1.0, as nginx does by default', () => {
    const received = message(local);
    received.httpVersion = '1.0';
    expect(createSenderReader({ host: '127.0.0.1' }).sender(received).local).toBe(false);
  });

  test.each(['0.0.0.0', '::', '192.168.1.5'])('is unknown if others connect, too: %s', (host) => {
    expect(senderOf(local, { host }).local).toBe(false);
  });
});

describe('a client', () => {
  test('is identified by its address, for IPv6 by its network', () => {
    const options = { host: '0.0.0.0' };
    const clients = ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8:1:2::1', '2001:db8:1:2:3::9'].map(
      (address) => senderOf({ host: '192.168.1.5' }, options, address).client,
    );
    expect(clients).toEqual(['192.0.2.1', '192.0.2.1', '2001:db8:1:2', '2001:db8:1:2']);
  });

  test('is unknown behind a proxy', () => {
    expect(senderOf({ host: 'skills.example.com' }).client).toBeUndefined();
    expect(senderOf({ ...local, via: '1.1 x' }, { host: '0.0.0.0' }, '192.0.2.1').client).toBeUndefined();
  });
});

describe('our own page', () => {
  const page = (
    host: string,
    origin: string,
    options: Partial<SenderOptions> = {},
    more: Readonly<Record<string, string>> = {},
  ): Sender['page'] => senderOf({ host, origin, ...more }, options).page;
  const site = 'skills.example.com';

  test('has the host and scheme of the request', () => {
    expect(page('127.0.0.1:4711', 'http://127.0.0.1:4711')).toBe('own');
    expect(page('LocalHost:4711', 'http://localhost:4711')).toBe('own');
    expect(page('localhost', 'http://localhost')).toBe('own');
    expect(page('localhost:80', 'http://localhost')).toBe('own');
    expect(senderOf(local).page).toBe('none');
  });

  test.each([
    'https://127.0.0.1:4711',
    'http://127.0.0.1:4712',
    'http://127.0.0.1',
    'http://localhost:4711',
    'https://evil.example',
    'null',
    '',
    'http://127.0.0.1:4711/',
    'http://user@127.0.0.1:4711',
  ])('does not have the origin "%s"', (origin) => {
    expect(page('127.0.0.1:4711', origin)).toBe('other');
  });

  test('has the scheme of the announced address', () => {
    const options = { publicUrl: () => `https://${site}` };
    expect(page(site, `https://${site}`, options)).toBe('own');
    expect(page(`${site}:443`, `https://${site}`, options)).toBe('own');
    expect(page(site, `http://${site}`, options)).toBe('other');
    expect(page(site, `http://${site}`, options, { 'x-forwarded-proto': 'http' })).toBe('other');
    expect(page('127.0.0.1:4711', 'http://127.0.0.1:4711', options)).toBe('own');
    expect(page('127.0.0.1:4711', 'https://127.0.0.1:4711', options)).toBe('other');
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['X-Forwarded-Proto of two proxies', { 'x-forwarded-proto': 'https, http' }],
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https;host=x' }],
    ['Forwarded in quotes', { forwarded: 'for=192.0.2.1; Proto="https"' }],
  ])('has the scheme that a proxy names: %s', (_, headers) => {
    expect(page(site, `https://${site}`, {}, headers)).toBe('own');
    expect(page(site, `http://${site}`, {}, headers)).toBe('other');
  });

  test('may have either scheme if nothing names it', () => {
    expect(page(site, `https://${site}`)).toBe('own');
    expect(page(site, `http://${site}`)).toBe('own');
    expect(page(site, `https://${site}:8443`)).toBe('other');
  });

  test('is plain HTTP on an address of the machine', () => {
    expect(page('192.168.1.5:8080', 'http://192.168.1.5:8080', { host: '0.0.0.0' })).toBe('own');
    expect(page('192.168.1.5:8080', 'https://192.168.1.5:8080', { host: '0.0.0.0' })).toBe('other');
  });
});
