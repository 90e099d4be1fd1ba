/**
 * Gives every skill its URI. What lies below the URI of a skill are its own files and nothing else: a skill inside it joins only if
 * both entries list the same bytes there, and another skill never does. So a URI names one file, and no entry breaks its own digests.
 *
 * Outer skills are placed before those inside them. Of two skills with one URI the first is published, where a folder that is
 * called like its skill comes before one that is not. Skills inside a folder that got no URI are placed by the folder's path.
 */
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { AssembledSkill } from './folder-node.ts';

/** A folder with a usable or broken `SKILL.md`, as it was found. */
export interface SkillFolder {
  readonly assembled: AssembledSkill;
  /** The nearest such folder around it. */
  readonly around: SkillFolder | undefined;
  /** Path from the folder around it, or from the root and its label, to the folder above; empty where there is nothing between. */
  readonly between: string;
}

export interface PlacedSkill {
  readonly assembled: AssembledSkill;
  readonly path: string;
  /** The folder's own path, where the skill has another name. */
  readonly alias?: string;
}

export interface PlacedSkills {
  readonly placed: readonly PlacedSkill[];
  readonly refused: readonly Finding[];
  /** Paths of skills that lie inside others, or have others inside: what changes in one may concern the other. */
  readonly crowded: ReadonlySet<string>;
  /** Real folders of skills that changed between the reading of two entries. */
  readonly unsettled: readonly string[];
}

/** @param found outer skills before those inside them */
export function placeSkills(found: readonly SkillFolder[]): PlacedSkills {
  const placed = new Map<string, PlacedSkill>();
  /** Paths below which there is a skill. */
  const prefixes = new Set<string>();
  const byFolder = new Map<string, PlacedSkill>();
  /** Where the skills inside of a folder are placed. */
  const bases = new Map<SkillFolder, string>();
  const refused: Finding[] = [];
  const crowded = new Set<string>();
  const unsettled: string[] = [];

  function placeOf({ around, between }: SkillFolder, name: string): string {
    const above = around === undefined ? between : pathBelow(bases.get(around) ?? '', between);
    return pathBelow(above, name);
  }

  function refusal(skill: PlacedSkill, around: readonly PlacedSkill[]): Finding | undefined {
    const { assembled, path } = skill;
    const { real, shown } = assembled.folder.path;
    const same = byFolder.get(real);
    if (same !== undefined) {
      const message = `this is the folder "${same.assembled.folder.path.shown}", which is served already`;
      return finding('skill-linked-twice', message, {
        file: nameAt(assembled).file,
        skill: skillFileUri(same.path, skillFileName),
      });
    }
    const first = placed.get(path);
    if (first !== undefined) return taken(skill, `"${first.assembled.folder.path.shown}" has the URI`);
    for (const outer of around) {
      const clash = clashOf(outer, skill);
      if (clash === 'taken') return taken(skill, `"${outer.assembled.folder.path.shown}" has files below the URI`);
      if (clash === undefined) continue;
      unsettled.push(real);
      return finding('file-unreadable', 'the skill changed while it was read, so it is not served', {
        file: shown,
        remedy: 'nothing to do; it is read again soon',
      });
    }
    const inner = skillsBelow(path).find((other) => clashOf(skill, other) !== undefined);
    return inner === undefined
      ? undefined
      : taken(skill, `"${inner.assembled.folder.path.shown}" is served below the URI`);
  }

  function skillsBelow(path: string): readonly PlacedSkill[] {
    return prefixes.has(path) ? [...placed.values()].filter((other) => isBelow(other.path, path)) : none;
  }

  function skillsAround(path: string): readonly PlacedSkill[] {
    let found: PlacedSkill[] | undefined;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const skill = placed.get(path.slice(0, slash));
      if (skill === undefined) continue;
      found ??= [];
      found.push(skill);
    }
    return found ?? none;
  }

  function accept(skill: PlacedSkill, around: readonly PlacedSkill[]): void {
    const { path, assembled } = skill;
    const inside = skillsBelow(path);
    for (const other of around) crowded.add(other.path);
    for (const other of inside) crowded.add(other.path);
    if (around.length + inside.length > 0) crowded.add(path);
    placed.set(path, skill);
    byFolder.set(assembled.folder.path.real, skill);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const above = path.slice(0, slash);
      // Those above it are known too then.
      if (prefixes.has(above)) break;
      prefixes.add(above);
    }
  }

  function place(one: SkillFolder, name: string, own: string): void {
    const { assembled } = one;
    const isRenamed = name !== assembled.folder.name;
    const skill = isRenamed ? { assembled, path: placeOf(one, name), alias: own } : { assembled, path: own };
    const around = skillsAround(skill.path);
    const fault = refusal(skill, around);
    if (fault === undefined) {
      accept(skill, around);
      if (isRenamed) bases.set(one, skill.path);
    } else refused.push(fault);
  }

  for (const level of byDepth(found)) {
    const renamed: SkillFolder[] = [];
    for (const one of level) {
      const { folder, frontmatter } = one.assembled;
      const own = placeOf(one, folder.name);
      bases.set(one, own);
      if (frontmatter === undefined) continue;
      if (frontmatter.name === folder.name) place(one, frontmatter.name, own);
      else renamed.push(one);
    }
    for (const one of renamed) place(one, one.assembled.frontmatter?.name ?? '', bases.get(one) ?? '');
  }
  return { placed: [...placed.values()], refused, crowded, unsettled };
}

const none: readonly never[] = [];

export function pathBelow(above: string, name: string): string {
  return above === '' ? name : name === '' ? above : `${above}/${name}`;
}

/** The folders by the number of skills around them. */
function byDepth(found: readonly SkillFolder[]): readonly (readonly SkillFolder[])[] {
  if (found.every(({ around }) => around === undefined)) return [found];
  const levels: SkillFolder[][] = [];
  const depths = new Map<SkillFolder, number>();
  for (const one of found) {
    const depth = one.around === undefined ? 0 : (depths.get(one.around) ?? 0) + 1;
    depths.set(one, depth);
    const level = levels[depth];
    if (level === undefined) levels[depth] = [one];
    else level.push(one);
  }
  return levels;
}

function isBelow(path: string, above: string): boolean {
  return path.length > above.length && path.startsWith(above) && path[above.length] === '/';
}

/**
 * Why two skills cannot both be served: `taken` where the outer one has files of its own at the path of the inner one, `changed` where
 * these are the files of the inner one, read at different times.
 */
function clashOf(outer: PlacedSkill, inner: PlacedSkill): 'taken' | 'changed' | undefined {
  const below = inner.path.slice(outer.path.length + 1);
  const digests = new Map<string, string>();
  let isSameFolder = false;
  for (const { path, node, facts } of outer.assembled.files) {
    // A file where the inner skill needs a folder.
    if (path === below || isBelow(below, path)) return 'taken';
    if (!isBelow(path, below)) continue;
    const rest = path.slice(below.length + 1);
    digests.set(rest, facts.digest);
    if (rest === skillFileName) isSameFolder = node.folder.real === inner.assembled.folder.path.real;
  }
  if (digests.size === 0) return undefined;
  if (!isSameFolder) return 'taken';
  const differs = inner.assembled.files.some(({ path, facts }) => (digests.get(path) ?? facts.digest) !== facts.digest);
  return differs ? 'changed' : undefined;
}

/** Where the name of a skill is written. */
export function nameAt({ folder, nameLine }: AssembledSkill): { file: string; line?: number } {
  const file = folder.skillFile?.shown ?? folder.path.shown;
  return nameLine === undefined ? { file } : { file, line: nameLine };
}

function taken({ assembled, path }: PlacedSkill, why: string): Finding {
  const uri = skillFileUri(path, skillFileName);
  return finding('skill-uri-taken', `the skill is not served: ${why} ${uri} already`, {
    ...nameAt(assembled),
    skill: uri,
  });
}
