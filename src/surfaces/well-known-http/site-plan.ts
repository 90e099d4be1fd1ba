/**
 * Plans which skills of a snapshot are on a site, and their names. A site has only flat names, and v0.1 only ASCII paths. A skill that an
 * index cannot express is omitted there and reported, never published in part.
 *
 * Only listed skills are published. Dynamic skills are not, because without a digest nobody could verify them.
 */
import { visitInSlices } from '../../async/slices.ts';
import { sortInSlices } from '../../async/sort-in-slices.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { flatNames } from '../../dialects/flat-names.ts';
import { listedPathFault } from '../../dialects/well-known/file-list.ts';
import type { ArtifactType } from '../../dialects/well-known/index-places.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';

export interface SiteSkill {
  readonly skill: SkillRecord;
  /** Name on the site: that of the skill, unless another skill has it. */
  readonly name: string;
  readonly type: ArtifactType;
  /** True if the v0.1 index has it too. */
  readonly inV01: boolean;
}

export interface SitePlan {
  /** Sorted by name. */
  readonly skills: readonly SiteSkill[];
  readonly byName: ReadonlyMap<string, SiteSkill>;
  readonly findings: readonly Finding[];
}

/** In slices: the first look at a skill may decode its entry. */
export async function planSite({ listed }: Snapshot): Promise<SitePlan> {
  const findings: Finding[] = [];
  const fixed: { readonly skill: SkillRecord; readonly path: string; readonly name: string }[] = [];
  await visitInSlices(listed, (skill) => {
    const { uri, resources, frontmatter } = skill.entry;
    if (resources !== 'dynamic') fixed.push({ skill, path: skill.path, name: frontmatter.name });
    else findings.push(finding('publish-dynamic', 'the skill is dynamic, so it is not on the site', { skill: uri }));
  });
  const skills: SiteSkill[] = [];
  await visitInSlices(flatNames(fixed), ({ skill: { skill }, name, alias }) => {
    const { uri, resources } = skill.entry;
    if (alias)
      findings.push(finding('publish-name-alias', `the skill is named ${quoteText(name)} on the site`, { skill: uri }));
    const fault = v01Fault(skill);
    if (fault !== undefined)
      findings.push(finding('publish-v01-path', `the skill is not in the v0.1 index: ${fault}`, { skill: uri }));
    skills.push({ skill, name, type: resources.length === 1 ? 'skill-md' : 'archive', inV01: fault === undefined });
  });
  const sorted = await sortInSlices(skills, (a, b) => (a.name < b.name ? -1 : 1));
  return { skills: sorted, byName: new Map(sorted.map((published) => [published.name, published])), findings };
}

const faults = new WeakMap<SkillRecord, string | undefined>();

/** Why a v0.1 reader could not get every file, as a phrase. */
function v01Fault(skill: SkillRecord): string | undefined {
  const { resources } = skill.entry;
  if (resources !== 'dynamic' && resources.every(({ uri }) => isPlain(uri))) return undefined;
  if (faults.has(skill)) return faults.get(skill);
  let found: string | undefined;
  for (const path of skill.files.keys()) {
    const fault = listedPathFault(path) ?? readerFault(path);
    if (fault === undefined) continue;
    found = `the path ${quoteText(path)} ${fault}`;
    break;
  }
  faults.set(skill, found);
  return found;
}

/** True if a canonical URI means an unproblematic path: special characters are percent-encoded. */
function isPlain(uri: string): boolean {
  return uri.length <= limits.path.characters && !uri.includes('%') && !uri.includes('..');
}

/** Paths that v0.1 allows but its most used reader handles wrongly. */
function readerFault(path: string): string | undefined {
  if (path.includes('..')) return 'contains "..", which makes readers reject the whole index';
  if (path.includes('%')) return 'contains the character %, which readers do not encode';
  return undefined;
}
