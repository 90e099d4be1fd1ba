/** The rows of the page, one per skill, and the findings of a snapshot: those about a skill that it has, and the others. */
import { visitInSlices } from '../../async/slices.ts';
import { isOffered } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { countFindings, type Finding, type FindingLevel } from '../../skill/finding.ts';
import type { SkillRow } from './page-data.ts';
import type { PageOrigins, PageReview, PageStanding } from './page-ports.ts';
import type { AgentsGet, StandingData } from './review-data.ts';

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
  const { bySkill } = await sortFindingsInSlices(snapshot);
  const names = await namesOf(snapshot);
  return {
    rowOf(skill) {
      const { entry } = skill;
      const { name, description } = entry.frontmatter;
      return {
        uri: entry.uri,
        name,
        description: cut(description),
        ...useWhen(description),
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

const nameCounts = new WeakMap<Snapshot, ReadonlyMap<string, number>>();

/** How many skills of the snapshot have each name. In slices: the first look at a skill may decode its entry. */
async function namesOf(snapshot: Snapshot): Promise<ReadonlyMap<string, number>> {
  const known = nameCounts.get(snapshot);
  if (known !== undefined) return known;
  const names = new Map<string, number>();
  await visitInSlices(snapshot.skills, ({ entry }) => {
    names.set(entry.frontmatter.name, (names.get(entry.frontmatter.name) ?? 0) + 1);
  });
  nameCounts.set(snapshot, names);
  return names;
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

/** Findings about unserved skills or no skill; problems first. */
export function otherFindings(snapshot: Snapshot): readonly Finding[] {
  return sortFindings(snapshot).others;
}

interface SortedFindings {
  readonly bySkill: ReadonlyMap<string, readonly Finding[]>;
  /** Findings about unserved skills or no skill; problems first. */
  readonly others: readonly Finding[];
}

const sorted = new WeakMap<Snapshot, SortedFindings>();
const levels: readonly FindingLevel[] = ['problem', 'warning', 'note'];

/** Before a listing of many skills; later readers of the same snapshot get the result at once. */
async function sortFindingsInSlices(snapshot: Snapshot): Promise<SortedFindings> {
  const known = sorted.get(snapshot);
  if (known !== undefined) return known;
  const { result, add } = sortingOf(snapshot);
  await visitInSlices(byLevel(snapshot.findings), add);
  sorted.set(snapshot, result);
  return result;
}

function sortFindings(snapshot: Snapshot): SortedFindings {
  const known = sorted.get(snapshot);
  if (known !== undefined) return known;
  const { result, add } = sortingOf(snapshot);
  for (const found of byLevel(snapshot.findings)) add(found);
  sorted.set(snapshot, result);
  return result;
}

/** Problems first, then warnings, then notes. */
function* byLevel(findings: readonly Finding[]): Iterable<Finding> {
  for (const level of levels) for (const found of findings) if (found.level === level) yield found;
}

function sortingOf(snapshot: Snapshot): { readonly result: SortedFindings; readonly add: (found: Finding) => void } {
  const bySkill = new Map<string, Finding[]>();
  const others: Finding[] = [];
  return {
    result: { bySkill, others },
    add(found) {
      // The URI of a collision is that of the winner, but the finding is about the skill that lost.
      const aboutLoser = found.rule === 'skill-uri-taken';
      const served = !aboutLoser && found.skill !== undefined && snapshot.skill(found.skill) !== undefined;
      // The state of the skill already shows it.
      if (served && found.rule.startsWith('policy-')) return;
      if (!served || found.skill === undefined) {
        others.push(found);
        return;
      }
      const list = bySkill.get(found.skill);
      if (list === undefined) bySkill.set(found.skill, [found]);
      else list.push(found);
    },
  };
}

/** Authors say at the end when to use a skill. */
const useSentence =
  /(?<=^|[.!?]\s{1,4})(?:Use|Trigger|Invoke|Apply)\b[^.!?]{0,60}?\b(?:when|if|for|to|whenever|before|after|on|in)\b.*$/s;

/** The sentence that says when to use a skill, and all after it. It decides more than the rest, so the cut must not hide it. */
function useWhen(description: string): Pick<SkillRow, 'useWhen'> {
  const found = useSentence.exec(description.slice(0, limits.page.readDescription))?.[0];
  return found === undefined ? {} : { useWhen: cut(found) };
}

function cut(description: string): string {
  const most = limits.page.listedDescription;
  if (description.length <= most) return description;
  const end = /[\ud800-\udbff]/.test(description.charAt(most - 1)) ? most - 1 : most;
  return `${description.slice(0, end)}\u2026`;
}
