/**
 * One entry of `skill://index.json`, in whichever form it has. What could lead a host to other bytes than it thinks (a
 * digest that cannot be read, forms in one entry that contradict each other, a frontmatter that is not that of its URI)
 * refuses the entry; what is missing or untidy is kept and remarked, and the skill counts as less verified.
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
import { type SkillTemplate, skillTemplateOf } from '../resource-templates/skill-templates.ts';
import { parseUriTemplate } from '../resource-templates/uri-template.ts';
import { decodeEntry, type RefusedSkill } from '../skills-extension/decode-entry.ts';
import { type Remark, remark } from '../skills-extension/remark.ts';
import { readDigest } from '../wire-digest.ts';
import { splitArchivePath } from './archive-uri.ts';
import { decodeArchive, decodeArchives } from './decode-archives.ts';
import { entryForm, type IndexForm } from './entry-form.ts';
import { completeUrl } from './index-url.ts';

export type IndexEntryReading =
  | {
      readonly kind: 'skill';
      readonly form: IndexForm;
      readonly skill: DialectSkill;
      readonly remarks: readonly Remark[];
    }
  | { readonly kind: 'template'; readonly template: SkillTemplate }
  /** Of a type that is not known; clients pass over it. */
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
  const told = typeof type === 'string' ? type : JSON.stringify(type);
  return { kind: 'skipped', type: told.slice(0, limits.messages.quotedCharacters) };
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
  // A locator that differs from the name was allowed before these forms, and some servers kept theirs.
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
  const told = dialectSkillOf(read);
  const files =
    partial === undefined
      ? told.files
      : partial.files.map((file) => ({ path: pathBelow(told.skillPath, file.uri), ...file }));
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
  // A missing size is no fault of this form: it never had one.
  const remarks = reading.remarks.filter(({ requirement }) => requirement !== 'S-30');
  for (const { requirement, message } of faults) remarks.push(remark(requirement, message, read.uri));
  return skillOf('C', { ...told, files }, ways, remarks);
}

type Told = Pick<DialectSkill, 'uri' | 'skillPath' | 'name'> & Partial<DialectSkill>;

function skillOf(
  form: IndexForm,
  told: Told,
  retrievals: readonly Retrieval[],
  remarks: readonly Remark[],
): IndexEntryReading {
  const files = form === 'C' ? (told.files ?? 'dynamic') : 'unknown';
  return {
    kind: 'skill',
    form,
    skill: { ...told, files, retrievals, verified: verifiedBy(files, retrievals) },
    remarks,
  };
}

function movedRemark(name: string, uri: string): Remark {
  return remark('survey:path-is-locator', `the name ${quoteText(name)} is not the last part of the path`, uri);
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
