/**
 * Skills behind resource templates: `skill://{owner}/{repo}/{skill}/{+file}` as on GitHub,
 * `skill://docs/{product}/SKILL.md` per product, and the same under other schemes. A template is a space of skills for
 * a person to choose from, not a skill. A chosen URI is a skill once its `SKILL.md` was read or `skills/get` answered.
 * Templates have no digests.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { Loss } from '../dialect-skill.ts';
import { badAnswer, decodeNextCursor, type NextCursor } from '../skills-extension/answer-fields.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { expandUriTemplate, parseUriTemplate, type UriTemplate } from './uri-template.ts';

/**
 * `skill-md`: every URI is a `SKILL.md`. `any-file`: any file of a skill. `other`: below `skill://`, of unknown kind.
 */
export type TemplateGoal = 'skill-md' | 'any-file' | 'other';

export interface ParsedSkillTemplate {
  readonly template: UriTemplate;
  readonly goal: TemplateGoal;
  /** The label for a picker: the segment before `SKILL.md`, or before the file. */
  readonly displayName: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface TemplatePage extends NextCursor {
  readonly templates: readonly ParsedSkillTemplate[];
  /** Number of templates that do not lead to skills. */
  readonly others: number;
  /** Templates that lead to skills but cannot be read. */
  readonly refused: readonly RefusedSkill[];
}

/** @internal for round trips and the dialects page */
export const resourceTemplatesLosses: readonly Loss[] = [
  { part: 'files', why: 'a template says nothing about the files of its skills' },
  { part: 'frontmatter', why: 'only the SKILL.md has it' },
  { part: 'description', why: 'a template has one description for all its skills' },
  { part: 'sizes', why: 'there is no manifest' },
  { part: 'digests', why: 'there is no manifest' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

const method = 'resources/templates/list';

/**
 * Reads one page of `resources/templates/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of templates
 */
export function decodeTemplatePage(result: unknown): TemplatePage {
  if (!isJsonObject(result)) throw badAnswer(method, 'it is not an object');
  const rows = result['resourceTemplates'];
  if (!Array.isArray(rows)) throw badAnswer(method, 'it has no list "resourceTemplates"');
  const templates: ParsedSkillTemplate[] = [];
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

/** For unreadable templates: true if they might have led to skills. */
function mayLeadToSkills(text: string): boolean {
  return /^skill:\/\//i.test(text) || text.endsWith(`/${skillFileName}`);
}

/** The template, if it leads to skills. */
export function skillTemplateOf(
  template: UriTemplate,
  row: Readonly<Record<string, unknown>> = {},
): ParsedSkillTemplate | undefined {
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
 * The `SKILL.md` URI for values of the variables. In a template for any file, the file variable is not needed.
 *
 * @throws SkillwireError `USAGE` like expandUriTemplate(), and for a template that leads to no `SKILL.md`
 */
export function skillUriOfTemplate(found: ParsedSkillTemplate, values: Readonly<Record<string, string>>): string {
  const { template, goal } = found;
  if (goal === 'skill-md') return expandUriTemplate(template, values);
  const last = template.segments.at(-1);
  if (goal === 'any-file' && last?.kind === 'rest' && template.segments.length > 1)
    return expandUriTemplate(template, { ...values, [last.name]: skillFileName });
  throw new SkillwireError(
    'USAGE',
    `Cannot build a skill URI from the template ${quoteText(template.text)}: it does not say where a SKILL.md is.`,
    { data: { template: template.text } },
  );
}

/** The variables that a person must choose to get to a skill. */
export function chosenVariables({ template, goal }: ParsedSkillTemplate): readonly string[] {
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
 * @throws SkillwireError `USAGE` for a template that cannot be read or leads to no skills
 */
export function encodeTemplateRow(row: TemplateRow): TemplateRow {
  const reading = parseUriTemplate(row.uriTemplate);
  const fault = reading.ok
    ? skillTemplateOf(reading.template) === undefined
      ? 'does not lead to skills'
      : undefined
    : reading.fault;
  if (fault !== undefined)
    throw new SkillwireError('USAGE', `Cannot publish the template ${quoteText(row.uriTemplate)}: it ${fault}.`, {
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
