import { expect, test } from 'vitest';
import type { SkillEntry } from '../skill/entry.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { approvedSource, sameFiles, sameWhereBoth } from './approved-skill.ts';

const uri = 'skill://a/SKILL.md';
const resources = [{ uri, digest: `sha256:${'a'.repeat(64)}`, size: 1 }];
const entry = {
  uri,
  frontmatter: { name: 'a', description: 'As it was approved.' },
  resources,
  _meta: {
    'com.example/note': 'seen',
    'dev.skillwire/executable': [uri],
    'dev.skillwire/origin': { label: 'of the approver' },
  },
};
const origin = {
  label: 'docs',
  uri,
  kind: 'mcp',
  verified: 'files',
  since: '2026-01-01T00:00:00Z',
  via: ['gateway-1'],
  from: {
    label: 'what another gateway says',
    uri,
    kind: 'mcp',
    verified: 'files',
    since: '2026-01-01T00:00:00Z',
    via: ['gateway-0'],
  },
};
const live: SourceSkill = {
  entry: {
    uri,
    frontmatter: { name: 'a', description: 'Changed afterwards.', extra: 'unseen' },
    resources,
    _meta: {
      'com.example/note': 'unseen',
      'com.example/new': 'unseen',
      'dev.skillwire/origin': origin,
      'dev.skillwire/executable': [],
      'dev.skillwire/else': 'unseen',
    },
  },
  listed: true,
  mediaTypes: { [uri]: 'text/unseen' },
  emptyDirectories: ['unseen'],
  aliases: ['old-name'],
  ttlMs: 5,
  cacheScope: 'private',
};

test.each([true, false])('serves nothing unapproved, whether the files are the same or not: %s', (same) => {
  const served = approvedSource(live, { entry, at: '2026-02-02T00:00:00Z' }, same);
  expect(JSON.stringify(served)).not.toContain('unseen');
  expect(JSON.stringify(served)).not.toContain('another gateway');
  const { from: _, ...own } = origin;
  expect(served).toEqual({
    entry: {
      uri,
      frontmatter: entry.frontmatter,
      resources,
      _meta: {
        'com.example/note': 'seen',
        'dev.skillwire/executable': [uri],
        'dev.skillwire/origin': own,
        'dev.skillwire/approved': { at: '2026-02-02T00:00:00Z', current: same },
      },
    },
    listed: true,
    ttlMs: 5,
    cacheScope: 'private',
    ...(same ? { aliases: ['old-name'] } : {}),
  });
});

test('compares entries by their files', () => {
  const other = (digest: string): SkillEntry => ({ ...entry, resources: [{ uri, digest, size: 1 }] });
  const dynamic: SkillEntry = { ...entry, resources: 'dynamic' };
  expect(sameFiles(entry, other(resources[0]?.digest ?? ''))).toBe(true);
  expect(sameFiles(entry, other('sha256:b'))).toBe(false);
  expect(sameFiles(dynamic, dynamic)).toBe(false);
  expect(sameWhereBoth(entry, other('sha256:b'))).toBe(false);
  expect(sameWhereBoth(entry, { ...entry, resources: [{ uri: 'skill://b', digest: 'sha256:b', size: 1 }] })).toBe(true);
  expect(sameWhereBoth(dynamic, entry)).toBe(true);
});
