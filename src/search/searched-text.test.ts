import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { searchedText } from './searched-text.ts';

describe('searchedText()', () => {
  it('uses headings from anywhere, and the first part of the body', () => {
    const filler = 'word '.repeat(limits.search.bodyCharacters / 5);
    const { headings, body } = searchedText(`# First\r\n${filler}\n## Last part\nhidden`);
    expect(headings).toBe('First\nLast part');
    expect(body).toHaveLength(limits.search.bodyCharacters);
    expect(body).not.toContain('hidden');
  });

  it('does not read a comment of a script as a heading', () => {
    const text = '# Run\n```sh\n# install\n~~~\n# more\n```\n## Then\n#hashtag\n    # indented\n';
    expect(searchedText(text).headings).toBe('Run\nThen');
  });

  it('omits addresses', () => {
    const { body } = searchedText('See [the guide](https://a.example/secret "x") or https://b.example/other now.');
    expect(body).toBe('See [the guide] or   now.');
  });

  it('limits headings', () => {
    const { headings } = searchedText(`# ${'h'.repeat(100)}\n`.repeat(1_000));
    expect(headings).toHaveLength(limits.search.headingCharacters);
  });
});
