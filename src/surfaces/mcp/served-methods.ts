/**
 * The methods of a skills server under its published scheme. SEP-2640 allows any scheme: `github://owner/repo/skills/refunds/SKILL.md`
 * instead of `skill://owner/…`. Internally everything is `skill://`; URIs are converted here, entry by entry. Dialect addresses keep the
 * `skill://` scheme that their readers expect, above all `skill://index.json`.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isFileRow, ownScheme } from './aliases/own-scheme.ts';
import type { ResourceRow } from './catalog-lookups.ts';
import { createSkillMethods, type SkillMethods, type SkillMethodsOptions } from './skill-methods.ts';

export function createServedMethods(catalog: Catalog, options: SkillMethodsOptions): SkillMethods {
  const methods = createSkillMethods(catalog, options);
  return options.scheme === undefined || options.scheme === 'skill' ? methods : withScheme(methods, options.scheme);
}

function withScheme(methods: SkillMethods, scheme: string): SkillMethods {
  const { outward, inward, entry } = ownScheme(scheme);
  const row = (one: ResourceRow): ResourceRow => ({ ...one, uri: outward(one.uri) });
  const either = (uri: string): string => inward(uri) ?? uri;

  function ownUri(uri: string): string {
    const inside = inward(uri);
    if (inside !== undefined) return inside;
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `Cannot get ${quoteText(uri)}: URIs of this server start with "${scheme}://".`,
      { data: { uri } },
    );
  }

  return {
    ...methods,
    async listSkills(params, call) {
      const answer = await methods.listSkills(params, call);
      return { ...answer, skills: answer.skills.map(entry) };
    },
    async getSkill({ uri }, call) {
      const answer = await methods.getSkill({ uri: ownUri(uri) }, call);
      return { ...answer, skill: entry(answer.skill) };
    },
    async getSkillOrNamed(params, call) {
      const { uri } = params;
      const answer = await methods.getSkillOrNamed(uri === undefined ? params : { ...params, uri: ownUri(uri) }, call);
      if ('skill' in answer) return { ...answer, skill: entry(answer.skill) };
      const files = answer.files?.map((file) => ({ ...file, uri: outward(file.uri) }));
      return files === undefined ? answer : { ...answer, files };
    },
    async readDirectory(params, call) {
      const answer = await methods.readDirectory({ ...params, uri: ownUri(params.uri) }, call);
      return { ...answer, resources: answer.resources.map(row) };
    },
    async listResources(params, call) {
      const answer = await methods.listResources(params, call);
      const resources = answer.resources.map((one) => (isFileRow(one) ? row(one) : one));
      return { ...answer, resources };
    },
    async readResource({ uri }, call) {
      const answer = await methods.readResource({ uri: either(uri) }, call);
      const back = ({ uri: found }: { readonly uri: string }): string =>
        found === either(uri) ? uri : inward(uri) === undefined ? found : outward(found);
      return { ...answer, contents: answer.contents.map((content) => ({ ...content, uri: back(content) })) };
    },
    async listResourceTemplates(params, call) {
      const answer = await methods.listResourceTemplates(params, call);
      const resourceTemplates = answer.resourceTemplates.map((template) => ({
        ...template,
        uriTemplate: outward(template.uriTemplate),
      }));
      return { ...answer, resourceTemplates };
    },
    complete: ({ ref, ...params }, call) =>
      methods.complete({ ref: ref.uri === undefined ? ref : { ...ref, uri: either(ref.uri) }, ...params }, call),
    resolveFile: (uri, call) => methods.resolveFile(either(uri), call),
    async changedAliases(change) {
      return [...(await methods.changedAliases(change)), ...change.files.map(outward)];
    },
  };
}
