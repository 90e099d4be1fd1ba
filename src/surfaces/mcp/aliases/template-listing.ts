/**
 * Templates of skill URIs besides `skill://{+path}`: one per folder of skills and, if enabled, those of older dialects. Also completes
 * variables of any template that can lead to a listed skill, even one that we did not list.
 */
import type { Snapshot } from '../../../catalog/snapshot.ts';
import { type CompletionAnswer, encodeCompletion } from '../../../dialects/resource-templates/completion.ts';
import { matchUriTemplate, parseUriTemplate } from '../../../dialects/resource-templates/uri-template.ts';
import { skilljackTemplates } from '../../../dialects/skilljack/skilljack-resources.ts';
import { grovesTemplates } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { limits } from '../../../limits.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { buildSkillUri } from '../../../skill/skill-uri.ts';
import { skillNames } from './names.ts';
import type { DialectSettings } from './served-dialects.ts';

export interface ListedTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
}

/** One template per folder of skills. */
export function folderTemplates(listed: Snapshot['listed']): ListedTemplate[] {
  const folders = new Map<string, number>();
  for (const { path } of listed) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder !== '') folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders].slice(0, limits.dialects.folderTemplates).map(([folder, count]) => ({
    uriTemplate: `${buildSkillUri(folder)}/{skill}/${skillFileName}`,
    name: `skills-in-${folder.replaceAll('/', '-')}`,
    title: `Skills in ${folder}`,
    description: `One of ${count === 1 ? '1 skill' : `${count} skills`} in the folder ${folder}`,
    mimeType: 'text/markdown',
  }));
}

/** Rows besides the template for any file. */
export function templateRows({ listed }: Snapshot, settings: DialectSettings): readonly ListedTemplate[] {
  const rows = settings.served.has('resource-templates') ? folderTemplates(listed) : [];
  if (settings.listAliases !== true) return rows;
  const named = (uriTemplate: string, name: string, description: string): number =>
    rows.push({ uriTemplate, name, title: name, description, mimeType: 'text/markdown' });
  if (settings.served.has('skilljack')) {
    named(skilljackTemplates.skill, 'skill', 'The SKILL.md of a skill by its name');
    named(skilljackTemplates.collection, 'skill-collection', 'All other files of a skill by its name');
  }
  if (settings.served.has('skills-over-mcp')) {
    named(grovesTemplates.lookup, 'skill-lookup', 'The SKILL.md of a skill by its name');
    named(grovesTemplates.document, 'skill-document', 'A document of a skill by its name and path');
  }
  return rows;
}

/** Variables of older dialects for the name of a skill. */
const nameVariables: ReadonlyMap<string, string> = new Map([
  [skilljackTemplates.skill, 'skillName'],
  [skilljackTemplates.collection, 'skillName'],
  [grovesTemplates.document, 'skillName'],
  [grovesTemplates.lookup, 'name'],
]);

/** Values for a variable of a template; `undefined` if the text is not a template. */
export function completeTemplate(
  snapshot: Snapshot,
  uriTemplate: string,
  argument: { readonly name: string; readonly value: string },
  chosen: Readonly<Record<string, string>>,
): CompletionAnswer | undefined {
  if (nameVariables.get(uriTemplate) === argument.name)
    return encodeCompletion(
      skillNames(snapshot).named.map(({ name }) => name),
      argument.value,
    );
  if (uriTemplate === grovesTemplates.document) return encodeCompletion(documentsOf(snapshot, chosen), argument.value);
  const reading = parseUriTemplate(uriTemplate);
  if (!reading.ok) return undefined;
  const { template } = reading;
  const anyFile = template.segments.at(-1)?.kind === 'rest';
  const values = new Set<string>();
  for (const skill of snapshot.listed)
    for (const uri of anyFile ? [...skill.files.values()].map((file) => file.uri) : [skill.entry.uri]) {
      const found = matchUriTemplate(template, uri);
      const value = found?.[argument.name];
      if (value !== undefined && Object.entries(chosen).every(([name, other]) => (found?.[name] ?? other) === other))
        values.add(value);
    }
  return encodeCompletion(values, argument.value);
}

function documentsOf(snapshot: Snapshot, { skillName = '' }: Readonly<Record<string, string>>): readonly string[] {
  const skill = skillNames(snapshot).byName.get(skillName);
  return skill === undefined ? [] : [...skill.files.keys()].filter((path) => path !== skillFileName);
}
