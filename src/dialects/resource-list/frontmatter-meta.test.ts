import { describe, expect } from 'vitest';
import { gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { decodeFrontmatterMeta, encodeFrontmatterMeta } from './frontmatter-meta.ts';

describe('frontmatter in _meta', () => {
  verifies(['S-19'], 'is written under the reserved prefix and read back', () => {
    const meta = encodeFrontmatterMeta({ ...refundsEntry.frontmatter, 'odd key': 1, '-x': 2 });
    expect(meta).toEqual({
      'io.modelcontextprotocol.skills/license': 'Apache-2.0',
      'io.modelcontextprotocol.skills/metadata': { version: '2.1.0' },
    });
    expect([...decodeFrontmatterMeta(meta)]).toEqual([
      ['license', 'Apache-2.0'],
      ['metadata', { version: '2.1.0' }],
    ]);
    expect(encodeFrontmatterMeta(gitWorkflowEntry.frontmatter)).toEqual({});
  });

  verifies(['S-19'], 'is read from nowhere else, and only up to a limit', () => {
    const meta = {
      'io.modelcontextprotocol/skills': 1,
      'com.example/license': 'x',
      'io.modelcontextprotocol.skills/': 1,
      'io.modelcontextprotocol.skills/large': Array(limits.origin.metaNodes + 1).fill(0),
    };
    expect(decodeFrontmatterMeta(meta).size).toBe(0);
    expect(decodeFrontmatterMeta(null).size).toBe(0);
  });
});
