import { describe, expect, test } from 'vitest';
import { gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import { decodeResourcePage } from './decode-resources-list.ts';
import { resourceListLosses, scanSkillFiles } from './scan-skills.ts';

const row = (uri: string, more: object = {}): object => ({ uri, name: '', ...more });
const scan = (...resources: readonly unknown[]) => scanSkillFiles(decodeResourcePage({ resources }).resources);

describe('scanSkillFiles()', () => {
  verifies(['list:skill-md'], 'finds every SKILL.md in a folder and nothing else', () => {
    const { skills, refused } = scan(
      row('skill://acme/onboarding/SKILL.md'),
      row('skill://SKILL.md'),
      row('skill://git-workflow/references/GUIDE.md'),
      row('skill://git-workflow'),
      row('github://owner/repo/skills/refunds/SKILL.md'),
      row('skill://index.json'),
      row('skill://a/../b/SKILL.md'),
      row('file:///home/x/SKILL.md'),
    );
    expect(skills.map(({ name, skillPath }) => [name, skillPath])).toEqual([
      ['onboarding', 'acme/onboarding'],
      ['refunds', 'owner/repo/skills/refunds'],
    ]);
    expect(skills[0]).toEqual({
      uri: 'skill://acme/onboarding/SKILL.md',
      skillPath: 'acme/onboarding',
      name: 'onboarding',
      files: 'unknown',
      retrievals: [{ kind: 'read', uri: 'skill://acme/onboarding/SKILL.md' }],
      verified: 'none',
    });
    expect(refused.map(({ uri }) => uri)).toEqual(['skill://a/../b/SKILL.md', 'file:///home/x/SKILL.md']);
  });

  verifies(['C-14', 'C-18'], 'uses a valid name, else that of the folder, and keeps both', () => {
    const { skills, remarks } = scan(
      row('skill://pdf/SKILL.md', { name: 'pdf/SKILL.md', description: 'd' }),
      row('skill://acme/billing/refunds/SKILL.md', { name: 'refund-handling' }),
      row('skill://My_Skill/SKILL.md', { name: 'SKILL.md' }),
    );
    expect(skills.map(({ name, skillPath }) => [name, skillPath])).toEqual([
      ['pdf', 'pdf'],
      ['refund-handling', 'acme/billing/refunds'],
      ['My_Skill', 'My_Skill'],
    ]);
    expect(remarks.map(({ requirement, uri }) => [requirement, uri])).toEqual([
      ['survey:path-is-locator', 'skill://acme/billing/refunds/SKILL.md'],
      ['S-11', 'skill://My_Skill/SKILL.md'],
    ]);
  });

  verifies(['list:scoped'], 'finds the same skills if a server ignores the scope', () => {
    const { skills } = scan(row('file:///x'), row('skill://a/SKILL.md'), row('skill://a/SKILL.md'), row('db://a'));
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://a/SKILL.md']);
  });

  test('is read back except for its losses', () => {
    const entries = [gitWorkflowEntry, refundsEntry];
    const rows = entries.map(({ uri, frontmatter: { name, description } }) => ({ uri, name, description }));
    expect(scan(...rows).skills).toEqual(
      entries.map((entry) => withoutLost(dialectSkillOf(entry), resourceListLosses)),
    );
  });
});

describe('decodeResourcePage()', () => {
  test('keeps rows with a URI, and only their text fields', () => {
    const page = decodeResourcePage({
      resources: [{ uri: 'a://b', name: 5, title: 't', _meta: { x: 1 } }, null, { name: 'x' }, { uri: 7 }],
      nextCursor: 'n',
    });
    expect(page).toEqual({ resources: [{ uri: 'a://b', title: 't', meta: { x: 1 } }], unusable: 3, nextCursor: 'n' });
  });

  test.each<unknown>([undefined, {}, { resources: 1 }])('refuses %j', (result) => {
    expect(() => decodeResourcePage(result)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});
