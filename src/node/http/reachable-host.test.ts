import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { reachableHost } from './host-names.ts';

function address(text: string, internal = false): NetworkInterfaceInfo {
  const common = { address: text, netmask: '', mac: '', internal, cidr: null };
  return text.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' };
}

const loopback = [address('127.0.0.1', true), address('::1', true)];
const network = { lo: loopback, eth0: [address('fe80::1'), address('2001:db8::5'), address('192.168.1.5')] };

describe('reachableHost()', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1:80'],
    ['localhost', 'localhost:80'],
    ['::1', '[::1]:80'],
    ['192.168.1.9', '192.168.1.9:80'],
  ])('is the listening address: %s', (host, expected) => {
    expect(reachableHost({ host, allowedHosts: ['a.example'] }, 80, network)).toBe(expected);
  });

  test('is the first allowed host if we listen on all addresses, with its own port if it has one', () => {
    expect(reachableHost({ host: '0.0.0.0', allowedHosts: ['a.example', 'b'] }, 80, network)).toBe('a.example:80');
    expect(reachableHost({ host: '::', allowedHosts: ['a.example:8080'] }, 80, network)).toBe('a.example:8080');
    expect(reachableHost({ host: '::', allowedHosts: ['[2001:db8::7]'] }, 80, network)).toBe('[2001:db8::7]:80');
  });

  test('otherwise is the first external address, IPv4 before IPv6', () => {
    expect(reachableHost({ host: '0.0.0.0' }, 80, network)).toBe('192.168.1.5:80');
    expect(reachableHost({ host: '::' }, 80, network)).toBe('192.168.1.5:80');
    const six = { lo: loopback, eth0: [address('fe80::1'), address('2001:db8::5')] };
    expect(reachableHost({ host: '::' }, 80, six)).toBe('[2001:db8::5]:80');
  });

  test('otherwise is loopback of the same family', () => {
    expect(reachableHost({ host: '0.0.0.0' }, 80, { lo: loopback })).toBe('127.0.0.1:80');
    expect(reachableHost({ host: '::' }, 80, { lo: loopback })).toBe('[::1]:80');
    expect(reachableHost({ host: '0.0.0.0' }, 80, { eth0: [address('2001:db8::5')] })).toBe('127.0.0.1:80');
    expect(reachableHost({ host: '::' }, 80, { eth0: [address('fe80::1')] })).toBe('[::1]:80');
  });
});
