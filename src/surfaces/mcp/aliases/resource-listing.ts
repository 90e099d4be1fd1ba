/**
 * The rows of `resources/list`: the `SKILL.md` of each listed skill and `skill://index.json`; optionally every file and dialect addresses. The
 * server decides, and the list is the same for every client (C-23).
 *
 * With a `uri`, as in the first draft of SEP-2640, only the rows of skills or of one folder.
 */
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { encodeManifestRow } from '../../../dialects/fastmcp/manifest.ts';
import { encodeUsageRow } from '../../../dialects/nimblebrain/usage-resource.ts';
import { decodeListScope } from '../../../dialects/resource-list/decode-resources-list.ts';
import { encodeFrontmatterMeta } from '../../../dialects/resource-list/frontmatter-meta.ts';
import { skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { encodeSkilljackRows } from '../../../dialects/skilljack/skilljack-resources.ts';
import { buildGrovesUri, grovesIndexUri, promptXmlUri } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { buildSkillUri } from '../../../skill/skill-uri.ts';
import type { ResourceRow } from '../catalog-lookups.ts';
import { findAlias, skillCalled } from './find-alias.ts';
import { skillNames } from './names.ts';
import { asFileRow } from './own-scheme.ts';
import type { DialectSettings } from './served-dialects.ts';

const indexRow: ResourceRow = {
  uri: skillIndexUri,
  name: 'index.json',
  description: 'All skills of this server, with digests',
  mimeType: 'application/json',
};

export function createResourceListing(settings: DialectSettings) {
  const entryRows = new WeakMap<SkillRecord, ResourceRow>();
  const listings = new WeakMap<Snapshot, readonly ResourceRow[]>();
  const {
    served,
    listIndex = true,
    listAliases = false,
    frontmatterMeta = false,
    resources = 'entry-points',
  } = settings;

  function entryRow(record: SkillRecord): ResourceRow {
    let row = entryRows.get(record);
    if (row === undefined) {
      const { uri, frontmatter } = record.entry;
      const size = record.files.get(skillFileName)?.size;
      const meta = frontmatterMeta ? encodeFrontmatterMeta(frontmatter) : {};
      row = asFileRow({
        uri,
        name: frontmatter.name,
        description: frontmatter.description,
        mimeType: 'text/markdown',
        size,
        ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
      });
      entryRows.set(record, row);
    }
    return row;
  }

  function fileRows({ files }: SkillRecord): readonly ResourceRow[] {
    return [...files.values()].map(({ uri, path, mediaType, size }) =>
      asFileRow({ uri, name: path, mimeType: mediaType, size }),
    );
  }

  /** Omits addresses that a file or a skill has taken. */
  function aliasRows(snapshot: Snapshot): readonly ResourceRow[] {
    const rows: ResourceRow[] = [];
    if (served.has('fastmcp'))
      for (const { entry } of snapshot.listed) if (entry.resources !== 'dynamic') rows.push(encodeManifestRow(entry));
    for (const { name, skill } of skillNames(snapshot).named) {
      const { description } = skill.entry.frontmatter;
      if (served.has('skilljack')) rows.push(...encodeSkilljackRows(name, description));
      else if (served.has('skills-over-mcp'))
        rows.push({ uri: buildSkillUri(name), name, description, mimeType: 'text/markdown' });
      if (served.has('skills-over-mcp') && skill.files.size > 1) {
        const uri = buildGrovesUri({ kind: 'documents', skillPath: name });
        rows.push({ uri, name: `${name}/documents`, mimeType: 'application/json' });
      }
    }
    if (served.has('skills-over-mcp'))
      rows.push(
        { uri: grovesIndexUri, name: 'index', mimeType: 'application/json' },
        { uri: promptXmlUri, name: 'prompt-xml', mimeType: 'application/xml' },
      );
    const { usage } = settings;
    const primary = usage === undefined ? undefined : skillCalled(snapshot, usage.skill.split('/'));
    if (served.has('nimblebrain') && usage !== undefined && primary !== undefined)
      rows.push(encodeUsageRow(usage.label, primary.entry.frontmatter.description));
    return rows.filter(({ uri }) => !isFile(snapshot, uri) && findAlias(uri, snapshot, settings)?.uri === uri);
  }

  function everything(snapshot: Snapshot): readonly ResourceRow[] {
    let rows = listings.get(snapshot);
    if (rows === undefined) {
      const all = new Map<string, ResourceRow>();
      const add = (more: readonly ResourceRow[]): void => {
        for (const row of more) if (!all.has(row.uri)) all.set(row.uri, row);
      };
      add(snapshot.listed.map(entryRow));
      if (resources === 'all-files') for (const record of snapshot.listed) add(fileRows(record));
      if (listIndex && served.has('skill-index')) add([indexRow]);
      if (listAliases) add(aliasRows(snapshot));
      rows = [...all.values()].sort(byUri);
      listings.set(snapshot, rows);
    }
    return rows;
  }

  return {
    /** Rows sorted by URI. */
    rows(snapshot: Snapshot, params: unknown): readonly ResourceRow[] {
      const scope = served.has('resource-list') ? decodeListScope(params) : { kind: 'everything' as const };
      if (scope.kind === 'everything') return everything(snapshot);
      if (scope.kind === 'skills') return snapshot.listed.map(entryRow);
      const folder = `${scope.skillPath}/`;
      const below = snapshot.listed.filter(({ path }) => path === scope.skillPath || path.startsWith(folder));
      const rows = new Map(below.flatMap(fileRows).map((row) => [row.uri, row]));
      for (const record of below) rows.set(record.entry.uri, entryRow(record));
      return [...rows.values()].sort(byUri);
    },
  };
}

/** Below a dynamic skill any URI may be a file; only known files count. */
function isFile(snapshot: Snapshot, uri: string): boolean {
  const file = snapshot.file(uri);
  return file?.skill.files.has(file.path) === true;
}

function byUri(a: ResourceRow, b: ResourceRow): number {
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0;
}
