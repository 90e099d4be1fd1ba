/**
 * `skill://index` of skills-over-mcp: a JSON list with one object per skill, and `skill://prompt-xml`, the same for a
 * system prompt. There are no digests, no sizes of `SKILL.md`, and no frontmatter except name, description and optional
 * `metadata`.
 *
 * Servers of this dialect report missing resources with a text that starts with `# Error`, as if it were content. Such
 * a text, or any without frontmatter, is never a skill.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { findFences } from '../../skill/frontmatter-fences.ts';
import { isJsonObject } from '../../skill/json.ts';
import { isSkillName } from '../../skill/name.ts';
import { decodeAvailableSkills, encodeAvailableSkills } from '../available-skills.ts';
import type { DialectReading, DialectSkill, Loss } from '../dialect-skill.ts';
import { legacyNameFault, nameRemark } from '../legacy-name.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import { buildGrovesUri, grovesIndexUri, parseGrovesUri, promptXmlUri } from './groves-uris.ts';

/** @internal for round trips and the dialects page */
export const skillsOverMcpLosses: readonly Loss[] = [
  { part: 'prefix', why: 'a skill is a name' },
  { part: 'frontmatter', why: 'the index has name, description and metadata only' },
  { part: 'files', why: 'documents are known after reading their list' },
  { part: 'sizes', why: 'the list of documents has sizes, the index none' },
  { part: 'digests', why: 'there are none anywhere' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
];

export interface GrovesSkill {
  readonly name: string;
  readonly description: string;
  /** Number of files other than `SKILL.md`. */
  readonly documentCount: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface GrovesIndexEntry extends GrovesSkill {
  readonly uri: string;
  /** Present if there are documents. */
  readonly documentsUri?: string;
}

export interface GrovesIndexReading extends DialectReading {
  /** The document list of each skill, by skill URI; absent if it has none. */
  readonly documents: ReadonlyMap<string, string>;
}

/** The index, in the order of the skills. Throws `INVALID_SKILL` for an invalid name. */
export function encodeGrovesIndex(skills: readonly GrovesSkill[]): readonly GrovesIndexEntry[] {
  return skills.map(({ name, description, documentCount, metadata }) => {
    if (!isSkillName(name))
      throw new SkillwireError(
        'INVALID_SKILL',
        `Cannot list the skill ${quoteText(name)} by name: it is not a valid skill name.`,
      );
    return {
      name,
      description,
      uri: buildGrovesUri({ kind: 'skill', skillPath: name }),
      ...(documentCount > 0 ? { documentsUri: buildGrovesUri({ kind: 'documents', skillPath: name }) } : {}),
      documentCount,
      ...(metadata === undefined ? {} : { metadata }),
    };
  });
}

/** The catalog for a system prompt. */
export function encodePromptXml(skills: readonly { readonly name: string; readonly description: string }[]): string {
  const rows = skills.map(({ name, description }) => ({
    name,
    description,
    uri: buildGrovesUri({ kind: 'skill', skillPath: name }),
  }));
  return encodeAvailableSkills(rows, 'indented', 'uri');
}

/**
 * Reads the index.
 *
 * @throws SkillwireError `BAD_ANSWER` if the document is not a list
 */
export function decodeGrovesIndex(document: unknown): GrovesIndexReading {
  const what = `resources/read of ${grovesIndexUri}`;
  if (!Array.isArray(document)) throw badAnswer(what, 'the document is not a list');
  if (document.length > limits.origin.entries)
    throw badAnswer(what, `the document has ${document.length} entries; at most ${limits.origin.entries} are allowed`);
  const skills = new Map<string, DialectSkill>();
  const refused: RefusedSkill[] = [];
  const remarks: Remark[] = [];
  const documents = new Map<string, string>();
  for (const entry of document) {
    const reading = decodeGrovesEntry(entry, remarks);
    if ('faults' in reading) refused.push(reading);
    else if (skills.has(reading.name))
      refused.push({ uri: reading.uri, name: reading.name, faults: [fault('the name is listed twice')] });
    else {
      skills.set(reading.name, reading);
      const list = isJsonObject(entry) ? documentsOf(entry, reading) : undefined;
      if (list !== undefined) documents.set(reading.uri, list);
    }
  }
  return { skills: [...skills.values()], refused, remarks, documents };
}

/**
 * Reads `skill://prompt-xml`, for servers with an unreadable index.
 *
 * @internal the other half of the codec, for round trips
 */
export function decodePromptXml(text: string): DialectReading {
  const rows = decodeAvailableSkills(text);
  if (rows === undefined) throw badAnswer(`resources/read of ${promptXmlUri}`, 'the text has no <available_skills>');
  const { documents: _documents, ...reading } = decodeGrovesIndex(rows);
  return reading;
}

function decodeGrovesEntry(entry: unknown, remarks: Remark[]): DialectSkill | RefusedSkill {
  if (!isJsonObject(entry)) return { faults: [fault('the entry is not an object')] };
  const { name, description } = entry;
  const bad = legacyNameFault(name);
  if (typeof name !== 'string' || bad !== undefined) {
    const uri = entry['uri'];
    return {
      ...(typeof uri === 'string' ? { uri: uri.slice(0, limits.uri.characters) } : {}),
      faults: [fault(`name ${bad}`)],
    };
  }
  const { uri = buildGrovesUri({ kind: 'skill', skillPath: name }) } = entry;
  if (typeof uri !== 'string' || parseGrovesUri(uri)?.kind === undefined)
    return { name, faults: [fault('uri is not a skill URI')] };
  const nameFault = nameRemark(name, uri);
  if (nameFault !== undefined) remarks.push(nameFault);
  const hasDescription = typeof description === 'string' && description.trim() !== '';
  if (!hasDescription) remarks.push(remark('som:index', 'the entry has no description', uri));
  return {
    uri,
    skillPath: name,
    name,
    ...(hasDescription ? { description } : {}),
    files: 'unknown',
    retrievals: [{ kind: 'read', uri }],
    verified: 'none',
  };
}

/** The list of documents; an entry that counts none has none, whatever else it says. */
function documentsOf(entry: Readonly<Record<string, unknown>>, skill: DialectSkill): string | undefined {
  const { documentsUri, documentCount } = entry;
  if (documentCount === 0) return undefined;
  if (typeof documentsUri === 'string' && parseGrovesUri(documentsUri)?.kind === 'documents') return documentsUri;
  return typeof documentCount === 'number' && documentCount > 0
    ? buildGrovesUri({ kind: 'documents', skillPath: skill.skillPath })
    : undefined;
}

/** Why a text is not a skill, as a phrase to follow "the text"; `undefined` if it may be one. */
export function skillTextFault(text: string): string | undefined {
  if (/^\ufeff?\s*# Error\b/.test(text)) return 'is an error sent as content';
  const head = new TextEncoder().encode(text.slice(0, limits.frontmatter.bytes + 16));
  return findFences(head).kind === 'found' ? undefined : 'has no frontmatter';
}

function fault(message: string): { readonly requirement: string; readonly message: string } {
  return { requirement: 'som:index', message };
}
