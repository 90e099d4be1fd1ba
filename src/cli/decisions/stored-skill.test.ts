import { describe, expect, test } from 'vitest';
import { matchStored, storedLabel } from './stored-skill.ts';

const rows = [
  { label: 'x', uri: 'skill://acme/refunds/SKILL.md', name: 'refunds' },
  { label: 'x', uri: 'skill://team/refunds/SKILL.md', name: 'refunds' },
  { label: 'x', uri: 'skill://pdf-tools/SKILL.md', name: 'pdf-tools' },
];
const match = (reference: string): string => matchStored(reference, rows, 'look elsewhere').uri;

describe('matchStored()', () => {
  test.each([
    ['skill://acme/refunds/SKILL.md', 'skill://acme/refunds/SKILL.md'],
    ['team/refunds', 'skill://team/refunds/SKILL.md'],
    ['pdf-tools', 'skill://pdf-tools/SKILL.md'],
  ])('finds %j', (reference, uri) => {
    expect(match(reference)).toBe(uri);
  });

  test('refuses an ambiguous name, and lists both skills', () => {
    expect(() => match('refunds')).toThrow(expect.objectContaining({ code: 'AMBIGUOUS_SKILL' }));
    expect(() => match('refunds')).toThrow('skill://acme/refunds/SKILL.md, skill://team/refunds/SKILL.md');
  });

  test('suggests what to do about an unknown name', () => {
    expect(() => match('other')).toThrow('look elsewhere');
  });
});

describe('storedLabel()', () => {
  const place = async () => ({ cwd: '/work', home: '/home', found: undefined, added: [] });
  const unknown = () => Promise.reject(new Error('the configuration was read'));

  test('accepts any label that has stored data, whatever it looks like', async () => {
    expect(await storedLabel('gone', [{ label: 'gone' }], unknown)).toBe('gone');
    expect(await storedLabel('./x', [{ label: './x' }], unknown)).toBe('./x');
  });

  test('finds an origin under the label that reading it would use', async () => {
    expect(await storedLabel('mcp:HTTP://example.com', [], place)).toBe('mcp:http://example.com/');
    await expect(storedLabel('gone', [], place)).rejects.toThrow('is not a folder or a known origin');
  });
});
