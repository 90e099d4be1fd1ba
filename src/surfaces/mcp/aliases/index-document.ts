/**
 * `skill://index.json` of a catalog. Each snapshot has one document; after a change only the entries of changed skills are rebuilt. A skill
 * that the index cannot name (see `build-index.ts`) is omitted and reported, but still listed by the extension. Templates are queried each
 * time, because they change without a new snapshot.
 */
import type { Catalog } from '../../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { skillTemplateOf } from '../../../dialects/resource-templates/skill-templates.ts';
import { parseUriTemplate } from '../../../dialects/resource-templates/uri-template.ts';
import {
  type ArchiveIndexEntry,
  buildSkillIndex,
  type IndexedTemplate,
  type SkillIndexEntry,
} from '../../../dialects/skill-index/build-index.ts';
import { SkillwireError } from '../../../errors.ts';
import type { SourceContext } from '../../../sources/skill-source.ts';
import type { ReportError } from '../method-errors.ts';
import { ownScheme } from './own-scheme.ts';
import type { DialectSettings } from './served-dialects.ts';
import { folderTemplates } from './template-listing.ts';

type Entries = readonly (SkillIndexEntry | ArchiveIndexEntry)[];

export function createIndexDocument(catalog: Catalog, settings: DialectSettings, report: ReportError | undefined) {
  const entries = new WeakMap<SkillRecord, Promise<Entries>>();
  const documents = new WeakMap<Snapshot, Promise<string>>();
  const scheme = settings.scheme === undefined ? undefined : ownScheme(settings.scheme);
  const archives = settings.served.has('archives') ? settings.archives : undefined;

  /** Only skills with several files have an archive. */
  async function archiveOf(skill: SkillRecord): Promise<string | undefined> {
    const { resources } = skill.entry;
    if (archives === undefined || resources === 'dynamic' || resources.length < 2) return undefined;
    try {
      return await archives.digest(skill, 'tar.gz');
    } catch (error) {
      if (error instanceof SkillwireError) return undefined;
      throw error;
    }
  }

  async function makeEntries(skill: SkillRecord): Promise<Entries> {
    const digest = await archiveOf(skill);
    const packed = digest === undefined ? {} : { archives: [{ format: 'tar.gz' as const, digest }] };
    try {
      const entry = scheme === undefined ? skill.entry : scheme.entry(skill.entry);
      const { skills } = buildSkillIndex([{ entry, ...packed }], {
        archiveEntries: settings.archiveEntries === true,
      });
      return skills as Entries;
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      report?.(error);
      return [];
    }
  }

  function entriesOf(skill: SkillRecord): Promise<Entries> {
    let made = entries.get(skill);
    if (made === undefined) {
      made = makeEntries(skill);
      entries.set(skill, made);
      made.catch(() => entries.delete(skill));
    }
    return made;
  }

  async function rowsText({ listed }: Snapshot): Promise<string> {
    const rows: string[] = [];
    for (const skill of listed) for (const entry of await entriesOf(skill)) rows.push(JSON.stringify(entry));
    return rows.join(',');
  }

  async function templates({ listed }: Snapshot, context: SourceContext): Promise<readonly IndexedTemplate[]> {
    if (!settings.served.has('resource-templates')) return [];
    const own = (await catalog.templates(context)) ?? [];
    const ofSource = own.filter(({ uriTemplate }) => {
      const reading = parseUriTemplate(uriTemplate);
      return reading.ok && skillTemplateOf(reading.template) !== undefined;
    });
    return settings.indexTemplates === true ? [...ofSource, ...folderTemplates(listed)] : ofSource;
  }

  return {
    /** The document as JSON. */
    async text(snapshot: Snapshot, context: SourceContext): Promise<string> {
      let made = documents.get(snapshot);
      if (made === undefined) {
        made = rowsText(snapshot);
        documents.set(snapshot, made);
        made.catch(() => documents.delete(snapshot));
      }
      const rows = await made;
      const { $schema, skills } = buildSkillIndex([], { templates: await templates(snapshot, context) });
      const all = [rows, ...skills.map((entry) => JSON.stringify(entry))].filter((text) => text !== '');
      return `{"$schema":${JSON.stringify($schema)},"skills":[${all.join(',')}]}`;
    },
  };
}
