/** The listing of the page: one row per skill, findings per skill, and other findings. */
import { isOffered } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { countFindings, type Finding, type FindingLevel, totalFindings } from '../../skill/finding.ts';
import type { AgentsGet, SkillListing, SkillRow, StandingData } from './page-data.ts';
import type { PageOrigins, PageReview, PageStanding } from './page-ports.ts';

export interface RowsContext {
  readonly snapshot: Snapshot;
  /** The snapshot of what agents get. */
  readonly served: Snapshot;
  readonly origins: PageOrigins;
  readonly review: PageReview;
  /** True to list findings, which contain server paths. */
  readonly trusted: boolean;
}

interface Rows {
  rowOf(skill: SkillRecord): SkillRow;
}

/** Creates rows for the skills of one snapshot. */
export async function rowsOf({ snapshot, served, origins, review, trusted }: RowsContext): Promise<Rows> {
  const standingOf = await review.standings(snapshot);
  const { bySkill } = sortFindings(snapshot);
  const names = new Map<string, number>();
  for (const { entry } of snapshot.skills)
    names.set(entry.frontmatter.name, (names.get(entry.frontmatter.name) ?? 0) + 1);
  return {
    rowOf(skill) {
      const { entry } = skill;
      const { name, description } = entry.frontmatter;
      return {
        uri: entry.uri,
        name,
        description: cut(description),
        origin: shownOrigin(origins, skill, trusted),
        listed: isOffered(served, entry.uri),
        verified: entry.resources !== 'dynamic',
        files: entry.resources === 'dynamic' ? 0 : entry.resources.length,
        bytes: entry.resources === 'dynamic' ? 0 : entry.resources.reduce((total, { size }) => total + size, 0),
        ...review.traits(skill),
        ...countFindings(bySkill.get(entry.uri) ?? []),
        ...standingData(standingOf(skill)),
        agentsGet: agentsGet(skill, served),
        collides: (names.get(name) ?? 0) > 1,
      };
    },
  };
}

export async function skillListing(context: RowsContext): Promise<SkillListing> {
  const { snapshot, origins, trusted } = context;
  const { rowOf } = await rowsOf(context);
  const { others } = sortFindings(snapshot);
  const listed = trusted ? others.filter(({ omitted }) => omitted === undefined) : [];
  const shown = listed.slice(0, limits.page.findings);
  return {
    skills: snapshot.skills.map(rowOf),
    findings: shown,
    hiddenFindings: totalFindings(others) - shown.length,
    origins: [...new Set(snapshot.skills.map((skill) => shownOrigin(origins, skill, trusted)))].sort(),
  };
}

export function standingData({ state, approved, why }: PageStanding): StandingData {
  return { state, approved, why };
}

export function agentsGet(skill: SkillRecord, served: Snapshot): AgentsGet {
  const version = served.skill(skill.entry.uri);
  return version === undefined ? 'nothing' : version.entry === skill.entry ? 'this' : 'approved';
}

/** The label of an unnamed origin is its location, which untrusted readers may not see. */
export function shownOrigin(origins: PageOrigins, skill: SkillRecord, trusted: boolean): string {
  const label = origins.labelOf(skill);
  return trusted || /^[a-z0-9][\w.-]*$/i.test(label) ? label : origins.kindOf(label);
}

/** Findings of the snapshot about one skill. */
export function findingsOf(snapshot: Snapshot, uri: string): readonly Finding[] {
  return sortFindings(snapshot).bySkill.get(uri) ?? [];
}

interface SortedFindings {
  readonly bySkill: ReadonlyMap<string, readonly Finding[]>;
  /** Findings about unserved skills or no skill; problems first. */
  readonly others: readonly Finding[];
}

const sorted = new WeakMap<Snapshot, SortedFindings>();
const levels: readonly FindingLevel[] = ['problem', 'warning', 'note'];

function sortFindings(snapshot: Snapshot): SortedFindings {
  const known = sorted.get(snapshot);
  if (known !== undefined) return known;
  const bySkill = new Map<string, Finding[]>();
  const others: Finding[] = [];
  for (const level of levels)
    for (const found of snapshot.findings) {
      if (found.level !== level) continue;
      const served = found.skill !== undefined && snapshot.skill(found.skill) !== undefined;
      // The state of the skill already shows it.
      if (served && found.rule.startsWith('policy-')) continue;
      if (!served || found.skill === undefined) {
        others.push(found);
        continue;
      }
      const list = bySkill.get(found.skill);
      if (list === undefined) bySkill.set(found.skill, [found]);
      else list.push(found);
    }
  const result = { bySkill, others };
  sorted.set(snapshot, result);
  return result;
}

function cut(description: string): string {
  const most = limits.page.listedDescription;
  if (description.length <= most) return description;
  const end = /[\ud800-\udbff]/.test(description.charAt(most - 1)) ? most - 1 : most;
  return `${description.slice(0, end)}\u2026`;
}
