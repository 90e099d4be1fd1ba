/**
 * Reads name and description from a skill's text, for dialects that do not carry them on the wire. Such servers never
 * checked the frontmatter, so a name that Agent Skills forbids is accepted with a remark; ambiguous YAML is not. If a
 * dialect needs no frontmatter, one is composed from the list row. The text then differs from what the server sent, so
 * nothing can be verified with it.
 */
import type { DialectId, DialectSkill } from '../../../dialects/dialect-skill.ts';
import { legacyNameFault } from '../../../dialects/legacy-name.ts';
import { usageDescription } from '../../../dialects/nimblebrain/usage-resource.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { skillTextFault } from '../../../dialects/skills-over-mcp/groves-index.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText, shortText } from '../../../skill/display-text.ts';
import type { Frontmatter, JsonValue } from '../../../skill/entry.ts';
import { readFrontmatter } from '../../../skill/frontmatter.ts';
import { findFences } from '../../../skill/frontmatter-fences.ts';
import { readFrontmatterYaml } from '../../../skill/frontmatter-yaml.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import { setOwn } from '../../../skill/yaml-tree.ts';
import { composeSkillFile } from '../../generated-text.ts';

export interface DialectSkillHead {
  readonly frontmatter: Frontmatter;
  /** True if the text has no such frontmatter itself. */
  readonly made: boolean;
  readonly remarks: readonly Remark[];
}

/** Dialects that need no frontmatter. */
const bareTexts: readonly DialectId[] = ['fastmcp', 'nimblebrain'];

/** @throws SkillwireError BAD_ANSWER if the text is not that of a skill */
export function readHead(skill: DialectSkill, uri: string, bytes: Uint8Array, dialect: DialectId): DialectSkillHead {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw unusable(uri, 'it is not UTF-8');
  const bare = bareTexts.includes(dialect);
  const fault = skillTextFault(text);
  if (fault !== undefined && !bare) throw unusable(uri, `the text ${fault}`);
  const own = readFrontmatter(bytes);
  if (own.ok) return { frontmatter: own.frontmatter, made: false, remarks: moved(skill, own.frontmatter, uri) };
  const [problem] = own.findings.filter(({ level }) => level === 'problem');
  const why = problem?.message ?? 'its frontmatter cannot be read';
  const fields = fault === undefined ? readableFields(bytes) : undefined;
  const { name, description } = fields ?? {};
  if (fields !== undefined && isText(name) && isText(description) && legacyNameFault(name) === undefined) {
    const frontmatter = fields as Frontmatter;
    const untidy = remark('S-5', `its SKILL.md breaks the rules of Agent Skills: ${why}`, uri);
    return { frontmatter, made: false, remarks: [untidy, ...moved(skill, frontmatter, uri)] };
  }
  if (!bare) throw unusable(uri, why);
  const summary = skill.description ?? usageDescription(bodyOf(text)) ?? `Skill: ${skill.name}`;
  const frontmatter = { name: skill.name, description: summary.trim().slice(0, limits.skill.descriptionLength) };
  const added = remark(
    'S-7',
    `its text has no frontmatter with a name and a description (${shortText(why)}), so one was added`,
    uri,
  );
  // NimbleBrain texts never have frontmatter.
  return { frontmatter, made: true, remarks: dialect === 'nimblebrain' ? [] : [added] };
}

/** The text with its composed frontmatter. */
export function withHead(frontmatter: Frontmatter, text: string): Uint8Array {
  return new TextEncoder().encode(composeSkillFile(frontmatter, bodyOf(text)));
}

function bodyOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const fences = findFences(bytes);
  if (fences.kind !== 'found') return text.replace(/^\ufeff/, '');
  return (decodeUtf8(bytes.subarray(fences.bodyStart)) ?? '').replace(/^[\r\n]+/, '');
}

function readableFields(bytes: Uint8Array): Readonly<Record<string, JsonValue>> | undefined {
  const fences = findFences(bytes);
  if (fences.kind !== 'found' || fences.yamlEnd - fences.yamlStart > limits.frontmatter.bytes) return undefined;
  const yaml = readFrontmatterYaml(decodeUtf8(bytes.subarray(fences.yamlStart, fences.yamlEnd)) ?? '', 2);
  if (yaml.fields === undefined || yaml.findings.some(({ level }) => level === 'problem')) return undefined;
  const fields: Record<string, JsonValue> = {};
  for (const [key, { value }] of yaml.fields) setOwn(fields, key, value);
  return fields;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Path and name of a skill may differ; that is reported, and the URI stays. */
function moved({ skillPath, name: listed }: DialectSkill, { name }: Frontmatter, uri: string): readonly Remark[] {
  const last = skillPath.slice(skillPath.lastIndexOf('/') + 1);
  if (name === last) return [];
  const where = listed === name ? '' : `, and the server calls it ${quoteText(listed)}`;
  return [
    remark('survey:path-is-locator', `the skill at ${quoteText(skillPath)} is named ${quoteText(name)}${where}`, uri),
  ];
}

function unusable(uri: string, fault: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use ${quoteText(uri)}: ${fault}.`, { data: { uri } });
}
