import { describe, expect } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { decodeListScope, scopedListParams } from './decode-resources-list.ts';

describe('decodeListScope()', () => {
  verifies(['list:scoped'], 'distinguishes skills, files of one skill and everything', () => {
    expect(decodeListScope(scopedListParams)).toEqual({ kind: 'skills' });
    expect(decodeListScope({ uri: 'skill://git-workflow/' })).toEqual({ kind: 'files', skillPath: 'git-workflow' });
    expect(decodeListScope({ uri: 'skill://acme/a%20b' })).toEqual({ kind: 'files', skillPath: 'acme/a b' });
    for (const params of [undefined, {}, { cursor: 'x' }, { uri: 5 }, { uri: 'file:///x' }, { uri: 'skill://a/../b' }])
      expect(decodeListScope(params)).toEqual({ kind: 'everything' });
  });
});
