/**
 * Builds `skill://index.json`: one document that is valid in all three forms. Each skill has one entry with the fields
 * of all forms; readers ignore those they do not know. Archive and template entries have form A only: with a
 * frontmatter, readers of form B would take an archive for a `SKILL.md`.
 *
 * Strict: an entry that `skills/list` would not publish is not written here either.
 */
import { SkillwireError } from '../../errors.ts';
import { isDigest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Frontmatter, SkillEntry, SkillResource } from '../../skill/entry.ts';
import { type EntryFault, examineEntry, type UriParts } from '../../skill/entry-faults.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { ArtifactFormat, Loss } from '../dialect-skill.ts';
import { encodeTemplateRow } from '../resource-templates/skill-templates.ts';
import { archiveMediaTypes, archiveUri } from './archive-uri.ts';
import { skillIndexSchema } from './decode-index.ts';
import type { IndexForm } from './decode-index-entry.ts';

export interface IndexedSkill {
  readonly entry: SkillEntry;
  /** Archives served at `archiveUri()`, with the digest of their bytes. */
  readonly archives?: readonly { readonly format: ArtifactFormat; readonly digest: string }[];
}

export interface IndexedTemplate {
  readonly uriTemplate: string;
  /** For a person who chooses. */
  readonly description: string;
}

export interface SkillIndexOptions {
  /** Adds an entry of type `archive` after each skill that has one, as some clients of form A expect. */
  readonly archiveEntries?: boolean;
  readonly templates?: readonly IndexedTemplate[];
}

export interface IndexArchive {
  readonly url: string;
  readonly mimeType: string;
  readonly digest: string;
}

export interface SkillIndexEntry {
  readonly name: string;
  readonly type: 'skill-md';
  readonly description: string;
  readonly url: string;
  /** Absent if the bytes of the skill have no stable digest. */
  readonly digest?: string;
  readonly frontmatter: Frontmatter;
  readonly archives?: readonly IndexArchive[];
  readonly uri: string;
  readonly resources: readonly SkillResource[] | 'dynamic';
}

export interface ArchiveIndexEntry {
  readonly name: string;
  readonly type: 'archive';
  readonly description: string;
  readonly url: string;
  readonly digest: string;
}

export interface TemplateIndexEntry {
  readonly type: 'mcp-resource-template';
  readonly description: string;
  readonly url: string;
}

export interface SkillIndexDocument {
  readonly $schema: string;
  readonly skills: readonly (SkillIndexEntry | ArchiveIndexEntry | TemplateIndexEntry)[];
}

/**
 * Creates the document `skill://index.json`, with entries in the given order.
 *
 * @throws SkillwireError `INVALID_SKILL` for an entry that breaks a rule, or a duplicate URI; `USAGE` for a template
 * that leads to no skills
 */
export function buildSkillIndex(skills: readonly IndexedSkill[], options: SkillIndexOptions = {}): SkillIndexDocument {
  const seen = new Set<string>();
  const entries = skills.flatMap((skill): readonly (SkillIndexEntry | ArchiveIndexEntry)[] => {
    const entry = indexEntryOf(skill);
    if (seen.has(entry.uri)) throw invalid(entry.uri, 'the index already has an entry with this URI');
    seen.add(entry.uri);
    const archive = options.archiveEntries === true ? entry.archives?.[0] : undefined;
    if (archive === undefined) return [entry];
    const { name, description } = entry;
    return [entry, { name, type: 'archive', description, url: archive.url, digest: archive.digest }];
  });
  const templates = (options.templates ?? []).map(({ uriTemplate, description }): TemplateIndexEntry => {
    const row = encodeTemplateRow({ uriTemplate, name: uriTemplate });
    return { type: 'mcp-resource-template', description, url: row.uriTemplate };
  });
  return { $schema: skillIndexSchema, skills: [...entries, ...templates] };
}

/** The entry of one skill; for callers that cache entries and write only changes. */
export function indexEntryOf({ entry, archives = [] }: IndexedSkill): SkillIndexEntry {
  const { uri, frontmatter, resources } = entry;
  const [fault] = examineEntry(entry, { place: canonicalPlace, sizeRequired: true }).faults;
  if (fault !== undefined) throw invalid(uri, fault.message);
  const digest = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri)?.digest;
  if (archives.length > 0 && resources === 'dynamic')
    throw invalid(uri, 'it is dynamic and has an archive, whose digest would not match');
  const packed = archives.map(({ format, digest: archiveDigest }): IndexArchive => {
    if (!isDigest(archiveDigest))
      throw invalid(uri, `the digest ${quoteText(archiveDigest)} of its archive is not valid`);
    return { url: archiveUri(uri, format), mimeType: archiveMediaTypes[format], digest: archiveDigest };
  });
  return {
    name: frontmatter.name,
    type: 'skill-md',
    description: frontmatter.description,
    url: uri,
    ...(digest === undefined ? {} : { digest }),
    frontmatter,
    ...(packed.length === 0 ? {} : { archives: packed }),
    uri,
    resources,
  };
}

/** Any scheme, in its usual spelling. */
function canonicalPlace(field: string, uri: string, faults: EntryFault[]): UriParts | undefined {
  const parsed = tryParseResourceUri(uri);
  if (parsed?.canonical === true) return parsed;
  faults.push({ requirement: 'S-9', message: `${field} ${quoteText(uri)} is not a URI in its usual spelling` });
  return undefined;
}

function invalid(uri: string, reason: string): SkillwireError {
  return new SkillwireError('INVALID_SKILL', `Cannot write ${quoteText(uri)} into the index: ${reason}.`, {
    data: { uri, reason },
  });
}

/**
 * The losses of each form of `skill://index.json`. Our document has the fields of all forms in each entry, so readers of form C lose
 * nothing. Readers of forms B and A lose what is listed here.
 *
 * @internal for round trips and the dialects page
 */
export const skillIndexLosses: Readonly<Record<IndexForm, readonly Loss[]>> = {
  A: [
    { part: 'frontmatter', why: 'an entry has a name and a description only' },
    { part: 'files', why: 'an entry names its SKILL.md or an archive, not its files' },
    { part: 'file-digests', why: 'the one digest is that of SKILL.md or of an archive' },
    { part: 'sizes', why: 'no form before the final extension has sizes' },
    { part: 'dynamic', why: 'an entry without a digest may also be an old one' },
  ],
  B: [
    { part: 'files', why: 'an entry names its SKILL.md or archives, not its files' },
    { part: 'file-digests', why: 'the one digest is that of SKILL.md or of an archive' },
    { part: 'sizes', why: 'no form before the final extension has sizes' },
    {
      part: 'dynamic',
      why: 'some clients accept an entry without a digest as unverified, others ignore it',
    },
  ],
  C: [],
};
