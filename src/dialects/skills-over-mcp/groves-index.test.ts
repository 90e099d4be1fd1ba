import { describe, expect, test } from 'vitest';
import { f1, gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import {
  decodeGrovesIndex,
  decodePromptXml,
  encodeGrovesIndex,
  encodePromptXml,
  skillsOverMcpLosses,
  skillTextFault,
} from './groves-index.ts';
import { buildGrovesUri, type GrovesUri, grovesTemplates, parseGrovesUri } from './groves-uris.ts';

const entries = [gitWorkflowEntry, refundsEntry];
const remaining = entries.map((entry) => {
  const uri = `skill://${entry.frontmatter.name}`;
  return { ...withoutLost(dialectSkillOf(entry), skillsOverMcpLosses), uri, retrievals: [{ kind: 'read', uri }] };
});

describe('parseGrovesUri()', () => {
  verifies(['survey:groves-uris'], 'distinguishes the addresses of the survey', () => {
    const cases: readonly (readonly [uri: string, parsed: GrovesUri])[] = [
      ['skill://index', { kind: 'index' }],
      ['skill://prompt-xml', { kind: 'prompt-xml' }],
      ['skill://code-review', { kind: 'skill', skillPath: 'code-review' }],
      ['skill://code-review/documents', { kind: 'documents', skillPath: 'code-review' }],
      ['skill://code-review/document/SECURITY.md', { kind: 'document', skillPath: 'code-review', path: 'SECURITY.md' }],
      ['skill://a/b/document/c/document/d%20e', { kind: 'document', skillPath: 'a/b', path: 'c/document/d e' }],
      ['skill://lookup/code-review', { kind: 'lookup', name: 'code-review' }],
    ];
    for (const [uri, parsed] of cases) {
      expect(parseGrovesUri(uri)).toEqual(parsed);
      expect(buildGrovesUri(parsed)).toBe(uri);
    }
    expect(grovesTemplates.lookup).toBe('skill://lookup/{name}');
    expect(parseGrovesUri('skill://lookup')).toEqual({ kind: 'skill', skillPath: 'lookup' });
    expect(parseGrovesUri('skill://documents')).toEqual({ kind: 'skill', skillPath: 'documents' });
    expect(parseGrovesUri('skill://a/document')).toEqual({ kind: 'skill', skillPath: 'a/document' });
  });

  test.each(['skill://', 'skill://a/', 'skill://a/../documents', 'x://index'])('refuses %s', (uri) => {
    expect(parseGrovesUri(uri)).toBeUndefined();
  });

  test('buildGrovesUri() refuses names and paths that lead elsewhere', () => {
    for (const target of [
      { kind: 'lookup', name: 'a/b' },
      { kind: 'document', skillPath: 'a', path: '../b' },
      { kind: 'skill', skillPath: '..' },
    ] as const)
      expect(() => buildGrovesUri(target)).toThrow(expect.objectContaining({ code: 'INVALID_URI' }));
  });
});

describe('the index of skills-over-mcp', () => {
  verifies(['som:index'], 'has a row per skill, and documents only if there are some', () => {
    const index = encodeGrovesIndex([
      { name: 'a', description: 'A', documentCount: 0 },
      { name: 'b', description: 'B', documentCount: 2, metadata: { version: '1' } },
    ]);
    expect(index).toEqual([
      { name: 'a', description: 'A', uri: 'skill://a', documentCount: 0 },
      {
        name: 'b',
        description: 'B',
        uri: 'skill://b',
        documentsUri: 'skill://b/documents',
        documentCount: 2,
        metadata: { version: '1' },
      },
    ]);
    expect(decodeGrovesIndex(index).documents).toEqual(new Map([['skill://b', 'skill://b/documents']]));
    expect(() => encodeGrovesIndex([{ name: 'A', description: '', documentCount: 0 }])).toThrow(
      /not a valid skill name/,
    );
  });

  verifies(['som:index'], 'is read back except for its losses', () => {
    const rows = entries.map(({ frontmatter: { name, description } }) => ({ name, description, documentCount: 1 }));
    expect(decodeGrovesIndex(encodeGrovesIndex(rows)).skills).toEqual(remaining);
    expect(decodePromptXml(encodePromptXml(rows)).skills).toEqual(remaining);
  });

  verifies(['som:index'], 'keeps good entries beside bad ones', () => {
    const reading = decodeGrovesIndex([
      {
        name: 'code-review',
        description: 'd',
        uri: 'skill://code-review',
        documentCount: 0,
        documentsUri: 'skill://code-review/documents',
      },
      { name: 'code-review', description: 'again' },
      { name: 'Other Name' },
      { name: 'x', uri: 'https://x', description: 'd' },
      { name: 'y', description: 'd', documentCount: 3 },
      { name: '..', uri: 'skill://z' },
      { description: 'd' },
      7,
    ]);
    expect(reading.skills.map(({ uri }) => uri)).toEqual(['skill://code-review', 'skill://Other%20Name', 'skill://y']);
    expect(reading.refused).toHaveLength(5);
    expect(reading.refused[2]).toMatchObject({ uri: 'skill://z' });
    expect(reading.remarks.map(({ requirement }) => requirement)).toEqual(['S-11', 'som:index']);
    expect([...reading.documents.keys()]).toEqual(['skill://y']);
  });

  test.each<[what: string, document: unknown]>([
    ['an object', { skills: [] }],
    ['no list', null],
    ['too long a list', Array(limits.origin.entries + 1)],
  ])('refuses %s', (_what, document) => {
    expect(() => decodeGrovesIndex(document)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });

  test('decodePromptXml() refuses a text without a catalog', () => {
    expect(() => decodePromptXml('# Error')).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

describe('skillTextFault()', () => {
  verifies(['C-24'], 'never reads an error in the content as a skill', () => {
    expect(skillTextFault(f1.text)).toBeUndefined();
    expect(skillTextFault(`\ufeff${f1.text}`)).toBeUndefined();
    expect(skillTextFault('# Error\n\nSkill "x" not found')).toBe('is an error sent as content');
    expect(skillTextFault('\n# Error: none')).toBe('is an error sent as content');
    expect(skillTextFault('# Errors and how to read them\n')).toBe('has no frontmatter');
    expect(skillTextFault('---\nname: x\n')).toBe('has no frontmatter');
    expect(skillTextFault('')).toBe('has no frontmatter');
  });
});
