import { describe, expect, test } from 'vitest';
import type { FileContent } from '../../catalog/catalog.ts';
import { resourceContents } from './file-contents.ts';

function content(bytes: Uint8Array): FileContent {
  return { file: { mediaType: 'text/plain' }, bytes } as FileContent;
}

describe('resourceContents()', () => {
  test('sends valid UTF-8 as text, with byte-order mark and line ends unchanged', () => {
    const text = '\uFEFFa\r\nb\n\u{1F600}';
    expect(resourceContents('skill://a/b', content(new TextEncoder().encode(text)))).toEqual({
      uri: 'skill://a/b',
      mimeType: 'text/plain',
      text,
    });
  });

  test('sends bytes that are not UTF-8 as a blob, whatever the file name', () => {
    expect(resourceContents('skill://a/b.md', content(Uint8Array.of(0, 0xff, 0xfe, 0x80, 0x0a)))).toEqual({
      uri: 'skill://a/b.md',
      mimeType: 'text/plain',
      blob: 'AP/+gAo=',
    });
  });

  test('sends only the bytes of the view, not of its buffer', () => {
    const view = Uint8Array.of(1, 0xff, 0xfe, 2).subarray(1, 3);
    expect(resourceContents('skill://a/b', content(view))).toHaveProperty('blob', '//4=');
  });
});
