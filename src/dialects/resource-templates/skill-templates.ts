/**
 * Skills behind resource templates: GitHub-style `skill://{owner}/{repo}/{skill}/{+file}`, per-product
 * `skill://docs/{product}/SKILL.md`, and the same under other schemes. A template names a space of skills, never a
 * skill: it is for a person who picks, and what it leads to is a skill only once its `SKILL.md` has been read or
 * `skills/get` has answered for it. Templates have no digests.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { Loss } from '../losses.ts';
import { badAnswer, decodeNextCursor, type NextCursor } from '../skills-extension/answer-fields.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { expandUriTemplate, parseUriTemplate, type UriTemplate } from './uri-template.ts';

/**
 * `skill-md`: every URI is that of a `SKILL.md`. `any-file`: of any file of a skill. `other`: below `skill://`, of no
 * known kind.
 */
export type TemplateGoal = 'skill-md' | 'any-file' | 'other';

export interface SkillTemplate {
  readonly template: UriTemplate;
  readonly goal: TemplateGoal;
  /** What a picker shows: the segment before `SKILL.md`, or before the file. */
  readonly displayName: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface TemplatePage extends NextCursor {
  readonly templates: readonly SkillTemplate[];
  /** Templates that do not lead to skills. */
  readonly others: number;
  /** Templates that would lead to skills but cannot be read. */
  readonly refused: readonly RefusedSkill[];
}

/** @internal for round trips and the page of the dialects */
export const resourceTemplatesLosses: readonly Loss[] = [
  { part: 'files', why: 'a template says nothing about the files of the skills that it leads to' },
  { part: 'frontmatter', why: 'only the SKILL.md itself has it' },
  { part: 'description', why: 'a template has one description for all of its skills' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

const method = 'resources/templates/list';

/**
 * Reads one page of `resources/templates/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` where there is no list of templates at all.
 */
export function decodeTemplatePage(result: unknown): TemplatePage {
  if (!isJsonObject(result)) throw badAnswer(method, 'it is not an object');
  const rows = result['resourceTemplates'];
  if (!Array.isArray(rows)) throw badAnswer(method, 'it has no list "resourceTemplates"');
  const templates: SkillTemplate[] = [];
  const refused: RefusedSkill[] = [];
  let others = 0;
  for (const row of rows.slice(0, limits.origin.entries)) {
    const text = isJsonObject(row) ? row['uriTemplate'] : undefined;
    if (!isJsonObject(row) || typeof text !== 'string') {
      refused.push({ faults: [{ requirement: 'template:row', message: 'uriTemplate is not text' }] });
      continue;
    }
    const reading = parseUriTemplate(text);
    if (!reading.ok) {
      if (!mayLeadToSkills(text)) others++;
      else refused.push({ uri: text.slice(0, limits.uri.characters), faults: [templateFault(text, reading.fault)] });
      continue;
    }
    const found = skillTemplateOf(reading.template, row);
    if (found === undefined) others++;
    else templates.push(found);
  }
  return { templates, others, refused, ...decodeNextCursor(result) };
}

function templateFault(text: string, fault: string): { readonly requirement: string; readonly message: string } {
  return { requirement: 'template:row', message: `the template ${quoteText(text)} ${fault}` };
}

/** For texts that are no template that we read: whether somebody would miss it. */
function mayLeadToSkills(text: string): boolean {
  return /^skill:\/\//i.test(text) || text.endsWith(`/${skillFileName}`);
}

/** The template as one that leads to skills, or undefined where it does not. */
export function skillTemplateOf(
  template: UriTemplate,
  row: Readonly<Record<string, unknown>> = {},
): SkillTemplate | undefined {
  const last = template.segments.at(-1);
  const leaf = last?.kind === 'one' && last.parts.length === 1 ? last.parts[0] : undefined;
  const fixed = leaf?.kind === 'literal' && leaf.text === skillFileName && !template.trailingSlash;
  const goal = fixed ? 'skill-md' : last?.kind === 'rest' ? 'any-file' : 'other';
  if (template.variables.length === 0 || (template.scheme !== 'skill' && goal !== 'skill-md')) return undefined;
  const texts: Record<string, string> = {};
  for (const key of ['name', 'title', 'description', 'mimeType'] as const) {
    const value = row[key];
    if (typeof value === 'string') texts[key] = value;
  }
  return { template, goal, displayName: displayNameOf(template, goal), ...texts };
}

/** The segment that stands for the skill, with its braces. */
function displayNameOf({ text, scheme, segments }: UriTemplate, goal: TemplateGoal): string {
  const shown = text
    .slice(scheme.length + 3)
    .replace(/\/$/, '')
    .split('/');
  if (goal === 'other' || segments.length < 2) return shown.at(-1) ?? text;
  return shown.at(-2) ?? text;
}

/**
 * The URI of the `SKILL.md` for values of the variables. Of a template for any file, the one that stands for the file
 * is left out.
 *
 * @throws SkillwireError `USAGE` as expandUriTemplate() does, and for a template that leads to no `SKILL.md`.
 */
export function skillUriOfTemplate(found: SkillTemplate, values: Readonly<Record<string, string>>): string {
  const { template, goal } = found;
  if (goal === 'skill-md') return expandUriTemplate(template, values);
  const last = template.segments.at(-1);
  if (goal === 'any-file' && last?.kind === 'rest' && template.segments.length > 1)
    return expandUriTemplate(template, { ...values, [last.name]: skillFileName });
  throw new SkillwireError(
    'USAGE',
    `cannot make the URI of a skill from the template ${quoteText(template.text)}: it does not say where a SKILL.md is`,
    { data: { template: template.text } },
  );
}

/** The variables that a person has to choose to get to a skill. */
export function chosenVariables({ template, goal }: SkillTemplate): readonly string[] {
  return goal === 'any-file' ? template.variables.slice(0, -1) : template.variables;
}

export interface TemplateRow {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/**
 * A row of `resources/templates/list` for a space of skills.
 *
 * @throws SkillwireError `USAGE` for a template that cannot be read or leads to no skills.
 */
export function encodeTemplateRow(row: TemplateRow): TemplateRow {
  const reading = parseUriTemplate(row.uriTemplate);
  const fault = reading.ok
    ? skillTemplateOf(reading.template) === undefined
      ? 'does not lead to skills'
      : undefined
    : reading.fault;
  if (fault !== undefined)
    throw new SkillwireError('USAGE', `cannot publish the template ${quoteText(row.uriTemplate)}: it ${fault}`, {
      data: { template: row.uriTemplate },
    });
  const { uriTemplate, name, title, description, mimeType } = row;
  return {
    uriTemplate,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}
