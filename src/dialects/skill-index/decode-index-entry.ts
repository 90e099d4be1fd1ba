/**
 * Reads one entry of `skill://index.json` in any form. An entry is refused if it could lead a host to other bytes than it expects.
 * Examples: an unreadable digest, contradicting forms, a frontmatter that does not belong to its URI. Missing or untidy fields get a
 * remark, and the skill counts as less verified.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Frontmatter } from '../../skill/entry.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { nameFault } from '../../skill/name.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import { buildSkillUri } from '../../skill/skill-uri.ts';
import { type DialectSkill, dialectSkillOf, pathBelow, type Retrieval, verifiedBy } from '../dialect-skill.ts';
import { type ParsedSkillTemplate, skillTemplateOf } from '../resource-templates/skill-templates.ts';
import { parseUriTemplate } from '../resource-templates/uri-template.ts';
import { decodeEntry, type RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import { readDigest } from '../wire-digest.ts';
import { archiveFormatOfType, splitArchivePath } from './archive-uri.ts';

export type IndexEntryReading =
  | {
      readonly kind: 'skill';
      readonly form: IndexForm;
      readonly skill: DialectSkill;
      readonly remarks: readonly Remark[];
    }
  | { readonly kind: 'template'; readonly template: ParsedSkillTemplate }
  /** An unknown type, which clients skip. */
  | { readonly kind: 'skipped'; readonly type: string }
  | { readonly kind: 'refused'; readonly refused: RefusedSkill };

/** Reads one entry. Never throws. */
export function decodeIndexEntry(entry: unknown): IndexEntryReading {
  if (!isJsonObject(entry)) return refuse({}, [fault('index:form', 'the entry is not an object')]);
  const form = entryForm(entry);
  if (form === 'C') return decodeManifestEntry(entry);
  if (form === 'B') return decodeFrontmatterEntry(entry);
  if (form === 'A') return decodeTypedEntry(entry);
  return refuse(entry, [fault('index:form', 'the entry has neither a type, nor a name and a url, nor a frontmatter')]);
}

function decodeTypedEntry(entry: JsonObject): IndexEntryReading {
  const { url, urlTemplate } = entry;
  if (url === undefined && typeof urlTemplate === 'string') return decodeTemplate(entry, urlTemplate);
  const type = entry['type'] ?? 'skill-md';
  if (type === 'mcp-resource-template') return decodeTemplate(entry, url);
  if (type === 'archive') return decodeArchiveEntry(entry);
  if (type === 'skill-md') return decodeSkillMdEntry(entry);
  const name = typeof type === 'string' ? type : JSON.stringify(type);
  return { kind: 'skipped', type: name.slice(0, limits.messages.quotedCharacters) };
}

function decodeTemplate(entry: JsonObject, text: unknown): IndexEntryReading {
  const reading = typeof text === 'string' ? parseUriTemplate(text) : undefined;
  if (typeof text !== 'string' || reading === undefined)
    return refuse(entry, [fault('index:a-template', 'url of a template is not text')]);
  if (!reading.ok) return refuse(entry, [fault('index:a-template', `url ${quoteText(text)} ${reading.fault}`)]);
  const template = skillTemplateOf(reading.template, { description: entry['description'] });
  return template === undefined
    ? refuse(entry, [fault('index:a-template', `url ${quoteText(text)} is not a template of skill URIs`)])
    : { kind: 'template', template };
}

function decodeSkillMdEntry(entry: JsonObject): IndexEntryReading {
  const { name, description, url } = entry;
  const uri = typeof url === 'string' ? completeUrl(url) : url;
  const reading = decodeEntry({ uri, frontmatter: { name, description }, resources: 'dynamic' });
  const faults = reading.ok ? [] : reading.refused.faults;
  // Before these forms, the location could differ from the name, and some servers still do that.
  const moved = faults.length === 1 && faults[0]?.requirement === 'S-24';
  const digest = readDigest('digest', entry['digest']);
  if (digest.kind === 'fault')
    return refuse(entry, [...(moved ? [] : faults), fault('index:a-digest', digest.message)]);
  if ((faults.length > 0 && !moved) || typeof uri !== 'string') return refuse(entry, faults);
  const remarks = reading.ok ? [...reading.remarks] : [];
  if (moved) remarks.push(movedRemark(String(name), uri));
  if (digest.kind === 'absent')
    remarks.push(remark('index:a-digest', 'the entry has no digest; its SKILL.md cannot be verified', uri));
  else if (digest.unusual) remarks.push(remark('index:a-digest', 'the digest has upper-case digits', uri));
  const way: Retrieval = { kind: 'read', uri, ...(digest.kind === 'absent' ? {} : { digest: digest.digest }) };
  const skillPath = tryParseResourceUri(uri)?.path.replace(/\/SKILL\.md$/, '') ?? String(name);
  return skillOf('A', { uri, skillPath, name: String(name), description: String(description) }, [way], remarks);
}

function decodeArchiveEntry(entry: JsonObject): IndexEntryReading {
  const { name, description } = entry;
  const faults: EntryFault[] = [];
  const badName = nameFault(name);
  if (badName !== undefined) faults.push(fault('index:a-fields', `name ${badName}`));
  if (typeof description !== 'string' || description.trim() === '')
    faults.push(fault('index:a-fields', 'description is not text, or blank'));
  const { url, digest, mimeType, mediaType } = entry;
  const archive = decodeArchive('entry', { url, digest, mimeType, mediaType });
  if (typeof archive === 'string') faults.push(fault('index:a-archive', archive.replace(/^entry\./, '')));
  if (faults.length > 0 || typeof archive === 'string' || archive.kind !== 'archive') return refuse(entry, faults);
  const remarks: Remark[] = [];
  const folder = tryParseResourceUri(splitArchivePath(archive.uri)?.stem ?? '');
  const skillPath = folder?.path ?? String(name);
  const uri = folder === undefined ? buildSkillUri([String(name), 'SKILL.md']) : `${folder.uri}/SKILL.md`;
  if (skillPath.slice(skillPath.lastIndexOf('/') + 1) !== name) remarks.push(movedRemark(String(name), uri));
  if (archive.digest === undefined)
    remarks.push(remark('index:a-digest', 'the entry has no digest; its archive cannot be verified', uri));
  return skillOf('A', { uri, skillPath, name: String(name), description: String(description) }, [archive], remarks);
}

function decodeFrontmatterEntry(entry: JsonObject): IndexEntryReading {
  const frontmatter = entry['frontmatter'] as Frontmatter;
  const { url } = entry;
  const { archives, faults: archiveFaults } = decodeArchives(entry['archives']);
  const digest = readDigest('digest', entry['digest']);
  const direct = url !== undefined && url !== null && digest.kind !== 'fault';
  if (!direct && archives.length === 0) {
    const why = digest.kind === 'fault' ? digest.message : 'the entry has neither a url nor an archive';
    return refuse(entry, [fault('index:b-forms', why), ...archiveFaults]);
  }
  const name = isJsonObject(frontmatter) ? frontmatter['name'] : undefined;
  const own = nameFault(name) === undefined ? buildSkillUri([String(name), 'SKILL.md']) : 'skill://-/SKILL.md';
  const uri = !direct ? own : typeof url === 'string' ? completeUrl(url) : url;
  const reading = decodeEntry({ uri, frontmatter, resources: 'dynamic' });
  if (!reading.ok) return refuse(entry, reading.refused.faults);
  const { entry: read } = reading.skill;
  const remarks = [...reading.remarks];
  for (const { requirement, message } of archiveFaults) remarks.push(remark(requirement, message, read.uri));
  if (!direct && digest.kind === 'fault') remarks.push(remark('index:b-digest', digest.message, read.uri));
  if (direct && digest.kind === 'absent')
    remarks.push(remark('index:b-digest', 'the entry has a url without digest', read.uri));
  const skill = dialectSkillOf(read);
  const ways: readonly Retrieval[] = [
    ...(direct
      ? [{ kind: 'read' as const, uri: read.uri, ...(digest.kind === 'absent' ? {} : { digest: digest.digest }) }]
      : []),
    ...archives,
  ];
  return skillOf('B', { ...skill, frontmatter: read.frontmatter }, ways, remarks);
}

function decodeManifestEntry(entry: JsonObject): IndexEntryReading {
  const { uri = entry['url'], frontmatter, resources = 'dynamic', _meta } = entry;
  const reading = decodeEntry({ uri, frontmatter, resources, ...(_meta === undefined ? {} : { _meta }) });
  if (!reading.ok) return refuse(entry, reading.refused.faults);
  const { entry: read, partial } = reading.skill;
  const { archives, faults } = decodeArchives(entry['archives']);
  const skill = dialectSkillOf(read);
  const files =
    partial === undefined
      ? skill.files
      : partial.files.map((file) => ({ path: pathBelow(skill.skillPath, file.uri), ...file }));
  const digest = readDigest('digest', entry['digest']);
  if (digest.kind === 'fault') return refuse(entry, [fault('C-1', digest.message)]);
  const listed = Array.isArray(files) ? files.find((file) => file.uri === read.uri)?.digest : undefined;
  const stated = digest.kind === 'digest' && (entry['url'] ?? read.uri) === read.uri ? digest.digest : undefined;
  if (listed !== undefined && stated !== undefined && listed !== stated)
    return refuse(entry, [fault('C-1', 'digest is not that of the SKILL.md in resources')]);
  const known = listed ?? stated;
  const ways: readonly Retrieval[] = [
    { kind: 'read', uri: read.uri, ...(known === undefined ? {} : { digest: known }) },
    ...archives,
  ];
  // This form never had sizes, so a missing one is not a fault.
  const remarks = reading.remarks.filter(({ requirement }) => requirement !== 'S-30');
  for (const { requirement, message } of faults) remarks.push(remark(requirement, message, read.uri));
  return skillOf('C', { ...skill, files }, ways, remarks);
}

type PartialSkill = Pick<DialectSkill, 'uri' | 'skillPath' | 'name'> & Partial<DialectSkill>;

function skillOf(
  form: IndexForm,
  skill: PartialSkill,
  retrievals: readonly Retrieval[],
  remarks: readonly Remark[],
): IndexEntryReading {
  const files = form === 'C' ? (skill.files ?? 'dynamic') : 'unknown';
  return {
    kind: 'skill',
    form,
    skill: { ...skill, files, retrievals, verified: verifiedBy(files, retrievals) },
    remarks,
  };
}

function movedRemark(name: string, uri: string): Remark {
  return remark('survey:path-is-locator', `the name ${quoteText(name)} is not the last segment of the path`, uri);
}

function fault(requirement: string, message: string): EntryFault {
  return { requirement, message };
}

function refuse(entry: JsonObject, faults: readonly EntryFault[]): IndexEntryReading {
  const { frontmatter, uri, url, name } = entry;
  const named = isJsonObject(frontmatter) ? frontmatter['name'] : name;
  const place = typeof uri === 'string' ? uri : url;
  return {
    kind: 'refused',
    refused: {
      ...(typeof place === 'string' ? { uri: place.slice(0, limits.uri.characters) } : {}),
      ...(typeof named === 'string' ? { name: named.slice(0, limits.uri.characters) } : {}),
      faults: faults.slice(0, limits.origin.faults),
    },
  };
}

const hasScheme = /^[a-z][a-z0-9+.-]{0,63}:/i;

/** Completes a URL of an index. Some servers omit the scheme; clients of the drafts then assume `skill://`. */
function completeUrl(url: string): string {
  return hasScheme.test(url) ? url : `skill://${url.replace(/^\/+/, '')}`;
}

/**
 * Which draft form an entry of `skill://index.json` has. The document says nothing reliable (its `$schema` came,
 * changed and went within weeks) and servers mix forms, so each entry is examined alone.
 *
 * A: the mirror of the well-known index (2026-03-24 to 06-04). B: verbatim frontmatter, `url` and `digest`, `archives`
 * (06-08 to 07-08). C: the manifest in the index (07-13), which became `skills/list`.
 */
export type IndexForm = 'A' | 'B' | 'C';

/** The form of an entry; `undefined` if it has none. */
function entryForm(entry: JsonObject): IndexForm | undefined {
  const { resources, uri, type, name, url, urlTemplate } = entry;
  if (isJsonObject(entry['frontmatter'])) {
    const manifest = Array.isArray(resources) || resources === 'dynamic';
    return manifest || typeof uri === 'string' ? 'C' : 'B';
  }
  if (typeof type === 'string' || typeof urlTemplate === 'string') return 'A';
  return typeof name === 'string' && typeof url === 'string' ? 'A' : undefined;
}

interface ArchivesReading {
  readonly archives: readonly Retrieval[];
  readonly faults: readonly EntryFault[];
}

/**
 * Reads the archives of an entry (form B, and form A as a separate entry); `undefined` counts as empty. A bad one never
 * affects the others.
 */
function decodeArchives(value: unknown): ArchivesReading {
  if (value === undefined) return { archives: [], faults: [] };
  if (!Array.isArray(value)) return { archives: [], faults: [archivesFault('archives is not a list')] };
  const archives: Retrieval[] = [];
  const faults: EntryFault[] = [];
  for (const [index, item] of value.entries()) {
    const reading = isJsonObject(item)
      ? decodeArchive(`archives[${index}]`, item)
      : `archives[${index}] is not an object`;
    if (typeof reading === 'string') faults.push(archivesFault(reading));
    else archives.push(reading);
  }
  return { archives, faults };
}

/** One archive, or its fault. The media type is `mimeType` or, as in a log of the drafts, `mediaType`. */
function decodeArchive(field: string, item: JsonObject): Retrieval | string {
  const { url } = item;
  if (typeof url !== 'string') return `${field}.url is not text`;
  const uri = completeUrl(url);
  const parsed = tryParseResourceUri(uri);
  if (parsed === undefined) return `${field}.url ${quoteText(url)} cannot be the URI of an archive`;
  const type = item['mimeType'] ?? item['mediaType'];
  const named = typeof type === 'string' ? archiveFormatOfType(type) : undefined;
  if (typeof type === 'string' && named === undefined)
    return `${field}.mimeType ${quoteText(type)} is neither gzip nor zip`;
  const digest = readDigest(`${field}.digest`, item['digest']);
  if (digest.kind === 'fault') return digest.message;
  const format = named ?? splitArchivePath(parsed.path)?.format;
  return {
    kind: 'archive',
    uri,
    ...(format === undefined ? {} : { format }),
    ...(digest.kind === 'absent' ? {} : { digest: digest.digest }),
  };
}

function archivesFault(message: string): EntryFault {
  return fault('index:b-archives', message);
}
