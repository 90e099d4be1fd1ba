import { describe, expect, test } from 'vitest';
import { decodeSearchAnswer, hasSearchTool } from './search-tool.ts';

const tool = { name: 'search_skills', inputSchema: { type: 'object', properties: { query: { type: 'string' } } } };

test.each([
  [{ tools: [{ name: 'other' }, tool] }, true],
  [{ tools: [] }, false],
  [{ tools: [{ ...tool, inputSchema: { properties: {} } }] }, false],
  [{ tools: [{ ...tool, inputSchema: undefined }] }, false],
  [{ tools: 'search_skills' }, false],
  [null, false],
])('hasSearchTool(%j) is %s', (result, expected) => {
  expect(hasSearchTool(result)).toBe(expected);
});

describe('decodeSearchAnswer()', () => {
  const link = (uri: unknown) => ({ type: 'resource_link', uri, name: 'x' });

  test('returns the linked skills in order, each once, up to the requested number', () => {
    const content = [{ type: 'text', text: 'Found.' }, link('skill://b/SKILL.md'), link('skill://a/SKILL.md')];
    expect(decodeSearchAnswer({ content: [...content, link('skill://b/SKILL.md')] }, 10)).toEqual([
      'skill://b/SKILL.md',
      'skill://a/SKILL.md',
    ]);
    expect(decodeSearchAnswer({ content }, 1)).toEqual(['skill://b/SKILL.md']);
    expect(decodeSearchAnswer({ content: [{ type: 'text', text: 'None.' }] }, 10)).toEqual([]);
  });

  test('leaves out links to other things', () => {
    expect(decodeSearchAnswer({ content: [link('https://x.example'), link(7), null, 'x'] }, 10)).toEqual([]);
  });

  test.each([null, {}, { content: 'x' }, { isError: true, content: [] }])('is undefined for %j', (result) => {
    expect(decodeSearchAnswer(result, 10)).toBeUndefined();
  });
});
