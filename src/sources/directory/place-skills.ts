/**
 * Assigns every skill its URI. A URI names one file, so two entries never list the same URI with different bytes.
 *
 * A skill without an outer skill owns a *space*: everything below its URI; no other skill publishes there. A skill inside it joins the
 * space if its folder has its name: both entries then list the same files at the same URIs (S-31). A folder of another name cannot be the
 * last segment (S-10), so the name follows it: `folder/name`. Inside another skill that URI would be a file that the outer skill does not
 * have. So the skill gets a space beside the outer one: `outer~folder/name`.
 *
 * A path does not depend on sibling folders, so a new folder never moves a skill. Only roots without labels can claim
 * one space twice; then the first is served.
 */
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import { isTooLong } from './assemble-skill.ts';
import type { AssembledSkill } from './folder-node.ts';

/** A folder with a usable or broken `SKILL.md`. */
export interface SkillFolder {
  readonly assembled: AssembledSkill;
  /** The nearest such folder around it. */
  readonly around: SkillFolder | undefined;
  /** Path from the folder around it, or from the root and its label, to the folder above; empty if there is nothing between. */
  readonly between: string;
  /** The folder is a root. The name of a root is not part of any URI. */
  readonly isRoot: boolean;
  /** The agent folder that contains it, as shown. */
  readonly agentFolder?: string | undefined;
  /** A server would leave it out. */
  readonly isMarked?: boolean;
}

export interface PlacedSkill {
  readonly assembled: AssembledSkill;
  /** The agent folder of a skill that is marked for it. */
  readonly agentFolder?: string | undefined;
  readonly path: string;
  /** Other paths of the skill: that of its folder, and its path before folders were part of it. */
  readonly aliases: readonly string[];
}

export interface PlacedSkills {
  readonly placed: readonly PlacedSkill[];
  readonly refused: readonly Finding[];
  /** Paths of skills that share a space: a change in one may affect the other. */
  readonly crowded: ReadonlySet<string>;
  /** Real folders of skills that changed between the reading of two entries. */
  readonly unsettled: readonly string[];
}

/** The context for placing the skills inside a folder. */
interface Seat {
  /** The path of the folder, by folder names. */
  readonly folder: string;
  /** The path of the outermost folder with a `SKILL.md`. */
  readonly outermost: string;
  /** The skill whose space this is, if one is served. */
  readonly owner: PlacedSkill | undefined;
  /** Path from the folder of the owner, and from the outermost one. */
  readonly below: string;
  readonly inside: string;
}

/** Replaces the slash if a skill is beside the space of the outer skill. */
const beside = '~';

/** @param found outer skills before those inside them */
export function placeSkills(found: readonly SkillFolder[]): PlacedSkills {
  const placed = new Map<string, PlacedSkill>();
  /** Paths below which there is a skill. */
  const prefixes = new Set<string>();
  const byFolder = new Map<string, PlacedSkill>();
  const seats = new Map<SkillFolder, Seat>();
  const refused: Finding[] = [];
  const crowded = new Set<string>();
  const unsettled: string[] = [];

  /** A folder's place, before it is known whether its own skill is served. */
  function seatOf({ assembled, around, between, isRoot }: SkillFolder): Seat {
    const { folder, frontmatter } = assembled;
    const name = isRoot ? (frontmatter?.name ?? folder.name) : folder.name;
    const outer = around === undefined ? undefined : seats.get(around);
    const step = pathBelow(between, name);
    if (outer === undefined) return { folder: step, outermost: step, owner: undefined, below: '', inside: '' };
    return {
      folder: pathBelow(outer.folder, step),
      outermost: outer.outermost,
      owner: outer.owner,
      below: pathBelow(outer.below, step),
      inside: pathBelow(outer.inside, step),
    };
  }

  function linkedTwice({ folder }: AssembledSkill, file: string): Finding | undefined {
    const same = byFolder.get(folder.path.real);
    if (same === undefined) return undefined;
    const message = `this is the folder "${same.assembled.folder.path.shown}", which is served already`;
    return finding('skill-linked-twice', message, { file, skill: skillFileUri(same.path, skillFileName) });
  }

  /** Why a skill cannot own a space at this path. */
  function claimed(path: string): string | undefined {
    const first = placed.get(path);
    if (first !== undefined) return `"${first.assembled.folder.path.shown}" has the URI`;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const outer = placed.get(path.slice(0, slash));
      if (outer !== undefined) return `"${outer.assembled.folder.path.shown}" is served around the URI`;
    }
    if (!prefixes.has(path)) return undefined;
    const inner = [...placed.values()].find((other) => isBelow(other.path, path));
    return `"${inner?.assembled.folder.path.shown}" is served below the URI`;
  }

  function accept(skill: PlacedSkill): void {
    const { path, assembled } = skill;
    placed.set(path, skill);
    byFolder.set(assembled.folder.path.real, skill);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const above = path.slice(0, slash);
      // Then the paths above it are known too.
      if (prefixes.has(above)) break;
      prefixes.add(above);
    }
  }

  /** Places a skill; undefined if it is refused. */
  function place(one: SkillFolder, seat: Seat, name: string): PlacedSkill | undefined {
    const { assembled } = one;
    const { owner } = seat;
    const agentFolder = one.isMarked === true ? one.agentFolder : undefined;
    const twice = linkedTwice(assembled, nameAt(assembled).file);
    if (twice !== undefined) {
      refused.push(twice);
      return undefined;
    }
    const inSpace = owner === undefined ? seat.folder : pathBelow(owner.path, seat.below);
    const hasName = one.isRoot || name === assembled.folder.name;
    if (owner !== undefined && hasName && fits(assembled, seat.below)) {
      if (changedSince(owner.assembled, seat.below, assembled)) {
        unsettled.push(assembled.folder.path.real);
        refused.push(
          finding('file-unreadable', 'the skill changed while it was read, so it is not served', {
            file: assembled.folder.path.shown,
            remedy: 'nothing to do; it is read again soon',
          }),
        );
        return undefined;
      }
      const skill = {
        assembled,
        agentFolder,
        path: inSpace,
        aliases: owner.aliases.map((alias) => pathBelow(alias, seat.below)),
      };
      crowded.add(owner.path).add(skill.path);
      accept(skill);
      return skill;
    }
    const apart =
      one.around === undefined ? seat.folder : `${seat.outermost}${beside}${seat.inside.replaceAll('/', beside)}`;
    const path = hasName && owner === undefined ? seat.folder : pathBelow(apart, name);
    const why = claimed(path);
    if (why !== undefined) {
      refused.push(uriTaken(assembled, path, why));
      return undefined;
    }
    const skill = { assembled, agentFolder, path, aliases: aliasesOf(one, inSpace, name, path) };
    accept(skill);
    return skill;
  }

  // Agent folders are last, so that reading them changes nothing about other skills.
  const [ordinary, ofAgents] = [false, true].map((isOfAgent) =>
    found.filter(({ agentFolder }) => (agentFolder !== undefined) === isOfAgent),
  );
  for (const level of [...byDepth(ordinary ?? []), ...byDepth(ofAgents ?? [])])
    for (const one of level) {
      const seat = seatOf(one);
      const name = one.assembled.frontmatter?.name;
      const skill = name === undefined ? undefined : place(one, seat, name);
      seats.set(one, seat.owner === undefined && skill !== undefined ? { ...seat, owner: skill, below: '' } : seat);
    }
  return { placed: withUniqueAliases(placed), refused, crowded, unsettled };
}

/** The path of the folder, and the one beside it that the skill would have if its folder had its name. */
function aliasesOf(
  { assembled, isRoot, between }: SkillFolder,
  folder: string,
  name: string,
  path: string,
): readonly string[] {
  if (isRoot) return [pathBelow(between, assembled.folder.name)].filter((alias) => alias !== path);
  const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
  return [folder, pathBelow(above, name)].filter((alias, index, all) => alias !== path && all.indexOf(alias) === index);
}

/**
 * An alias that is also the path of a skill, or that two skills share, is dropped: it could lead elsewhere after the
 * next change.
 */
function withUniqueAliases(placed: ReadonlyMap<string, PlacedSkill>): readonly PlacedSkill[] {
  const all = [...placed.values()];
  const claims = new Map<string, number>();
  for (const { aliases } of all) for (const alias of aliases) claims.set(alias, (claims.get(alias) ?? 0) + 1);
  if (claims.size === 0) return all;
  return all.map((skill) => {
    const aliases = skill.aliases.filter((alias) => claims.get(alias) === 1 && !placed.has(alias));
    return aliases.length === skill.aliases.length ? skill : { ...skill, aliases };
  });
}

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
 * Whether the outer skill lists all files of a skill: paths that are too long below the outer folder may fit below the
 * inner one.
 */
function fits({ files, cachedFiles }: AssembledSkill, below: string): boolean {
  return (cachedFiles ?? files).every(({ path }) => !isTooLong(`${below}/${path}`));
}

/** Whether a file differs between the two readings of it, one for each entry. */
function changedSince(outer: AssembledSkill, below: string, inner: AssembledSkill): boolean {
  const digests = new Map<string, string>();
  for (const { path, facts } of outer.files)
    if (isBelow(path, below)) digests.set(path.slice(below.length + 1), facts.digest);
  return inner.files.some(({ path, facts }) => (digests.get(path) ?? facts.digest) !== facts.digest);
}

/** The file and line of a skill's name. */
export function nameAt({ folder, nameLine }: AssembledSkill): { file: string; line?: number } {
  const file = folder.skillFile?.shown ?? folder.path.shown;
  return nameLine === undefined ? { file } : { file, line: nameLine };
}

function uriTaken(assembled: AssembledSkill, path: string, why: string): Finding {
  const uri = skillFileUri(path, skillFileName);
  return finding('skill-uri-taken', `the skill is not served: ${why} ${uri} already`, {
    ...nameAt(assembled),
    skill: uri,
  });
}
