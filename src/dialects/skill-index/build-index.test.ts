import { describe, expect, test } from 'vitest';
import {
  dynamicEntry,
  f1,
  gitWorkflowEntry,
  innerEntry,
  outerEntry,
  refundsEntry,
} from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import { buildSkillIndex, indexEntryOf, skillIndexLosses } from './build-index.ts';
import { decodeSkillIndex, skillIndexSchema } from './decode-index.ts';
import type { IndexForm } from './decode-index-entry.ts';

const archives = [{ format: 'tar.gz' as const, digest: `sha256:${'a'.repeat(64)}` }];
const entries = [gitWorkflowEntry, outerEntry, innerEntry, refundsEntry, dynamicEntry];

interface Row {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly description?: unknown;
  readonly url?: unknown;
  readonly digest?: unknown;
  readonly frontmatter?: { readonly name?: unknown };
  readonly archives?: readonly { readonly mimeType: string }[];
}

/** The rows that mcpc 0.x shows: form A, without unknown types; an absent type counts as `skill-md`. */
function asMcpc(document: unknown): readonly unknown[] {
  const { skills } = document as { readonly skills: readonly Row[] };
  return skills
    .map(({ name, description, type = 'skill-md', url }) => ({ name, description, type, url }))
    .filter(({ name, type, url }) =>
      type === 'mcp-resource-template'
        ? typeof url === 'string'
        : ['skill-md', 'archive'].includes(String(type)) && name,
    );
}

/** The entries that goose took of form B: a frontmatter with a name, and the first archive of a known type. */
function asGoose(document: unknown): readonly unknown[] {
  const { skills } = document as { readonly skills: readonly Row[] };
  return skills
    .filter(({ frontmatter }) => typeof frontmatter?.name === 'string')
    .map(({ frontmatter, url, digest, archives: packed }) => ({
      name: frontmatter?.name,
      url,
      digest,
      archive: packed?.find(({ mimeType }) => /gzip|zip/.test(mimeType)),
    }));
}

/** Only the fields of one form. */
function asForm(form: IndexForm, entry: (typeof entries)[number]): unknown {
  const { name, type, description, url, digest, frontmatter, uri, resources } = indexEntryOf({ entry });
  if (form === 'A') return { name, type, description, url, ...(digest === undefined ? {} : { digest }) };
  if (form === 'B') return { frontmatter, url, ...(digest === undefined ? {} : { digest }) };
  return { uri, frontmatter, resources };
}

describe('buildSkillIndex()', () => {
  verifies(['C-1', 'C-4'], 'one entry per skill suits readers of each form, always with a digest', () => {
    const document = buildSkillIndex([{ entry: gitWorkflowEntry, archives }]);
    expect(document.$schema).toBe(skillIndexSchema);
    expect(Object.keys(document.skills[0] ?? {})).toEqual([
      'name',
      'type',
      'description',
      'url',
      'digest',
      'frontmatter',
      'archives',
      'uri',
      'resources',
    ]);
    const { name, description } = gitWorkflowEntry.frontmatter;
    expect(asMcpc(document)).toEqual([{ name, description, type: 'skill-md', url: gitWorkflowEntry.uri }]);
    const archive = { url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip', digest: archives[0]?.digest };
    expect(asGoose(document)).toEqual([{ name, url: gitWorkflowEntry.uri, digest: f1.digest, archive }]);
    const reading = decodeSkillIndex(document);
    expect(reading).toMatchObject({ refused: [], remarks: [], forms: ['C'] });
    expect(reading.skills[0]?.files).toEqual(dialectSkillOf(gitWorkflowEntry).files);
  });

  verifies(['C-2'], 'archive entries are off by default, and have no frontmatter', () => {
    const skills = [{ entry: gitWorkflowEntry, archives }, { entry: outerEntry }];
    expect(asMcpc(buildSkillIndex(skills))).toHaveLength(2);
    const document = buildSkillIndex(skills, { archiveEntries: true });
    expect(asMcpc(document).map((row) => (row as Row).type)).toEqual(['skill-md', 'archive', 'skill-md']);
    expect(document.skills[1]).not.toHaveProperty('frontmatter');
    expect(asGoose(document)).toHaveLength(2);
    expect(decodeSkillIndex(document).skills).toHaveLength(2);
  });

  verifies(['C-3'], 'a template has an entry without frontmatter', () => {
    const template = { uriTemplate: 'skill://docs/{product}/SKILL.md', description: 'Documentation per product' };
    const document = buildSkillIndex([{ entry: gitWorkflowEntry }], { templates: [template] });
    expect(document.skills[1]).toEqual({
      type: 'mcp-resource-template',
      description: 'Documentation per product',
      url: 'skill://docs/{product}/SKILL.md',
    });
    expect(asGoose(document)).toHaveLength(1);
    const reading = decodeSkillIndex(document);
    expect(reading.skills).toHaveLength(1);
    expect(reading.templates.map(({ template: { text } }) => text)).toEqual(['skill://docs/{product}/SKILL.md']);
  });

  verifies(['C-5'], 'the archive of a skill is at its path with a suffix, which both drafts understand', () => {
    const formats = [...archives, { format: 'zip' as const, digest: `sha256:${'b'.repeat(64)}` }];
    const document = buildSkillIndex([{ entry: refundsEntry, archives: formats }], { archiveEntries: true });
    expect(indexEntryOf({ entry: refundsEntry, archives: formats }).archives?.map(({ url }) => url)).toEqual([
      'skill://acme/billing/refunds.tar.gz',
      'skill://acme/billing/refunds.zip',
    ]);
    const alone = decodeSkillIndex({ skills: [document.skills[1]] });
    expect(alone.skills[0]).toMatchObject({
      skillPath: 'acme/billing/refunds',
      uri: refundsEntry.uri,
      verified: 'full',
    });
  });

  verifies(['C-6'], 'a nested skill is a separate flat entry', () => {
    const document = buildSkillIndex([{ entry: outerEntry }, { entry: innerEntry }]);
    expect(asMcpc(document).map((row) => (row as Row).name)).toEqual(['outer', 'inner']);
    expect(decodeSkillIndex(document).skills.map(({ skillPath }) => skillPath)).toEqual(['outer', 'outer/inner']);
  });

  test.each<IndexForm>(['A', 'B', 'C'])('is read back from form %s except for the losses of that form', (form) => {
    const { skills, refused } = decodeSkillIndex({ skills: entries.map((entry) => asForm(form, entry)) });
    expect(refused).toEqual([]);
    expect(skills).toEqual(entries.map((entry) => withoutLost(dialectSkillOf(entry), skillIndexLosses[form])));
  });

  test('writes no digest for a dynamic skill, and refuses to pack one', () => {
    expect(indexEntryOf({ entry: dynamicEntry })).not.toHaveProperty('digest');
    expect(() => indexEntryOf({ entry: dynamicEntry, archives })).toThrow(/is dynamic and has an archive/);
  });

  test('normalizes other schemes', () => {
    const uri = 'github://acme/tools/skills/refunds/SKILL.md';
    const entry = { uri, frontmatter: { name: 'refunds', description: 'd' }, resources: 'dynamic' as const };
    expect(indexEntryOf({ entry }).url).toBe(uri);
    expect(() => indexEntryOf({ entry: { ...entry, uri: 'github://acme/%74ools/refunds/SKILL.md' } })).toThrow(/usual/);
  });

  test.each<[what: string, run: () => unknown]>([
    [
      'an entry that breaks a rule',
      () => buildSkillIndex([{ entry: { ...outerEntry, uri: 'skill://inner/SKILL.md' } }]),
    ],
    ['two entries with one URI', () => buildSkillIndex([{ entry: outerEntry }, { entry: outerEntry }])],
    [
      'an archive without a digest',
      () => buildSkillIndex([{ entry: outerEntry, archives: [{ format: 'zip', digest: 'sha1:0' }] }]),
    ],
  ])('refuses %s', (_what, run) => {
    expect(run).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });

  test('refuses a template that does not lead to skills', () => {
    const templates = [{ uriTemplate: 'file://{path}', description: 'd' }];
    expect(() => buildSkillIndex([], { templates })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
