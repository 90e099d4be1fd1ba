/**
 * `<available_skills>`, the XML catalog that several dialects give to a model. It is written in the two layouts that
 * servers use, with escaped values. Reading accepts any layout, also that of skills-ref with values on their own lines.
 * It is not an XML parser: it looks for a few tags, resolves the five entities and leaves the rest unchanged.
 */
import { limits } from '../limits.ts';

export interface AvailableSkill {
  readonly name: string;
  readonly description?: string;
  /** From `<location>` or `<uri>`. */
  readonly uri?: string;
}

/** `flat`: one line per skill and tag, no indentation. `indented`: two spaces per level. */
export type AvailableSkillsLayout = 'flat' | 'indented';

export function encodeAvailableSkills(
  skills: readonly AvailableSkill[],
  layout: AvailableSkillsLayout,
  link: 'location' | 'uri',
): string {
  const indent = (level: number): string => (layout === 'flat' ? '' : '  '.repeat(level));
  const lines = ['<available_skills>'];
  for (const { name, description, uri } of skills) {
    lines.push(`${indent(1)}<skill>`, `${indent(2)}<name>${escapeXml(name)}</name>`);
    if (description !== undefined) lines.push(`${indent(2)}<description>${escapeXml(description)}</description>`);
    if (uri !== undefined) lines.push(`${indent(2)}<${link}>${escapeXml(uri)}</${link}>`);
    lines.push(`${indent(1)}</skill>`);
  }
  return [...lines, '</available_skills>'].join('\n');
}

/** The skills in a text; `undefined` if it has no catalog. Skills without a name are skipped. */
export function decodeAvailableSkills(text: string): readonly AvailableSkill[] | undefined {
  const catalog = inside(text, 'available_skills', 0);
  if (catalog === undefined) return undefined;
  const skills: AvailableSkill[] = [];
  for (let at = 0; skills.length < limits.origin.entries; ) {
    const block = inside(catalog.text, 'skill', at);
    if (block === undefined) break;
    at = block.end;
    const name = tagValue(block.text, 'name');
    const description = tagValue(block.text, 'description');
    const uri = tagValue(block.text, 'uri') ?? tagValue(block.text, 'location');
    if (name === undefined) continue;
    skills.push({ name, ...(description === undefined ? {} : { description }), ...(uri === undefined ? {} : { uri }) });
  }
  return skills;
}

const entities: readonly (readonly [character: string, entity: string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
];

export function escapeXml(text: string): string {
  let escaped = text;
  for (const [character, entity] of entities) escaped = escaped.replaceAll(character, entity);
  return escaped;
}

const characters: ReadonlyMap<string, string> = new Map([
  ...entities.map(([character, entity]) => [entity, character] as const),
  ['&#39;', "'"],
  ['&#x27;', "'"],
]);

function unescapeXml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|apos|#39|#x27);/g, (entity) => characters.get(entity) ?? entity);
}

function inside(text: string, tag: string, from: number): { readonly text: string; readonly end: number } | undefined {
  const open = text.indexOf(`<${tag}>`, from);
  if (open === -1) return undefined;
  const start = open + tag.length + 2;
  const close = text.indexOf(`</${tag}>`, start);
  return close === -1 ? undefined : { text: text.slice(start, close), end: close + tag.length + 3 };
}

function tagValue(block: string, tag: string): string | undefined {
  const found = inside(block, tag, 0)?.text.trim();
  return found === undefined || found === '' ? undefined : unescapeXml(found);
}
