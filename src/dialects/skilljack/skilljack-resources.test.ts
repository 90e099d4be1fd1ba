import { describe, expect, test } from 'vitest';
import { gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import {
  buildSkilljackUri,
  decodeSkilljackRows,
  encodeSkilljackRows,
  parseSkilljackUri,
  type SkilljackUri,
  skilljackLosses,
  skilljackTemplates,
} from './skilljack-resources.ts';

describe('parseSkilljackUri()', () => {
  verifies(['survey:skilljack-uris'], 'distinguishes a skill, its collection, its files and the whole list', () => {
    const cases: readonly (readonly [uri: string, parsed: SkilljackUri])[] = [
      ['skill://', { kind: 'all' }],
      ['skill://code-style', { kind: 'skill', name: 'code-style' }],
      ['skill://code-style/', { kind: 'collection', name: 'code-style' }],
      ['skill://code-style/reference.md', { kind: 'file', name: 'code-style', path: 'reference.md' }],
      ['skill://a%20b/c/d%20e.md', { kind: 'file', name: 'a b', path: 'c/d e.md' }],
    ];
    for (const [uri, parsed] of cases) {
      expect(parseSkilljackUri(uri)).toEqual(parsed);
      expect(buildSkilljackUri(parsed)).toBe(uri);
    }
    expect(skilljackTemplates).toEqual({ skill: 'skill://{skillName}', collection: 'skill://{skillName}/' });
  });

  test.each(['skill://a/b/', 'skill://a/../b', 'https://a', 'skill://a?x'])('refuses %s', (uri) => {
    expect(parseSkilljackUri(uri)).toBeUndefined();
  });

  test('buildSkilljackUri() refuses names and paths that lead elsewhere', () => {
    for (const target of [
      { kind: 'skill', name: '..' },
      { kind: 'collection', name: 'a/b' },
      { kind: 'file', name: 'a', path: '../b' },
    ] as const)
      expect(() => buildSkilljackUri(target)).toThrow(expect.objectContaining({ code: 'INVALID_URI' }));
  });
});

describe('decodeSkilljackRows()', () => {
  verifies(['survey:skilljack-uris'], 'finds Markdown at skill://name and nothing else', () => {
    const mimeType = 'text/markdown';
    const { skills, remarks } = decodeSkilljackRows([
      { uri: 'skill://code-style', mimeType, description: 'd' },
      { uri: 'skill://code-style/', mimeType },
      { uri: 'skill://code-style', mimeType },
      { uri: 'skill://a/b', mimeType },
      { uri: 'skill://index', mimeType: 'application/json' },
      { uri: 'skill://plain', mimeType: 'text/plain' },
      { uri: 'skill://bare' },
      { uri: 'note://x', mimeType },
      { uri: 'skill://Odd_Name', mimeType: 'text/markdown; charset=utf-8', description: ' ' },
    ]);
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['code-style', 'd'],
      ['Odd_Name', undefined],
    ]);
    expect(remarks.map(({ requirement }) => requirement)).toEqual(['S-11']);
  });

  test('restores a skill except for the losses of the dialect', () => {
    const entries = [gitWorkflowEntry, refundsEntry];
    const rows = entries.flatMap(({ frontmatter: { name, description } }) => encodeSkilljackRows(name, description));
    expect(rows.map(({ uri, name }) => [uri, name]).slice(0, 2)).toEqual([
      ['skill://git-workflow', 'git-workflow'],
      ['skill://git-workflow/', 'git-workflow/'],
    ]);
    expect(decodeSkilljackRows(rows).skills).toEqual(
      entries.map((entry) => {
        const uri = `skill://${entry.frontmatter.name}`;
        return { ...withoutLost(dialectSkillOf(entry), skilljackLosses), uri, retrievals: [{ kind: 'read', uri }] };
      }),
    );
  });

  test('encodeSkilljackRows() refuses invalid names', () => {
    expect(() => encodeSkilljackRows('a/b', 'd')).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });
});
