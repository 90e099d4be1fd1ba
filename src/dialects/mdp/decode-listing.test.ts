import { describe, expect, test } from 'vitest';
import { decodeListedRuntimes, decodeListedSkills } from './decode-listing.ts';

const skill = { type: 'skill', clientId: 'lab', clientName: 'Lab', path: '/a/skill.md' };

describe('decodeListedSkills()', () => {
  test('accepts the answers of the tool and of the route, with the known fields of each skill', () => {
    const full = { ...skill, description: 'D', contentType: 'text/markdown', _meta: { x: 1 }, more: true };
    const { more: _, ...known } = full;
    expect(decodeListedSkills({ paths: [full], nextCursor: '2.1' })).toEqual({
      rows: [known],
      unusable: 0,
      nextCursor: '2.1',
    });
    expect(decodeListedSkills({ skills: [{ ...skill, clientName: 7 }] })?.rows).toEqual([
      { ...skill, clientName: 'lab' },
    ]);
  });

  test('ignores prompts and endpoints, and counts rows that are not skills', () => {
    const rows = [
      skill,
      { ...skill, type: 'prompt', path: '/a/prompt.md' },
      { ...skill, type: 'endpoint', path: '/a', method: 'POST' },
      { ...skill, path: '/A/skill.md' },
      { ...skill, path: '/a/readme' },
      { ...skill, clientId: '' },
      { ...skill, _meta: { 'dev.skillwire/digest': 'md5:1' } },
      'text',
      null,
    ];
    expect(decodeListedSkills({ paths: rows })).toEqual({ rows: [skill], unusable: 6 });
  });

  test.each([undefined, null, [], 'x', {}, { paths: 7 }])('is undefined for %j', (answer) => {
    expect(decodeListedSkills(answer)).toBeUndefined();
  });
});

describe('decodeListedRuntimes()', () => {
  test('returns the displayable fields of each runtime', () => {
    const times = {
      connectedAt: '2026-01-01T00:00:00Z',
      lastSeenAt: '2026-01-01T00:00:01Z',
      lastCallAt: '2026-01-01T00:00:02Z',
    };
    const client = { id: 'lab', name: 'Lab', paths: [skill], connection: { mode: 'ws' }, ...times };
    expect(decodeListedRuntimes({ clients: [client, { id: 'bare' }, { name: 'no id' }] })).toEqual({
      rows: [
        { id: 'lab', name: 'Lab', paths: 1, transport: 'ws', ...times },
        { id: 'bare', name: 'bare', paths: 0 },
      ],
      unusable: 1,
    });
  });

  test.each([undefined, {}, { clients: {} }])('is undefined for %j', (answer) => {
    expect(decodeListedRuntimes(answer)).toBeUndefined();
  });
});
