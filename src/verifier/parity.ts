/**
 * Compares the catalogs of several origins: finds each skill in all of them and compares the digests of its files.
 * Sites have one flat name per skill, so skills match by the first of these rules:
 *
 * - Their paths are equal.
 * - The flat name is the name of the skill.
 * - The flat name is the path of the skill joined with hyphens.
 *
 * Publishers assign flat names in the same order.
 */
import { limits } from '../limits.ts';
import type { Digester } from '../skill/digest.ts';
import type { OriginDigests, SkillDigests } from './served-digests.ts';

/** `same`: equal to the first origin that has it. `failed`: fails verification. `unread`: could not be read. */
export type ParityState = 'same' | 'differs' | 'missing' | 'failed' | 'unread';

export interface ParityCell {
  readonly origin: string;
  readonly state: ParityState;
  readonly uri?: string;
  /** The digest of all files: SHA-256 over the sorted lines `path NUL hex LF`. */
  readonly digest?: string;
  readonly message?: string;
}

export interface ParityDifference {
  /** Relative to the skill. */
  readonly path: string;
  /** By origin; `null` if it has no such file. */
  readonly digests: Readonly<Record<string, string | null>>;
}

export interface ParitySkill {
  readonly name: string;
  readonly state: ParityState;
  /** One cell per origin, in their order. */
  readonly origins: readonly ParityCell[];
  readonly differences: readonly ParityDifference[];
}

export interface LabelledOrigin extends OriginDigests {
  readonly label: string;
}

export interface ParityReport {
  readonly origins: readonly {
    readonly label: string;
    readonly skills: number;
    readonly dialect?: string;
    readonly cut?: string;
  }[];
  readonly skills: readonly ParitySkill[];
}

type Group = (SkillDigests | undefined)[];

export function compareOrigins(origins: readonly LabelledOrigin[], digest: Digester): ParityReport {
  const groups: Group[] = [];
  const byPath = new Map<string, Group>();
  for (const [index, { skills }] of origins.entries()) {
    for (const skill of skills) {
      const same = byPath.get(skill.path);
      const group = same !== undefined && same[index] === undefined ? same : groupOf(skill, groups, index);
      const found = group ?? newGroup(groups);
      found[index] = skill;
      if (same === undefined) byPath.set(skill.path, found);
    }
  }
  const labels = origins.map(({ label }) => label);
  const compared = groups.map((group) => compareSkill(group, labels, digest));
  return {
    origins: origins.map(({ label, skills, dialect, cut }) => ({
      label,
      skills: skills.filter(({ fault }) => fault === undefined).length,
      dialect,
      cut,
    })),
    skills: compared.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  };
}

function newGroup(groups: Group[]): Group {
  const group: Group = [];
  groups.push(group);
  return group;
}

/** The group of the same skill at other origins. Skills come in the order of their URIs. */
function groupOf(skill: SkillDigests, groups: readonly Group[], index: number): Group | undefined {
  const free = groups.filter((group) => group[index] === undefined);
  const found = (fits: (other: SkillDigests) => boolean): Group | undefined =>
    free.find((group) => group.some((other) => other !== undefined && fits(other)));
  return (
    found((other) => flatName(other) === lastSegment(skill.path) || lastSegment(other.path) === flatName(skill)) ??
    found((other) => flatName(other) === joined(skill.path) || joined(other.path) === flatName(skill))
  );
}

/** The name of the skill in the index of a site, if its path can come from a site. */
function flatName({ path, name }: SkillDigests): string | undefined {
  const [first, second, ...more] = path.split('/');
  const aliased = second === name && more.length === 0;
  return second === undefined || aliased ? first : undefined;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function joined(path: string): string {
  return path.replaceAll('/', '-');
}

function compareSkill(group: Group, labels: readonly string[], digest: Digester): ParitySkill {
  const first = group.find((skill) => skill !== undefined && skill.fault === undefined);
  const cells = labels.map((origin, index) => cellOf(origin, group[index], first, digest));
  const name = (first ?? group.find((skill) => skill !== undefined))?.name ?? '';
  return { name, state: worst(cells), origins: cells, differences: differencesOf(group, labels) };
}

function cellOf(
  origin: string,
  skill: SkillDigests | undefined,
  first: SkillDigests | undefined,
  digest: Digester,
): ParityCell {
  if (skill === undefined) return { origin, state: 'missing' };
  const { uri, fault } = skill;
  if (fault !== undefined) return { origin, uri, state: fault.broken ? 'failed' : 'unread', message: fault.message };
  const own = setDigest(skill, digest);
  return {
    origin,
    uri,
    digest: own,
    state: first === undefined || own === setDigest(first, digest) ? 'same' : 'differs',
  };
}

function setDigest({ files }: SkillDigests, digest: Digester): string {
  const lines = [...files].map(([path, hash]) => `${path}\0${hash.replace(/^sha256:/, '')}\n`);
  return digest(new TextEncoder().encode(lines.sort().join('')));
}

const gravity: readonly ParityState[] = ['failed', 'differs', 'unread', 'missing', 'same'];

function worst(cells: readonly ParityCell[]): ParityState {
  return gravity.find((state) => cells.some((cell) => cell.state === state)) ?? 'same';
}

function differencesOf(group: Group, labels: readonly string[]): readonly ParityDifference[] {
  const present = labels
    .map((label, index) => ({ label, skill: group[index] }))
    .filter(
      (one): one is { label: string; skill: SkillDigests } => one.skill !== undefined && one.skill.fault === undefined,
    );
  const paths = new Set(present.flatMap(({ skill }) => [...skill.files.keys()]));
  const different = [...paths]
    .sort()
    .filter((path) => new Set(present.map(({ skill }) => skill.files.get(path))).size > 1);
  return different.slice(0, limits.verifier.failures).map((path) => ({
    path,
    digests: Object.fromEntries(present.map(({ label, skill }) => [label, skill.files.get(path) ?? null])),
  }));
}
