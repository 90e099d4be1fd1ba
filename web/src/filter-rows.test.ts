import { describe, expect, test } from 'vitest';
import { finding } from '../../src/skill/finding.ts';
import type { SkillListing, SkillRow } from '../../src/surfaces/page/page-data.ts';
import { facets, findingName, itemsOf, type ListItem, search } from './filter-rows.ts';

const row = (name: string, more: Partial<SkillRow> = {}): SkillRow => ({
  uri: `skill://${name}/SKILL.md`,
  name,
  description: `About ${name}.`,
  origin: 'team',
  listed: true,
  verified: true,
  files: 1,
  bytes: 10,
  scripts: 0,
  tools: 0,
  problems: 0,
  warnings: 0,
  notes: 0,
  state: 'served',
  approved: 'no',
  agentsGet: 'this',
  collides: false,
  ...more,
});

const listing = (skills: readonly SkillRow[], findings: SkillListing['findings'] = []): SkillListing => ({
  skills,
  findings,
  hiddenFindings: 0,
  origins: ['team'],
});

const names = (items: readonly ListItem[]): string[] =>
  items.map((item) => (item.kind === 'skill' ? item.row.name : `! ${findingName(item.finding)}`));

describe('search()', () => {
  const items = itemsOf(
    listing([row('pdf-tools'), row('tools'), row('notes', { description: 'Tools for notes.' }), row('deploy')]),
  );

  test('wants every word and puts names first', () => {
    expect(names(search(items, 'tools'))).toEqual(['tools', 'pdf-tools', 'notes']);
    expect(names(search(items, '  NOTES tools '))).toEqual(['notes']);
    expect(names(search(items, 'absent'))).toEqual([]);
    expect(search(items, '')).toBe(items);
  });
});

describe('itemsOf()', () => {
  const problem = (folder: string, message = 'two have it') =>
    finding('skill-uri-taken', message, { file: `/srv/${folder}/SKILL.md` });

  test('has few problems first, those of one file as one, and finds them by the folder', () => {
    const items = itemsOf(listing([row('a')], [problem('b'), problem('b', 'another')]));
    expect(names(items)).toEqual(['! b', 'a']);
    expect(names(search(items, 'another b'))).toEqual(['! b']);
  });

  test('has many problems last', () => {
    const items = itemsOf(
      listing(
        [row('z')],
        ['a', 'b', 'c', 'd'].map((folder) => problem(folder)),
      ),
    );
    expect(names(items)[0]).toBe('z');
  });
});

test('each facet has a skill or a finding that it shows, and one that it does not', () => {
  const items = itemsOf(
    listing(
      [
        row('plain'),
        row('live', { verified: false, approved: 'unverifiable' }),
        row('busy', {
          scripts: 1,
          tools: 1,
          approved: 'yes',
          warnings: 1,
          collides: true,
          state: 'disabled',
          listed: false,
        }),
        row('denied', { state: 'denied' }),
        row('new', { state: 'waiting', agentsGet: 'nothing' }),
      ],
      [finding('skill-uri-taken', 'x', { file: '/srv/x/SKILL.md' })],
    ),
  );
  for (const { id, test: shows } of facets) {
    expect(
      items.filter((item) => shows(item)),
      id,
    ).not.toHaveLength(0);
    expect(
      items.filter((item) => shows(item)),
      id,
    ).not.toHaveLength(items.length);
  }
});
