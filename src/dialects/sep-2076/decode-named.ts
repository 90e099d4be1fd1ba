/**
 * Answers of servers that speak SEP-2076. Their skills are addressed only by name, so each gets the URI that its
 * `SKILL.md` would have; nothing is read there. The instructions are the whole `SKILL.md`. Dependencies on tools,
 * prompts and resources of the same server are reported, never acted upon.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import { buildSkillUri } from '../../skill/skill-uri.ts';
import type { DialectFile, DialectReading, DialectSkill } from '../dialect-skill.ts';
import { isSmallJson } from '../json-bounds.ts';
import { legacyNameFault, nameRemark } from '../legacy-name.ts';
import { createPathSet, relativePathFault } from '../relative-path.ts';
import { badAnswer, decodeNextCursor, type NextCursor } from '../skills-extension/answer-fields.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';

export type NamedPage = DialectReading &
  NextCursor & {
    /** Required arguments of `skills/get` by skill name; skills without any are absent. */
    readonly required: ReadonlyMap<string, readonly string[]>;
  };

export interface NamedSkillReading {
  readonly instructions: string;
  readonly description?: string;
  readonly files: readonly DialectFile[];
  /** As sent by the server; present if it is an object of moderate size. */
  readonly dependencies?: JsonObject;
  readonly refused: readonly EntryFault[];
}

/**
 * Reads one page of `skills/list`.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of skills
 */
export function decodeNamedPage(result: unknown): NamedPage {
  const method = 'skills/list';
  const entries = isJsonObject(result) ? result['skills'] : undefined;
  if (!isJsonObject(result) || !Array.isArray(entries)) throw badAnswer(method, 'it has no list "skills"');
  const skills = new Map<string, DialectSkill>();
  const required = new Map<string, readonly string[]>();
  const refused: RefusedSkill[] = [];
  const remarks: Remark[] = [];
  for (const entry of entries.slice(0, limits.origin.entries)) {
    const name = isJsonObject(entry) ? entry['name'] : undefined;
    const bad = isJsonObject(entry) ? legacyNameFault(name) : 'is missing: the entry is not an object';
    if (!isJsonObject(entry) || typeof name !== 'string' || bad !== undefined) {
      refused.push({ faults: [fault(`name ${bad}`)] });
      continue;
    }
    if (skills.has(name)) {
      refused.push({ name, faults: [fault('the name is listed twice')] });
      continue;
    }
    const skill = namedSkill(name, entry['description']);
    skills.set(name, skill);
    const nameFault = nameRemark(name, skill.uri);
    if (nameFault !== undefined) remarks.push(nameFault);
    if (skill.description === undefined)
      remarks.push(remark('sep2076:list', 'the entry has no description', skill.uri));
    const needed = requiredArguments(entry['arguments']);
    if (needed.length > 0) required.set(name, needed);
  }
  return { skills: [...skills.values()], refused, remarks, required, ...decodeNextCursor(result) };
}

function namedSkill(name: string, description: unknown): DialectSkill {
  return {
    uri: buildSkillUri([name, 'SKILL.md']),
    skillPath: name,
    name,
    ...(typeof description === 'string' && description.trim() !== '' ? { description } : {}),
    files: 'unknown',
    retrievals: [{ kind: 'get-by-name', name }],
    verified: 'none',
  };
}

function requiredArguments(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, limits.dialects.answerTexts)
    .flatMap((one) =>
      isJsonObject(one) && one['required'] === true && typeof one['name'] === 'string' ? [one['name']] : [],
    );
}

/**
 * Reads the answer to `skills/get` for a name. An unusable file never hides the others.
 *
 * @throws SkillwireError `BAD_ANSWER` if there are no instructions
 */
export function decodeNamedSkill(result: unknown, name: string): NamedSkillReading {
  const instructions = isJsonObject(result) ? result['instructions'] : undefined;
  if (!isJsonObject(result) || typeof instructions !== 'string')
    throw badAnswer('skills/get', `the skill ${quoteText(name)} has no text "instructions"`, { name });
  const { description, dependencies, files: rows } = result;
  const files: DialectFile[] = [];
  const refused: EntryFault[] = [];
  const paths = createPathSet();
  for (const [index, row] of (Array.isArray(rows) ? rows : []).slice(0, limits.skill.files).entries()) {
    const file = decodeNamedFile(`files[${index}]`, row, name);
    const bad = typeof file === 'string' ? file : paths.add(file.path);
    if (typeof file !== 'string' && bad === undefined) files.push(file);
    else refused.push(fault(typeof file === 'string' ? file : `files[${index}] ${quoteText(file.path)} ${bad}`));
  }
  const small =
    isJsonObject(dependencies) && isSmallJson(dependencies, limits.origin.metaDepth, limits.origin.metaNodes);
  return {
    instructions,
    ...(typeof description === 'string' ? { description } : {}),
    files,
    ...(small ? { dependencies } : {}),
    refused: refused.slice(0, limits.origin.faults),
  };
}

/**
 * A file by URI of any scheme: it is only requested from the server that named it. Its path is relative to the skill's
 * folder, or else the name that the server gives.
 */
function decodeNamedFile(field: string, row: unknown, name: string): DialectFile | string {
  if (!isJsonObject(row) || typeof row['uri'] !== 'string') return `${field} has no URI`;
  const { uri, mimeType } = row;
  const segments = segmentsOf(String(uri));
  if (segments === undefined) return `${field}.uri ${quoteText(String(uri))} is not the URI of a file`;
  const at = segments.slice(0, -1).lastIndexOf(name);
  const path = at === -1 ? row['name'] : segments.slice(at + 1).join('/');
  const bad = relativePathFault(path);
  if (typeof path !== 'string' || bad !== undefined) return `${field}.name ${bad}`;
  return { path, uri: String(uri), ...(typeof mimeType === 'string' ? { mimeType } : {}) };
}

/**
 * Decoded. `file:///srv/x` has no authority and the path of `note:x` does not start with one; dots must not lead
 * elsewhere.
 */
function segmentsOf(uri: string): readonly string[] | undefined {
  const parsed = tryParseResourceUri(uri);
  if (parsed !== undefined) return parsed.segments;
  const [, path] = /^[a-z][a-z0-9+.-]*:(?:\/\/\/|(?!\/\/))([^?#]*)$/i.exec(uri) ?? [];
  if (path === undefined || uri.length > limits.uri.characters || !URL.canParse(uri)) return undefined;
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment === '.' || segment === '..') ? undefined : segments;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function fault(message: string): EntryFault {
  return { requirement: 'sep2076:list', message };
}
