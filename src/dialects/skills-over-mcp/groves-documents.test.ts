import { describe, expect, test } from 'vitest';
import { f2 } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { decodeDocuments, encodeDocuments } from './groves-documents.ts';

const skillMd = { path: 'SKILL.md', mediaType: 'text/markdown', size: 5 };
const guide = { path: 'references/GUIDE.md', mediaType: 'text/markdown', size: f2.size };
const template = { path: 'templates/a b.md', mediaType: 'text/markdown' };

describe('encodeDocuments()', () => {
  verifies(['som:documents'], 'lists the files beside SKILL.md with type, size and URI', () => {
    expect(encodeDocuments([skillMd, guide], 'git-workflow')).toEqual({
      skill: 'git-workflow',
      documents: [
        {
          path: 'references/GUIDE.md',
          mimeType: 'text/markdown',
          size: f2.size,
          uri: 'skill://git-workflow/document/references/GUIDE.md',
        },
      ],
    });
    const nested = encodeDocuments([template], 'refunds').documents[0];
    expect(nested).toMatchObject({ path: 'templates/a b.md', uri: 'skill://refunds/document/templates/a%20b.md' });
    expect(JSON.stringify(nested)).not.toContain('size');
  });
});

describe('decodeDocuments()', () => {
  verifies(['som:documents'], 'returns the files and refuses only bad ones', () => {
    const { skill, documents } = encodeDocuments([guide], 'git-workflow');
    const bad = [{ path: '../x' }, { path: 5 }, { path: 'a', size: 1.5 }, { path: 'b', uri: 'file:///b' }, null];
    const reading = decodeDocuments(
      { skill, documents: [...documents, { path: 'c.md' }, { path: 'C.md' }, ...bad] },
      'git-workflow',
    );
    expect(reading.skill).toBe('git-workflow');
    expect(reading.files).toEqual([...documents, { path: 'c.md', uri: 'skill://git-workflow/document/c.md' }]);
    expect(reading.refused).toHaveLength(6);
  });

  test.each<unknown>([[], {}, { documents: 'x' }, { documents: Array(limits.skill.files + 1).fill({}) }])(
    'refuses a document without a usable list (%#)',
    (document) => {
      expect(() => decodeDocuments(document, 'x')).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
    },
  );
});
