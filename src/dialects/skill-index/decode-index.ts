/**
 * `skill://index.json` of other servers: the drafts of SEP-2640 from 2026-03-24 to 07-13, forms A, B and C, mixed or
 * not. Entries are independent, an unknown `$schema` is accepted, and an empty index does not prove that there are no
 * skills.
 */
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { DialectReading, DialectSkill } from '../dialect-skill.ts';
import type { ParsedSkillTemplate } from '../resource-templates/skill-templates.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import { decodeIndexEntry, type IndexForm } from './decode-index-entry.ts';
import { mergeSkills } from './merge-skills.ts';

export const skillIndexUri = 'skill://index.json';

/** The schema of the well-known index, which form A mirrors. */
export const skillIndexSchema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

export interface SkillIndexReading extends DialectReading {
  readonly templates: readonly ParsedSkillTemplate[];
  /** Unknown entry types that were skipped. */
  readonly skipped: readonly string[];
  /** The forms of the entries. */
  readonly forms: readonly IndexForm[];
}

/**
 * Reads the document.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of skills
 */
export function decodeSkillIndex(document: unknown): SkillIndexReading {
  const what = `resources/read of ${skillIndexUri}`;
  if (!isJsonObject(document)) throw badAnswer(what, 'the document is not an object');
  const { skills: entries, $schema } = document;
  if (!Array.isArray(entries)) throw badAnswer(what, 'the document has no list "skills"');
  if (entries.length > limits.origin.entries)
    throw badAnswer(what, `the document has ${entries.length} entries; at most ${limits.origin.entries} are allowed`);
  const remarks: Remark[] = [];
  if ($schema !== undefined && $schema !== skillIndexSchema)
    remarks.push(
      remark('index:any-schema', `the index names the unknown schema ${schemaText($schema)}; it is read anyway`),
    );
  const listed: DialectSkill[] = [];
  const refused: RefusedSkill[] = [];
  const templates: ParsedSkillTemplate[] = [];
  const skipped: string[] = [];
  const forms = new Set<IndexForm>();
  for (const entry of entries) {
    const reading = decodeIndexEntry(entry);
    if (reading.kind === 'skill') {
      listed.push(reading.skill);
      forms.add(reading.form);
      for (const item of reading.remarks) remarks.push(item);
    } else if (reading.kind === 'template') templates.push(reading.template);
    else if (reading.kind === 'skipped') skipped.push(reading.type);
    else refused.push(reading.refused);
  }
  const merged = mergeSkills(listed);
  return {
    skills: merged.skills,
    refused: [...refused, ...merged.refused],
    remarks,
    templates,
    skipped,
    forms: [...forms],
  };
}

function schemaText(schema: unknown): string {
  return typeof schema === 'string' ? quoteText(schema) : shortText(JSON.stringify(schema) ?? 'nothing');
}
