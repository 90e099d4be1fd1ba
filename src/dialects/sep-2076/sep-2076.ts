/**
 * SEP-2076, the closed proposal with skills as a primitive: `capabilities.skills`, and `skills/list` and `skills/get`
 * by name. It shares its methods with the final extension, so a server answers this way only if it is enabled. The
 * parameters decide: a `uri` means the extension, a `name` without `uri` means SEP-2076.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type JsonValue, type SkillEntry, skillFileName } from '../../skill/entry.ts';
import { findFences } from '../../skill/frontmatter-fences.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeUtf8, fileMediaType } from '../../skill/media-type.ts';
import { isSkillName } from '../../skill/name.ts';
import { type Loss, pathBelow, skillPathOf } from '../dialect-skill.ts';

export const skillsListChangedMethod = 'notifications/skills/list_changed';

/** @internal for round trips and the dialects page */
export const sep2076Losses: readonly Loss[] = [
  { part: 'prefix', why: 'a skill is a name' },
  { part: 'frontmatter', why: 'a row has name, title, description, version and tags only' },
  { part: 'files', why: 'files are known after skills/get' },
  { part: 'sizes', why: 'there are none anywhere' },
  { part: 'digests', why: 'there are none anywhere' },
  { part: 'dynamic', why: 'nothing says whether bytes change' },
  { part: 'fences', why: 'the instructions are the body of SKILL.md without its frontmatter' },
];

export interface Sep2076Capability {
  readonly declared: boolean;
  readonly listChanged: boolean;
}

/** Reads `capabilities.skills`. A value that is not an object counts as absent. */
export function decodeSep2076Capability(capabilities: unknown): Sep2076Capability {
  const skills = isJsonObject(capabilities) ? capabilities['skills'] : undefined;
  if (!isJsonObject(skills)) return { declared: false, listChanged: false };
  return { declared: true, listChanged: skills['listChanged'] === true };
}

export type GetRequest =
  | { readonly dialect: 'skills-extension'; readonly uri: string }
  | { readonly dialect: 'sep-2076'; readonly name: string }
  | { readonly dialect: 'invalid'; readonly message: string };

/** The kind of a `skills/get` request. A name is not understood unless the dialect is enabled. */
export function decodeGetRequest(params: unknown, mode: boolean): GetRequest {
  const { uri, name } = isJsonObject(params) ? params : {};
  if (typeof uri === 'string') return { dialect: 'skills-extension', uri };
  if (mode && uri === undefined && typeof name === 'string' && name !== '') return { dialect: 'sep-2076', name };
  const wanted = mode ? '"uri" or "name"' : '"uri"';
  return { dialect: 'invalid', message: `the parameter ${wanted} is missing or not text` };
}

export interface NamedRow {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version?: string;
  readonly tags?: readonly string[];
}

/** A row from the frontmatter. `name` is the name for `skills/get`. */
export function encodeNamedRow({ frontmatter }: SkillEntry, name: string = frontmatter.name): NamedRow {
  if (!isSkillName(name))
    throw new SkillwireError(
      'INVALID_SKILL',
      `Cannot list the skill ${quoteText(name)} by name: it is not a valid skill name.`,
    );
  const { title, description, version = inMetadata(frontmatter['metadata']), tags } = frontmatter;
  const words = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
  return {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    description,
    ...(typeof version === 'string' ? { version } : {}),
    ...(words.length === 0 ? {} : { tags: words }),
  };
}

function inMetadata(metadata: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(metadata) ? (metadata as Readonly<Record<string, JsonValue>>)['version'] : undefined;
}

export interface NamedFile {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
}

export interface NamedSkillAnswer {
  readonly description: string;
  readonly instructions: string;
  readonly files?: readonly NamedFile[];
}

/**
 * The answer to `skills/get` by name: the body of `SKILL.md`, and its files.
 *
 * @throws SkillwireError `INVALID_SKILL` for a `SKILL.md` without frontmatter, or that is not text
 */
export function encodeNamedSkill(entry: SkillEntry, skillMd: Uint8Array): NamedSkillAnswer {
  const { uri, frontmatter, resources } = entry;
  const fences = findFences(skillMd);
  const instructions = fences.kind === 'found' ? decodeUtf8(skillMd.subarray(fences.bodyStart)) : undefined;
  if (instructions === undefined)
    throw new SkillwireError(
      'INVALID_SKILL',
      `Cannot return the instructions of ${quoteText(uri)}: its SKILL.md is not valid.`,
      {
        data: { uri },
      },
    );
  const folder = skillPathOf(uri) ?? frontmatter.name;
  const files = (resources === 'dynamic' ? [] : resources)
    .map((file) => ({ name: pathBelow(folder, file.uri), uri: file.uri }))
    .filter(({ name }) => name !== skillFileName)
    .slice(0, limits.skill.files)
    .map((file) => ({ ...file, mimeType: fileMediaType(file.name) }));
  return { description: frontmatter.description, instructions, ...(files.length === 0 ? {} : { files }) };
}
