import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import {
  chosenVariables,
  decodeTemplatePage,
  encodeTemplateRow,
  type ParsedSkillTemplate,
  skillUriOfTemplate,
} from './skill-templates.ts';

const repositoryTemplate = 'skill://{owner}/{repo}/{skill_name}/{+file_path}';

function only(uriTemplate: string): ParsedSkillTemplate {
  const [template] = decodeTemplatePage({ resourceTemplates: [{ uriTemplate, name: 'x' }] }).templates;
  if (template === undefined) throw new Error(`${uriTemplate} leads to no skills`);
  return template;
}

describe('decodeTemplatePage()', () => {
  verifies(['survey:templates', 'template:row'], 'finds skill templates among others', () => {
    const page = decodeTemplatePage({
      resourceTemplates: [
        { uriTemplate: repositoryTemplate, name: 'file', description: 'A file', mimeType: 'text/markdown', title: 5 },
        { uriTemplate: 'skill://docs/{product}/SKILL.md', name: 'docs' },
        { uriTemplate: 'github://{owner}/{repo}/skills/{name}/SKILL.md', name: 'foreign' },
        { uriTemplate: 'skill://lookup/{name}', name: 'lookup' },
        { uriTemplate: 'repo://{owner}/{+path}', name: 'repository' },
        { uriTemplate: 'https://x/{?q}', name: 'search' },
        { uriTemplate: 'skill://{a}{b}', name: 'broken' },
        { name: 'none' },
        null,
      ],
      nextCursor: 'n',
    });
    expect(page.templates.map(({ template: { text }, goal, displayName }) => [text, goal, displayName])).toEqual([
      [repositoryTemplate, 'any-file', '{skill_name}'],
      ['skill://docs/{product}/SKILL.md', 'skill-md', '{product}'],
      ['github://{owner}/{repo}/skills/{name}/SKILL.md', 'skill-md', '{name}'],
      ['skill://lookup/{name}', 'other', '{name}'],
    ]);
    expect(page.templates[0]).toMatchObject({ name: 'file', description: 'A file', mimeType: 'text/markdown' });
    expect(page.templates[0]).not.toHaveProperty('title');
    expect(page).toMatchObject({ others: 2, nextCursor: 'n' });
    expect(page.refused.map(({ uri }) => uri)).toEqual(['skill://{a}{b}', undefined, undefined]);
  });

  test('does not accept a URI without variables as a template', () => {
    expect(decodeTemplatePage({ resourceTemplates: [{ uriTemplate: 'skill://a/SKILL.md' }] })).toMatchObject({
      templates: [],
      others: 1,
    });
  });

  test.each<unknown>([null, {}, { resourceTemplates: 'x' }])('refuses %j', (result) => {
    expect(() => decodeTemplatePage(result)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

describe('skillUriOfTemplate()', () => {
  verifies(['survey:templates'], 'returns the SKILL.md for the chosen variables', () => {
    const repository = only(repositoryTemplate);
    expect(chosenVariables(repository)).toEqual(['owner', 'repo', 'skill_name']);
    expect(skillUriOfTemplate(repository, { owner: 'anthropics', repo: 'skills', skill_name: 'pptx' })).toBe(
      'skill://anthropics/skills/pptx/SKILL.md',
    );
    const docs = only('skill://docs/{product}/SKILL.md');
    expect(chosenVariables(docs)).toEqual(['product']);
    expect(skillUriOfTemplate(docs, { product: 'x' })).toBe('skill://docs/x/SKILL.md');
    expect(skillUriOfTemplate(only('skill://{skill_path}/{+file}'), { skill_path: 'x' })).toBe('skill://x/SKILL.md');
  });

  test.each(['skill://{+path}', 'skill://lookup/{name}'])('refuses %s, which does not lead to a skill', (text) => {
    expect(() => skillUriOfTemplate(only(text), { path: 'a', name: 'a' })).toThrow(/does not say where/);
  });
});

describe('encodeTemplateRow()', () => {
  test('writes a row that is read back', () => {
    const row = { uriTemplate: 'skill://docs/{product}/SKILL.md', name: 'docs', title: 't', description: 'd' };
    expect(encodeTemplateRow({ ...row, mimeType: 'text/markdown' })).toEqual({ ...row, mimeType: 'text/markdown' });
    const [template] = decodeTemplatePage({ resourceTemplates: [encodeTemplateRow(row)] }).templates;
    expect(template).toMatchObject({ name: 'docs', title: 't', description: 'd', template: { text: row.uriTemplate } });
  });

  test.each(['skill://{a', 'repo://{a}', 'skill://a'])('refuses %s', (uriTemplate) => {
    expect(() => encodeTemplateRow({ uriTemplate, name: 'x' })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
