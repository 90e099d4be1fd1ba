import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { decodeProvenance, decodeVia } from './provenance.ts';

const id = '0123456789abcdef';
const plain = {
  label: 'docs',
  uri: 'skill://a/SKILL.md',
  kind: 'mcp',
  verified: 'files',
  since: '2026-01-01T00:00:00.000Z',
  via: [id],
};
const full = { ...plain, dialect: 'skills-extension', stale: '2026-01-02T00:00:00.000Z', from: { ...plain, via: [] } };

describe('decodeProvenance()', () => {
  test.each([plain, full, { ...plain, verified: 'some' }, { ...plain, verified: 'none', via: [] }])(
    'reads the record of a gateway: %j',
    (value) => {
      expect(decodeProvenance({ ...value, other: 1 })).toEqual(value);
    },
  );

  test.each([
    ['no object', 'docs'],
    ['null', null],
    ['no label', { ...plain, label: '' }],
    ['a label that is too long', { ...plain, label: 'a'.repeat(1_025) }],
    ['no URI', { ...plain, uri: undefined }],
    ['a URI that is too long', { ...plain, uri: 'a'.repeat(limits.uri.characters + 1) }],
    ['no kind', { ...plain, kind: 1 }],
    ['another extent', { ...plain, verified: 'all' }],
    ['no extent', { ...plain, verified: undefined }],
    ['no time', { ...plain, since: 'yesterday' }],
    ['no list of gateways', { ...plain, via: id }],
    ['something else than an id', { ...plain, via: ['../up'] }],
    ['too many gateways', { ...plain, via: Array(limits.gateway.hops * 2 + 1).fill(id) }],
  ])('ignores a value with %s', (_, value) => {
    expect(decodeProvenance(value)).toBeUndefined();
  });

  test.each([
    ['dialect', 1],
    ['stale', 'soon'],
    ['from', { label: 'docs' }],
  ])('drops %s if it is invalid', (key, value) => {
    expect(decodeProvenance({ ...plain, [key]: value })).toEqual(plain);
  });

  test('follows chains of gateways up to a limit', () => {
    let value: unknown = plain;
    for (let hop = 0; hop < limits.gateway.hops + 5; hop++) value = { ...plain, from: value };
    let hops = 0;
    for (let one = decodeProvenance(value); one?.from !== undefined; one = one.from) hops++;
    expect(hops).toBe(limits.gateway.hops);
  });
});

test.each([
  [[id], [id]],
  [Array(limits.gateway.hops * 2).fill(id), Array(limits.gateway.hops * 2).fill(id)],
  [[], undefined],
  [Array(limits.gateway.hops * 2 + 1).fill(id), undefined],
  [[id, 'UPPER CASE'], undefined],
  [id, undefined],
])('decodeVia(%j)', (value, expected) => {
  expect(decodeVia(value)).toEqual(expected);
});
