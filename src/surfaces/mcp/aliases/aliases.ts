/** Everything that a skills server serves besides the extension, for one catalog: dialect addresses, resource rows and templates. */
import type { Catalog, CatalogChange } from '../../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { manifestName } from '../../../dialects/fastmcp/manifest.ts';
import { usageUri } from '../../../dialects/nimblebrain/usage-resource.ts';
import { skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { allSkillsUri } from '../../../dialects/skilljack/skilljack-resources.ts';
import { grovesIndexUri, promptXmlUri } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { buildSkillUri } from '../../../skill/skill-uri.ts';
import type { ReportError } from '../method-errors.ts';
import { findAlias, skillCalled } from './find-alias.ts';
import { carryNamesOver, nameOf } from './names.ts';
import { createReadAlias } from './read-alias.ts';
import { createResourceListing } from './resource-listing.ts';
import type { DialectSettings, ServedDialect } from './served-dialects.ts';
import { completeTemplate, type ListedTemplate, templateRows } from './template-listing.ts';

export function createAliases(catalog: Catalog, settings: DialectSettings, report: ReportError | undefined) {
  const listing = createResourceListing(settings);
  const { served, resources, listAliases } = settings;
  const everything = resources === 'all-files' || listAliases === true || served.has('resource-list');
  return {
    read: createReadAlias(catalog, settings, report),
    /** Rows of `resources/list`, sorted by URI. */
    rows: listing.rows,
    /** True if a row of `resources/list` can have this URI. */
    mayList: (uri: string): boolean =>
      everything || uri.endsWith('/SKILL.md') || (uri === skillIndexUri && served.has('skill-index')),
    /** The canonical spelling of a dialect address, or `undefined` if it is none. */
    resolve(uri: string, snapshot: Snapshot): string | undefined {
      if (uri === allSkillsUri && served.has('skilljack')) return uri;
      return findAlias(uri, snapshot, settings)?.uri;
    },
    /** The addresses that a change affects. */
    changed: (change: CatalogChange): readonly string[] => changedAliases(change, settings),
    templates: (snapshot: Snapshot): readonly ListedTemplate[] => templateRows(snapshot, settings),
    complete: completeTemplate,
  };
}

export type Aliases = ReturnType<typeof createAliases>;

/** Dialect addresses below a skill, by dialect. */
const besideSkill: readonly (readonly [dialect: ServedDialect, ending: string])[] = [
  ['fastmcp', `/${manifestName}`],
  ['skills-over-mcp', '/documents'],
  ['skilljack', '/'],
  ['archives', '.tar.gz'],
  ['archives', '.zip'],
];

/** The dialect addresses that a change of the catalog affects, for clients that subscribed to them. */
export function changedAliases(change: CatalogChange, settings: DialectSettings): readonly string[] {
  const { snapshot, previous } = change;
  const { served, usage } = settings;
  const changed = new Set<string>();
  const skills = [...change.added, ...change.removed, ...change.changed];
  if (skills.length === 0) return [];
  const on = (...dialects: readonly ServedDialect[]): boolean => dialects.some((id) => served.has(id));
  if (on('skill-index')) changed.add(skillIndexUri);
  if (on('skills-over-mcp')) changed.add(grovesIndexUri).add(promptXmlUri);
  if (on('skilljack')) changed.add(allSkillsUri);
  carryNamesOver(change);
  const calls = addresses([snapshot, previous], skills);
  for (const [address, skill] of calls) {
    const uri = buildSkillUri(address);
    if (on('skilljack', 'skills-over-mcp')) changed.add(uri);
    for (const [dialect, ending] of besideSkill) if (on(dialect)) changed.add(uri + ending);
    if (on('skills-over-mcp') && !address.includes('/')) changed.add(buildSkillUri(['lookup', address]));
    for (const file of change.files) {
      const below = file.startsWith(folderOf(skill)) ? file.slice(folderOf(skill).length) : '';
      if (below === '' || file === skill.entry.uri) continue;
      if (on('skills-over-mcp')) changed.add(`${uri}/document/${below}`);
      if (on('skilljack') && address !== skill.path) changed.add(`${uri}/${below}`);
    }
  }
  const primary = usage === undefined ? undefined : skillCalled(snapshot, usage.skill.split('/'));
  if (on('nimblebrain') && usage !== undefined && primary !== undefined && skills.includes(primary.entry.uri))
    changed.add(usageUri(usage.label));
  return [...changed];
}

function folderOf({ entry }: SkillRecord): string {
  return entry.uri.slice(0, entry.uri.lastIndexOf('/') + 1);
}

/** The current and previous paths and names of these skills. */
function addresses(snapshots: readonly Snapshot[], uris: readonly string[]): ReadonlyMap<string, SkillRecord> {
  const found = new Map<string, SkillRecord>();
  for (const snapshot of snapshots)
    for (const uri of uris) {
      const skill = snapshot.skill(uri);
      if (skill === undefined) continue;
      for (const address of [skill.path, nameOf(snapshot, uri)])
        if (address !== undefined && !found.has(address)) found.set(address, skill);
    }
  return found;
}
