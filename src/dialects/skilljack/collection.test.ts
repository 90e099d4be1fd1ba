import { describe, expect, test } from 'vitest';
import { f1, f2, f3 } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { decodeCollection, encodeCollection } from './collection.ts';

const files = [
  { path: 'SKILL.md', bytes: f1.bytes },
  { path: 'references/GUIDE.md', bytes: f2.bytes },
  { path: 'assets/raw.bin', bytes: f3.bytes },
];

describe('encodeCollection()', () => {
  verifies(['survey:skilljack-collection'], 'has every file except SKILL.md, binary files as blobs', () => {
    expect(encodeCollection('git-workflow', files)).toEqual({
      contents: [
        { uri: 'skill://git-workflow/references/GUIDE.md', mimeType: 'text/markdown', text: f2.text },
        { uri: 'skill://git-workflow/assets/raw.bin', mimeType: 'application/octet-stream', blob: 'AP/+gAo=' },
      ],
      omitted: [],
    });
  });

  test('names files that are too large instead of sending them', () => {
    const bytes = new Uint8Array(limits.dialects.collectionFileBytes + 1);
    expect(encodeCollection('x', [{ path: 'large.bin', bytes }])).toEqual({ contents: [], omitted: ['large.bin'] });
  });
});

describe('decodeCollection()', () => {
  verifies(['skilljack:collection'], 'returns the files and refuses only bad ones', () => {
    const { contents } = encodeCollection('git-workflow', files);
    const bad = [
      { uri: 'skill://other/x.md', text: 'x' },
      { uri: 'skill://git-workflow', text: 'x' },
      { uri: 'skill://git-workflow/../x', text: 'x' },
      { uri: 'skill://git-workflow/REFERENCES/guide.md', text: 'twin' },
      { uri: 'skill://git-workflow/none' },
      { uri: 'skill://git-workflow/blob', blob: '!' },
      { text: 'x' },
      null,
    ];
    const reading = decodeCollection({ contents: [...contents, ...bad] }, 'git-workflow', 1000);
    expect(reading.files).toEqual(files.slice(1));
    expect(reading.refused.map(({ requirement }) => requirement)).toEqual(Array(8).fill('skilljack:collection'));
  });

  test('applies the limit to all files together', () => {
    const text = (name: string) => ({ uri: `skill://x/${name}`, text: 'äää' });
    const blob = { uri: 'skill://x/c', blob: 'AP/+gAo=' };
    const reading = decodeCollection({ contents: [text('a'), text('b'), blob] }, 'x', 10);
    expect(reading.files.map(({ path }) => path)).toEqual(['a']);
    expect(reading.refused[0]?.message).toContain('more bytes than');
  });

  test.each<unknown>([null, {}, { contents: Array(limits.skill.files + 1).fill({}) }])(
    'refuses an answer without usable contents (%#)',
    (result) => {
      expect(() => decodeCollection(result, 'x', 10)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
    },
  );
});
