import { isIP, isIPv4 } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isPrivateAddress } from './address-rules.ts';
import { embeddingPrefixes, specialAddresses } from './special-addresses.ts';

/** The first and the last address of a block, and its neighbors below and above. */
function edgesOf(block: string): Readonly<Record<'before' | 'first' | 'last' | 'after', string>> {
  const [network = '', length = ''] = block.split('/');
  const bits = isIPv4(network) ? 32n : 128n;
  const first = numberOf(network);
  const last = first + (1n << (bits - BigInt(length))) - 1n;
  const write = (value: bigint): string => (bits === 32n ? ipv4Text(value) : ipv6Text(value));
  return { before: write(first - 1n), first: write(first), last: write(last), after: write(last + 1n) };
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = tail === undefined ? [...head] : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

const ipv4Text = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
const ipv6Text = (value: bigint): string =>
  Array.from({ length: 8 }, (_, group) => ((value >> BigInt(16 * (7 - group))) & 65_535n).toString(16)).join(':');

describe.each(specialAddresses.map((row) => [row.block, row.name, row] as const))('%s (%s)', (block, _name, row) => {
  test('is blocked from its first to its last address', () => {
    const { first, last } = edgesOf(block);
    expect(isIP(first), 'the test writes addresses').not.toBe(0);
    for (const address of [first, last]) expect(isPrivateAddress(address), address).toBe(true);
  });

  test('has no bits outside its prefix and names its source', () => {
    const { first } = edgesOf(block);
    const [network = ''] = block.split('/');
    expect(numberOf(network)).toBe(numberOf(first));
    const length = BigInt(block.split('/')[1] ?? '');
    const size = 1n << ((isIPv4(network) ? 32n : 128n) - length);
    expect(numberOf(network) % size).toBe(0n);
    expect(row.source).not.toBe('');
  });
});

test('no block is listed twice', () => {
  const blocks = [...specialAddresses, ...embeddingPrefixes].map(({ block }) => block);
  expect(new Set(blocks).size).toBe(blocks.length);
});

test('public addresses around the blocks stay public', () => {
  for (const address of [
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...[
      '191.255.255.255',
      '192.0.1.0',
      '192.0.3.0',
      '192.31.195.255',
      '192.31.197.0',
      '192.52.192.255',
      '192.52.194.0',
    ],
    ...['192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0'],
    ...['198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
    '223.255.255.255',
    ...['2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::', '2620:4f:7fff::', '2620:4f:8001::'],
    ...['3ffe:ffff::', '3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])
    expect(isPrivateAddress(address), address).toBe(false);
});

test('IPv6 outside the space of public servers is blocked, registered or not', () => {
  const { before, after } = edgesOf('2000::/3');
  for (const address of [before, after, '200::1', '4000::1', '5f01::1', '8000::1', 'e000::1', 'fe00::1'])
    expect(isPrivateAddress(address), address).toBe(true);
});

describe('addresses that embed IPv4', () => {
  const group = (value: number): string => value.toString(16);
  const hex = (address: string): string => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    return `${group(a * 256 + b)}:${group(c * 256 + d)}`;
  };
  const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '168.63.129.16', '192.168.1.1', '0.0.0.0'];
  /** How each standard writes an IPv4 address, and whether the address inside decides. */
  const forms: readonly (readonly [name: string, write: (address: string) => readonly string[], judged: boolean])[] = [
    ['IPv4-mapped', (v4) => [`::ffff:${v4}`, `::ffff:${hex(v4)}`, `0:0:0:0:0:FFFF:${hex(v4)}`], true],
    ['NAT64', (v4) => [`64:ff9b::${v4}`, `64:ff9b::${hex(v4)}`, `0064:FF9B:0:0:0:0:${hex(v4)}`], true],
    ['local NAT64', (v4) => [`64:ff9b:1::${hex(v4)}`, `64:ff9b:1:ffff::${v4}`], false],
    ['IPv4-compatible', (v4) => [`::${v4}`, `::${hex(v4)}`], false],
    ['SIIT', (v4) => [`::ffff:0:${v4}`, `::ffff:0:${hex(v4)}`, `0:0:0:0:ffff:0:${hex(v4)}`], false],
    ['6to4', (v4) => [`2002:${hex(v4)}::`, `2002:${hex(v4)}::1`], false],
    ['Teredo', (v4) => [`2001:0:${hex(v4)}::1`, `2001:0:4136:e378:8000:63bf:${hex(v4)}`], false],
  ];

  test.each(forms)('%s', (_name, write, judged) => {
    for (const address of inside.flatMap(write)) {
      expect(isIP(address), address).toBe(6);
      expect(isPrivateAddress(address), address).toBe(true);
    }
    for (const address of write('8.8.8.8')) expect(isPrivateAddress(address), address).toBe(!judged);
  });

  test('are the two prefixes of the table', () => {
    for (const { block } of embeddingPrefixes) {
      const { last, after } = edgesOf(block);
      expect(isPrivateAddress(last), last).toBe(true);
      expect(isPrivateAddress(after), after).toBe(true);
    }
  });
});
