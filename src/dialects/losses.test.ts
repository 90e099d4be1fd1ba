import { describe, expect, test } from 'vitest';
import { dynamicEntry, f1, gitWorkflowEntry, refundsEntry } from '../../test/dialect-fixtures.ts';
import { dialectSkillOf, type Loss, type LostPart, withoutLost } from './dialect-skill.ts';
import { fastmcpLosses } from './fastmcp/manifest.ts';
import { nimblebrainLosses } from './nimblebrain/usage-resource.ts';
import { resourceListLosses } from './resource-list/scan-skills.ts';
import { resourceTemplatesLosses } from './resource-templates/skill-templates.ts';
import { sep2076Losses } from './sep-2076/sep-2076.ts';
import { skillIndexLosses } from './skill-index/build-index.ts';
import { skilljackLosses } from './skilljack/skilljack-resources.ts';
import { skillsOverMcpLosses } from './skills-over-mcp/groves-index.ts';

const lose = (...parts: readonly LostPart[]): readonly Loss[] => parts.map((part) => ({ part, why: 'x' }));
const skill = dialectSkillOf(gitWorkflowEntry);

describe('withoutLost()', () => {
  test('removes the listed parts and nothing else', () => {
    expect(withoutLost(skill, [])).toEqual(skill);
    expect(withoutLost(dialectSkillOf(refundsEntry), lose('prefix')).skillPath).toBe('refunds');
    expect(withoutLost(skill, lose('frontmatter', 'description'))).not.toHaveProperty('frontmatter');
    expect(withoutLost(skill, lose('description'))).not.toHaveProperty('description');
    expect(withoutLost(skill, lose('files'))).toEqual({ ...skill, files: 'unknown' });
    expect(withoutLost(skill, lose('sizes')).files).toMatchObject([{ digest: f1.digest }, {}]);
    expect(withoutLost(skill, lose('sizes')).files).not.toContainEqual(expect.objectContaining({ size: 111 }));
    expect(withoutLost(skill, lose('digests'))).toMatchObject({ verified: 'none', retrievals: [{ kind: 'read' }] });
    expect(withoutLost(skill, lose('digests')).retrievals[0]).not.toHaveProperty('digest');
    const partly = withoutLost(skill, lose('file-digests'));
    expect(partly).toMatchObject({ verified: 'skill-md-only', files: [{ digest: f1.digest }, {}] });
    expect(partly.files[1]).not.toHaveProperty('digest');
    expect(withoutLost(dialectSkillOf(dynamicEntry), lose('dynamic')).files).toBe('unknown');
    expect(withoutLost(dialectSkillOf(dynamicEntry), lose('sizes')).files).toBe('dynamic');
    const named = { ...skill, retrievals: [{ kind: 'get-by-name', name: 'x' }] } as const;
    expect(withoutLost(named, lose('digests')).retrievals).toEqual([{ kind: 'get-by-name', name: 'x' }]);
  });
});

test('every table names each part once, with a reason in one sentence', () => {
  const tables = [
    ...Object.values(skillIndexLosses),
    fastmcpLosses,
    nimblebrainLosses,
    resourceListLosses,
    resourceTemplatesLosses,
    sep2076Losses,
    skilljackLosses,
    skillsOverMcpLosses,
  ];
  for (const table of tables) {
    expect(new Set(table.map(({ part }) => part)).size).toBe(table.length);
    for (const { why } of table) expect(why).toMatch(/^\S.*[^.]$/);
  }
});
