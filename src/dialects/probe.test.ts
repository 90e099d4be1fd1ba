import { describe, expect, test } from 'vitest';
import { type Probe, probeRequest, readProbe } from './probe.ts';

describe('probeRequest()', () => {
  test.each<[probe: Probe, method: string, params: object, paged: boolean]>([
    [{ kind: 'skills-list' }, 'skills/list', {}, true],
    [{ kind: 'named-list' }, 'skills/list', {}, true],
    [{ kind: 'skill-index' }, 'resources/read', { uri: 'skill://index.json' }, false],
    [{ kind: 'groves-index' }, 'resources/read', { uri: 'skill://index' }, false],
    [{ kind: 'resources-list' }, 'resources/list', {}, true],
    [{ kind: 'scoped-list' }, 'resources/list', { uri: 'skill://' }, true],
    [{ kind: 'templates-list' }, 'resources/templates/list', {}, true],
    [
      { kind: 'fastmcp-manifest', skillUri: 'skill://a/b/SKILL.md' },
      'resources/read',
      { uri: 'skill://a/b/_manifest' },
      false,
    ],
    [{ kind: 'mentioned-skill', uri: 'x://y/SKILL.md' }, 'resources/read', { uri: 'x://y/SKILL.md' }, false],
  ])('returns the request for %j', (probe, method, params, paged) => {
    expect(probeRequest(probe)).toEqual({ method, params, paged });
  });
});

test('readProbe() distinguishes silence, errors and useless answers', () => {
  const probe = { kind: 'skill-index' } as const;
  expect(readProbe(probe, { kind: 'silent' })).toEqual({ kind: 'failed', why: 'was not answered in time' });
  expect(readProbe(probe, { kind: 'error', code: -32002 })).toMatchObject({ kind: 'failed', code: -32002 });
  const useless = readProbe(probe, { kind: 'results', results: [{ contents: [] }] });
  expect(useless).toMatchObject({ kind: 'failed', why: expect.stringContaining('it is not one text') });
  expect(readProbe(probe, { kind: 'results', results: [] })).toMatchObject({ kind: 'failed' });
});
