/** Extracts skills, templates and refusals from the answers that identified a dialect. Sends no requests. */
import { type DialectId, type DialectSkill, skillPathOf } from '../../../dialects/dialect-skill.ts';
import { mentionedUris } from '../../../dialects/mentioned-uris.ts';
import { decodeUsageRows } from '../../../dialects/nimblebrain/usage-resource.ts';
import { decodeReadDocument } from '../../../dialects/read-text.ts';
import { decodeResourcePage, type ListedResource } from '../../../dialects/resource-list/decode-resources-list.ts';
import { scanSkillFiles } from '../../../dialects/resource-list/scan-skills.ts';
import { decodeTemplatePage, type ParsedSkillTemplate } from '../../../dialects/resource-templates/skill-templates.ts';
import { decodeNamedPage } from '../../../dialects/sep-2076/decode-named.ts';
import { decodeSkillIndex, skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { decodeSkilljackRows } from '../../../dialects/skilljack/skilljack-resources.ts';
import type { RefusedSkill } from '../../../dialects/skills-extension/decode-entry.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { decodeGrovesIndex } from '../../../dialects/skills-over-mcp/groves-index.ts';
import { grovesIndexUri } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { skillFileUri } from '../../../skill/skill-uri.ts';
import type { Interview } from './interview.ts';

export interface AnsweredSkills {
  readonly dialect: DialectId | 'none';
  /** By the `SKILL.md` URI under which they are published. */
  readonly skills: ReadonlyMap<string, DialectSkill>;
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
  readonly templates: readonly ParsedSkillTemplate[];
  /** URIs of file lists, by the skill's URI in its dialect. */
  readonly documents: ReadonlyMap<string, string>;
}

interface DialectRows extends Partial<Omit<AnsweredSkills, 'dialect' | 'skills'>> {
  readonly skills?: readonly DialectSkill[];
}

export function answeredSkills(interview: Interview): AnsweredSkills {
  const { dialect, state } = interview.verdict;
  const rows = dialect === 'none' || state === 'failed' ? {} : rowsIn(dialect, interview);
  const skills = new Map<string, DialectSkill>();
  const refused = [...(rows.refused ?? [])];
  for (const skill of rows.skills ?? []) {
    const uri = entryUriOf(skill);
    if (!skills.has(uri)) skills.set(uri, skill);
    else
      refused.push({
        uri,
        name: skill.name,
        faults: [{ requirement: 'C-25', message: `${quoteText(uri)} is listed twice; the first is used` }],
      });
  }
  const { remarks = [], templates = [], documents = new Map() } = rows;
  return { dialect, skills, refused, remarks, templates, documents };
}

/** The URI of a skill's `SKILL.md`; in dialects without one, the URI that it would have. */
export function entryUriOf({ uri, skillPath }: Pick<DialectSkill, 'uri' | 'skillPath'>): string {
  return skillPathOf(uri) === undefined ? skillFileUri(skillPath, skillFileName) : uri;
}

function rowsIn(dialect: DialectId, interview: Interview): DialectRows {
  const [first] = interview.results(dialect === 'skill-index' ? 'skill-index' : 'groves-index');
  switch (dialect) {
    case 'skill-index':
      return indexSkills(first);
    case 'skills-over-mcp':
      return decodeGrovesIndex(decodeReadDocument(first, grovesIndexUri, limits.origin.pageBytes));
    case 'sep-2076':
      return namedSkills(interview.results('named-list'));
    case 'fastmcp':
      return scanSkillFiles(listed(interview, 'resources-list'));
    case 'resource-list': {
      const whole = scanSkillFiles(listed(interview, 'resources-list'));
      return whole.skills.length + whole.refused.length > 0 ? whole : scanSkillFiles(listed(interview, 'scoped-list'));
    }
    case 'skilljack':
      return decodeSkilljackRows(listed(interview, 'resources-list'));
    case 'nimblebrain':
      return decodeUsageRows(listed(interview, 'resources-list'));
    case 'resource-templates':
      return templateRows(interview.results('templates-list'));
    case 'instructions':
      return { skills: mentionedSkills(interview.instructions ?? '') };
    case 'skills-extension':
      return {};
  }
}

function listed(interview: Interview, kind: 'resources-list' | 'scoped-list'): readonly ListedResource[] {
  return interview.results(kind).flatMap((page) => decodeResourcePage(page).resources);
}

function indexSkills(document: unknown): DialectRows {
  const index = decodeSkillIndex(decodeReadDocument(document, skillIndexUri, limits.origin.pageBytes));
  const skipped = [...new Set(index.skipped)].map((type) =>
    remark('index:unknown-type', `the index has entries of the unknown type ${quoteText(type)}`),
  );
  return { ...index, remarks: [...index.remarks, ...skipped] };
}

function namedSkills(pages: readonly unknown[]): DialectRows {
  const skills: DialectSkill[] = [];
  const refused: RefusedSkill[] = [];
  const remarks: Remark[] = [];
  for (const page of pages) {
    const reading = decodeNamedPage(page);
    remarks.push(...reading.remarks);
    refused.push(...reading.refused);
    for (const skill of reading.skills) {
      const needed = reading.required.get(skill.name);
      if (needed === undefined) skills.push(skill);
      else
        refused.push({
          name: skill.name,
          faults: [
            {
              requirement: 'sep2076:get',
              message: `the skill requires values for ${needed.map((one) => quoteText(one)).join(', ')}, which are missing`,
            },
          ],
        });
    }
  }
  return { skills, refused, remarks };
}

export function templateRows(
  pages: readonly unknown[],
): DialectRows & { readonly templates: readonly ParsedSkillTemplate[] } {
  const read = pages.map((page) => decodeTemplatePage(page));
  return {
    templates: read.flatMap(({ templates }) => templates),
    refused: read.flatMap(({ refused }) => refused),
  };
}

function mentionedSkills(instructions: string): readonly DialectSkill[] {
  return mentionedUris(instructions).flatMap(({ uri, skillFile }) => {
    const skill = skillFile ? unlistedSkill(uri) : undefined;
    return skill === undefined ? [] : [skill];
  });
}

/** A skill of which only the `SKILL.md` URI is known. */
export function unlistedSkill(uri: string): DialectSkill | undefined {
  const skillPath = skillPathOf(uri);
  if (skillPath === undefined || skillPath === '') return undefined;
  const name = skillPath.slice(skillPath.lastIndexOf('/') + 1);
  return { uri, skillPath, name, files: 'unknown', retrievals: [{ kind: 'read', uri }], verified: 'none' };
}
