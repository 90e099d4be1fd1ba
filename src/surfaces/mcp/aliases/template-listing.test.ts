import { describe, expect } from 'vitest';
import { f1, f2, f3, f6 } from '../../../../test/dialect-fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { createCatalog } from '../../../catalog/create-catalog.ts';
import { memorySource } from '../../../sources/memory.ts';
import type { MethodCall } from '../cache-fields.ts';
import { createSkillMethods, type SkillMethods } from '../skill-methods.ts';

const modern: MethodCall = { era: 'modern', context: {} };

function serving(): SkillMethods {
  const source = memorySource({
    'git-workflow': { 'SKILL.md': f1.text, 'references/GUIDE.md': f2.text, 'assets/raw.bin': f3.bytes },
    'acme/billing/refunds': { 'SKILL.md': '---\nname: refunds\ndescription: Pay back.\n---\n' },
    'outer/inner': { 'SKILL.md': f6.text },
  });
  return createSkillMethods(createCatalog(source));
}

describe('templates and completion', () => {
  const complete = async (uri: string, name: string, value: string, chosen = {}): Promise<readonly string[]> =>
    (
      await serving().complete(
        { ref: { type: 'ref/resource', uri }, argument: { name, value }, context: { arguments: chosen } },
        modern,
      )
    ).completion.values;

  verifies(['survey:templates'], 'there is a template for each folder of skills', async () => {
    const { resourceTemplates } = await serving().listResourceTemplates({}, modern);
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'skill://{+path}',
      'skill://acme/billing/{skill}/SKILL.md',
      'skill://outer/{skill}/SKILL.md',
    ]);
    expect(await complete('skill://acme/billing/{skill}/SKILL.md', 'skill', 'R')).toEqual(['refunds']);
  });

  verifies(['skilljack:completion'], 'variables of every skill template are completed', async () => {
    expect(await complete('skill://acme/{domain}/{workflow}/SKILL.md', 'domain', '')).toEqual(['billing']);
    expect(await complete('skill://acme/{domain}/{workflow}/SKILL.md', 'workflow', '', { domain: 'x' })).toEqual([]);
    expect(await complete('skill://{skill_path}/{+file}', 'skill_path', 'GIT')).toEqual(['git-workflow']);
    expect(await complete('skill://{skill_path}/{+file}', 'file', 'ref', { skill_path: 'git-workflow' })).toEqual([
      'references/GUIDE.md',
    ]);
    expect(await complete('skill://lookup/{name}', 'name', 're')).toEqual(['refunds']);
    expect(await complete('skill://{skillName}', 'skillName', 'g')).toEqual(['git-workflow']);
    expect(
      await complete('skill://{skillName}/document/{+documentPath}', 'documentPath', '', { skillName: 'git-workflow' }),
    ).toEqual(['assets/raw.bin', 'references/GUIDE.md']);
    await expect(complete('not a template', 'x', '')).rejects.toMatchObject({ code: 'USAGE' });
  });
});
