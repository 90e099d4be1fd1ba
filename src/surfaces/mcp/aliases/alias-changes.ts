/** Which addresses of older dialects a change of the catalog concerns, for clients that follow them. */
import type { CatalogChange } from '../../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { manifestName } from '../../../dialects/fastmcp/manifest.ts';
import { usageUri } from '../../../dialects/nimblebrain/usage-resource.ts';
import { skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { allSkillsUri } from '../../../dialects/skilljack/skilljack-resources.ts';
import { grovesIndexUri, promptXmlUri } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { buildSkillUri } from '../../../skill/skill-uri.ts';
import { skillCalled } from './find-alias.ts';
import { keepNames, nameOf } from './names.ts';
import type { DialectSettings, ServedDialect } from './served-dialects.ts';

/** Addresses below the one of a skill, by the dialect that has them. */
const besideSkill: readonly (readonly [dialect: ServedDialect, ending: string])[] = [
  ['fastmcp', `/${manifestName}`],
  ['skills-over-mcp', '/documents'],
  ['skilljack', '/'],
  ['archives', '.tar.gz'],
  ['archives', '.zip'],
];

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
  keepNames(change);
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

/** Paths and names by which these skills are or were called. */
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
