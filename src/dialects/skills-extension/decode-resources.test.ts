import { describe, expect, test } from 'vitest';
import { base64Size, decodeBase64 } from './base64.ts';
import { decodeDirectoryResult, decodePlainResult, decodeReadResult } from './decode-resources.ts';

const rules = { cacheFields: true, resultType: true };
const uri = 'skill://refunds/a.bin';
const read = (contents: unknown, maxBytes = 100) =>
  decodeReadResult({ resultType: 'complete', contents }, uri, { maxBytes, rules });

describe('decodeReadResult()', () => {
  test('returns the bytes of a text as UTF-8, with byte-order mark and line ends', () => {
    expect(read([{ uri, text: '\ufeffgröße\r\n', mimeType: 'text/plain' }])).toEqual({
      bytes: new TextEncoder().encode('\ufeffgröße\r\n'),
      mimeType: 'text/plain',
    });
    expect(read([{ uri, text: '' }])).toEqual({ bytes: new Uint8Array(0) });
  });

  test('returns the bytes of a blob', () => {
    expect([...read([{ uri, blob: 'AP/+gAo=' }]).bytes]).toEqual([0, 255, 254, 128, 10]);
    expect(read([{ uri, blob: '' }]).bytes).toHaveLength(0);
  });

  test.each<[what: string, contents: unknown]>([
    ['no content', []],
    [
      'two contents',
      [
        { uri, text: 'a' },
        { uri, text: 'a' },
      ],
    ],
    ['another URI', [{ uri: 'skill://refunds/b.bin', text: 'a' }]],
    ['another spelling of the URI', [{ uri: 'SKILL://refunds/a.bin', text: 'a' }]],
    ['no URI', [{ text: 'a' }]],
    ['no object', ['a']],
    ['neither text nor blob', [{ uri }]],
    ['both text and blob', [{ uri, text: '', blob: '' }]],
    ['a text that is a number', [{ uri, text: 1 }]],
    ['half of a surrogate pair', [{ uri, text: 'a\ud800' }]],
    ['base64 with a line break', [{ uri, blob: 'AP/+\ngAo' }]],
    ['base64 for URLs', [{ uri, blob: 'AP_-gAo=' }]],
    ['base64 without padding', [{ uri, blob: 'AP/+gAo' }]],
    ['base64 with padding inside', [{ uri, blob: 'AA==AAAA' }]],
  ])('refuses %s', (_what, contents) => {
    expect(() => read(contents)).toThrow(expect.objectContaining({ code: 'VERIFICATION_FAILED', reason: 'contents' }));
  });

  test('refuses more bytes than are allowed, in text and blob', () => {
    const limit = expect.objectContaining({ reason: 'limit' });
    expect(read([{ uri, text: 'é'.repeat(5) }], 10).bytes).toHaveLength(10);
    expect(() => read([{ uri, text: 'é'.repeat(5) }], 9)).toThrow(limit);
    expect(() => read([{ uri, text: 'x'.repeat(11) }], 10)).toThrow(limit);
    expect(read([{ uri, blob: 'AP/+gAo=' }], 5).bytes).toHaveLength(5);
    expect(() => read([{ uri, blob: 'AP/+gAo=' }], 4)).toThrow(limit);
  });

  test('checks the length of a blob first', () => {
    expect(() => read([{ uri, blob: '!'.repeat(1_000) }], 4)).toThrow(expect.objectContaining({ reason: 'limit' }));
  });

  test('refuses an answer without contents', () => {
    for (const result of [{}, { contents: {} }, 'x', { resultType: 'input_required', contents: [] }])
      expect(() => decodeReadResult(result, uri, { maxBytes: 1, rules })).toThrow(
        expect.objectContaining({ code: 'BAD_ANSWER' }),
      );
  });
});

test('decodePlainResult() accepts several contents of any URI, within one limit', () => {
  const contents = [
    { uri: 'file:///a', text: 'ab' },
    { uri: 'x:y', blob: 'AAA=', mimeType: 'image/png' },
  ];
  const plain = (maxBytes: number) => decodePlainResult({ contents }, 'file:///a', { maxBytes, rules });
  expect(plain(4)).toEqual([
    { uri: 'file:///a', bytes: new Uint8Array([97, 98]) },
    { uri: 'x:y', bytes: new Uint8Array(2), mimeType: 'image/png' },
  ]);
  expect(() => plain(3)).toThrow(expect.objectContaining({ reason: 'limit' }));
  expect(() => decodePlainResult({ contents: [{}] }, 'x:y', { maxBytes: 1, rules })).toThrow(/no URI/);
});

test('decodeBase64() agrees with and without the native decoder', () => {
  const native = globalThis.Buffer;
  const text = native.from(Array.from({ length: 256 }, (_, index) => index)).toString('base64');
  expect(base64Size(text)).toBe(256);
  const fast = decodeBase64(text);
  try {
    Object.assign(globalThis, { Buffer: undefined });
    expect([...decodeBase64(text)]).toEqual([...fast]);
  } finally {
    Object.assign(globalThis, { Buffer: native });
  }
});

describe('decodeDirectoryResult()', () => {
  const folder = 'skill://refunds/templates';
  const decode = (resources: unknown, more: object = {}) =>
    decodeDirectoryResult({ resultType: 'complete', resources, ...more }, folder, rules);

  test('returns the direct children', () => {
    const page = decode(
      [
        { uri: `${folder}/a b.md`, name: 'a b.md', mimeType: 'text/markdown' },
        { uri: `${folder}/regional`, name: 'regional', mimeType: 'inode/directory' },
      ],
      { nextCursor: '' },
    );
    expect(page).toEqual({
      children: [
        { uri: `${folder}/a b.md`, name: 'a b.md', directory: false },
        { uri: `${folder}/regional`, name: 'regional', directory: true },
      ],
      nextCursor: '',
      remarks: [],
    });
  });

  test.each<[what: string, uri: unknown]>([
    ['of another folder', 'skill://refunds/other/a'],
    ['that is not direct', `${folder}/a/b`],
    ['that is the folder itself', folder],
    ['of another scheme', 'github://refunds/templates/a'],
    ['that climbs', `${folder}/../a`],
    ['with a slash at its end', `${folder}/a/`],
    ['without URI', undefined],
  ])('refuses the whole result for a child %s', (_what, child) => {
    expect(() =>
      decode([
        { uri: `${folder}/ok`, name: 'ok' },
        { uri: child, name: 'a' },
      ]),
    ).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });

  test('refuses a duplicate child, in any spelling', () => {
    expect(() =>
      decode([
        { uri: `${folder}/a`, name: 'a' },
        { uri: `${folder}/%61`, name: 'a' },
      ]),
    ).toThrow(/twice/);
  });

  test('refuses a value that is not a list, or too long', () => {
    expect(() => decode(undefined)).toThrow(/no list/);
    expect(() => decode(Array(10_001).fill({}))).toThrow(/10001 children/);
  });

  test('derives missing names from URIs and reports them', () => {
    const page = decodeDirectoryResult({ resources: [{ uri: `${folder}/a` }] }, folder, rules);
    expect(page.children).toEqual([{ uri: `${folder}/a`, name: 'a', directory: false }]);
    expect(page.remarks.map(({ requirement }) => requirement)).toEqual(['S-48', 'S-50']);
  });
});
