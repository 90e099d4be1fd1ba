import { expect, test } from 'vitest';
import { networkHosts } from './skill-requests.ts';

function hostsIn(text: string): readonly string[] {
  const hosts = new Set<string>();
  networkHosts(text, hosts);
  return [...hosts].sort();
}

test.each<[text: string, hosts: readonly string[]]>([
  ['see https://Example.COM/path?x#y', ['example.com']],
  [
    '[a](https://a.test) and (https://b.test), **https://c.test**; https://d.test.',
    ['a.test', 'b.test', 'c.test', 'd.test'],
  ],
  ['"https://a.test" \'wss://b.test:8443/x\' `ftp://c.test`', ['a.test', 'b.test', 'c.test']],
  ['curl http://127.0.0.1:8080 http://[::1]:80/ http://0x7f.1/', ['127.0.0.1', '[::1]']],
  ['https://google.com@evil.test/ https://user:pass@evil2.test/', ['evil.test', 'evil2.test', 'google.com']],
  ['https://a.test),x@evil.test/', ['a.test', 'evil.test']],
  ['https://b\u00fccher.test', ['xn--bcher-kva.test']],
  ['https:\\/\\/escaped.test\\/x', ['escaped.test']],
  ['git clone git@github.test:acme/x.git', ['github.test']],
  ['ssh://git@code.test/x', ['code.test']],
  ['x-scheme+y://odd.test', ['odd.test']],
])('networkHosts() finds in %j the hosts %j', (text, hosts) => {
  expect(hostsIn(text)).toEqual(hosts);
});

test.each([
  'no host in guide.md or a.b.c',
  'skill://acme/x/SKILL.md file:///etc/passwd',
  'https:// ://x https://{host}/',
  'mail me@example.test please',
  '@types/node: x, @a.b:',
])('networkHosts() finds none in %j', (text) => {
  expect(hostsIn(text)).toEqual([]);
});

test('networkHosts() terminates on long hostile texts', () => {
  const length = 200_000;
  expect(hostsIn('a'.repeat(length))).toEqual([]);
  expect(hostsIn('://'.repeat(length / 3))).toEqual([]);
  expect(hostsIn('x@'.repeat(length / 2))).toEqual([]);
  expect(hostsIn(`x@${'a-'.repeat(length / 2)}`)).toEqual([]);
  expect(hostsIn('\\/'.repeat(length / 2))).toEqual([]);
});
