/**
 * Turns folder trees into published skills. A folder with a `SKILL.md` is a skill; a folder that is reached twice is
 * one skill. `place-skills.ts` decides which skill gets which URI.
 */
import { basename, relative, sep } from 'node:path';
import { andThen, type MaybePromise, mapInOrder } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding, withRest } from '../../skill/finding.ts';
import { skillFileUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import { assembleSkill } from './assemble-skill.ts';
import { type ChangedFolder, changedSkills, isReportedAlike, type PublishedRoot } from './changed-skills.ts';
import type { FileReader } from './file-facts.ts';
import type { AssembledFile, AssembledSkill, FolderNode, PublishedSkill } from './folder-node.ts';
import { isAgentFolder } from './hidden-folders.ts';
import { foldersToLookInto } from './lazy-folder.ts';
import { nameAt, type PlacedSkill, pathBelow, placeSkills, type SkillFolder } from './place-skills.ts';
import { isHiddenSecret, type NamedFiles, noNamedFiles } from './publish-rules.ts';
import { toSourceSkill } from './to-source-skill.ts';

/** The result of a scan, as the difference to the published state. Nothing changes until it is accepted. */
export interface Proposal {
  readonly upserted: readonly PublishedSkill[];
  readonly removed: readonly PublishedSkill[];
  readonly findings: readonly Finding[];
  /** Real folders that could not be read because of a passing failure. */
  readonly retry: readonly string[];
  readonly roots: readonly PublishedRoot[];
  /** Paths of skills that are inside others, or contain others. */
  readonly crowded: ReadonlySet<string>;
}

/** A publisher caches its result for each folder, so publishing again costs only what changed. */
export function createPublisher(reader: FileReader, named: NamedFiles = noNamedFiles) {
  const skills = new Map<string, PublishedSkill>();
  const retry = new Set<string>();
  let findings: readonly Finding[] = [];
  let roots: readonly PublishedRoot[] | undefined;
  let crowded: ReadonlySet<string> = new Set();
  /** The stand-in for a folder until it can be read. */
  const spoilt = new Map<FolderNode, AssembledSkill>();
  /** By real folder; created only if the system fails. */
  let lastGood: ReadonlyMap<string, AssembledSkill> | undefined;

  /** Assembles the skills that are not assembled yet. */
  function assembleAll(folders: readonly FolderNode[], together: boolean): MaybePromise<unknown> {
    const assemble = (folder: FolderNode): MaybePromise<void> =>
      folder.assembled === undefined
        ? andThen(assembleSkill(folder, { reader, named }), (skill) => keepGood(folder, skill))
        : undefined;
    return mapInOrder(folders, assemble, together);
  }

  /** After a passing failure the previous version is served, and assembled again soon. */
  function keepGood(folder: FolderNode, skill: AssembledSkill): void {
    if (!skill.incomplete) {
      folder.assembled = skill;
      return;
    }
    const { real } = folder.path;
    retry.add(real);
    lastGood ??= new Map([...skills.values()].map(({ assembled }) => [assembled.folder.path.real, assembled]));
    spoilt.set(folder, lastGood.get(real) ?? skill);
  }

  /** All folders with a `SKILL.md`, outer ones before those inside. */
  function skillFoldersIn(root: PublishedRoot): { found: SkillFolder[]; findings: Finding[] } {
    const findings: Finding[] = [];
    const found: SkillFolder[] = [];
    function visit(
      folder: FolderNode,
      around: SkillFolder | undefined,
      between: string,
      insideSkill: boolean,
      agent?: string,
    ): void {
      const agentFolder = agent ?? (isAgentFolder(folder.inherited.way) ? folder.path.shown : undefined);
      if (folder.notes.findings.length > 0) findings.push(...folder.notes.findings);
      const isSkill = folder.skillFile !== undefined;
      const assembled = isSkill && (root.nested || !insideSkill) ? (folder.assembled ?? spoilt.get(folder)) : undefined;
      let inner = around;
      let below = folder === root.tree ? between : pathBelow(between, folder.name);
      if (assembled !== undefined) {
        if (assembled.findings.length > 0) findings.push(...assembled.findings);
        inner = {
          assembled,
          around,
          between,
          isRoot: folder === root.tree,
          agentFolder,
          isMarked: root.marksAgentFolders === true,
        };
        found.push(inner);
        below = '';
      }
      for (const child of foldersToLookInto(folder)) visit(child, inner, below, insideSkill || isSkill, agentFolder);
    }
    visit(root.tree, undefined, root.label ?? '', false);
    return { found, findings };
  }

  function proposeAll(now: readonly PublishedRoot[]): Proposal {
    const perRoot = now.map(skillFoldersIn);
    const found = perRoot.flatMap((root) => root.findings);
    const { placed, refused, crowded, unsettled } = placeSkills(perRoot.flatMap((root) => root.found));
    found.push(...refused);
    for (const real of unsettled) retry.add(real);
    const upserted: PublishedSkill[] = [];
    const uris = new Set<string>();
    for (const skill of placed) {
      const published = describe(skill);
      const { uri } = published.skill.entry;
      uris.add(uri);
      if (skills.get(uri) !== published) upserted.push(published);
      const { frontmatter, folder } = skill.assembled;
      if (frontmatter?.name !== folder.name) found.push(renamed(skill));
      found.push(...hiddenFiles(skill));
    }
    found.push(...sameNames(placed));
    found.push(...agentFoldersRead(placed));
    for (const [index, root] of perRoot.entries())
      if (root.found.length === 0 && !root.findings.some(({ rule }) => rule === 'ignore-file'))
        found.push(empty(now[index]));
    const removed: PublishedSkill[] = [];
    for (const [uri, published] of skills) if (!uris.has(uri)) removed.push(published);
    return { upserted, removed, findings: bounded(distinct(found)), retry: [...retry], roots: now, crowded };
  }

  /** If only the files and texts of skills changed, only those skills are examined. */
  function proposePatch(now: readonly PublishedRoot[], changed: readonly ChangedFolder[]): Proposal | undefined {
    const upserted: PublishedSkill[] = [];
    for (const { before, after } of changed) {
      const was = before.assembled;
      const is = after.assembled;
      if (was === undefined || is === undefined || !isReportedAlike(was, is)) return undefined;
      const { published } = was;
      if (is.frontmatter === undefined) continue;
      if (published === undefined || skills.get(published.skill.entry.uri) !== published) return undefined;
      // The change may conflict with a skill around it or inside it.
      if (crowded.has(published.path)) return undefined;
      const { path, skill } = published;
      upserted.push(describe({ assembled: is, path, aliases: skill.aliases ?? [] }, skill.inAgentFolder));
    }
    return { upserted, removed: [], findings, retry: [...retry], roots: now, crowded };
  }

  return {
    /** The published skills, by URI. */
    skills,
    get findings(): readonly Finding[] {
      return findings;
    },
    /** The trees of the published state. */
    get trees(): readonly FolderNode[] {
      return (roots ?? []).map(({ tree }) => tree);
    },
    propose(now: readonly PublishedRoot[]): MaybePromise<Proposal> {
      retry.clear();
      spoilt.clear();
      lastGood = undefined;
      const together = now.some(({ tree }) => !tree.path.local);
      const changed = roots === undefined ? undefined : changedSkills(roots, now);
      const all = (): MaybePromise<Proposal> =>
        andThen(assembleAll(now.flatMap(skillFolders), together), () => proposeAll(now));
      if (changed === undefined) return all();
      const folders = changed.map(({ after }) => after);
      return andThen(assembleAll(folders, together), () => proposePatch(now, changed) ?? all());
    },
    accept(proposal: Proposal): void {
      for (const { skill } of proposal.removed) skills.delete(skill.entry.uri);
      for (const published of proposal.upserted) skills.set(published.skill.entry.uri, published);
      ({ findings, roots, crowded } = proposal);
    },
  };
}

function skillFolders({ tree, nested }: PublishedRoot): FolderNode[] {
  const found: FolderNode[] = [];
  function visit(folder: FolderNode): void {
    if (folder.skillFile !== undefined) {
      found.push(folder);
      if (!nested) return;
    }
    for (const child of foldersToLookInto(folder)) visit(child);
  }
  visit(tree);
  return found;
}

function describe(
  { assembled, path, aliases, agentFolder }: PlacedSkill,
  inAgentFolder: true | undefined = agentFolder === undefined ? undefined : true,
): PublishedSkill {
  const known = assembled.published;
  if (known?.path === path && (known.skill.aliases ?? []).join('\n') === aliases.join('\n')) return known;
  const skill = toSourceSkill(assembled, path, aliases, inAgentFolder);
  const published = { skill, assembled, path };
  assembled.published = published;
  return published;
}

/** Files of a nested skill also belong to the outer one; findings of both are reported once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const seen = new Map<string, Finding>();
  for (const found of findings) {
    const key = `${found.rule}\n${found.file}\n${found.line}\n${found.message}`;
    if (!seen.has(key)) seen.set(key, found);
  }
  return [...seen.values()];
}

function sameNames(placed: readonly PlacedSkill[]): readonly Finding[] {
  const first = new Map<string, PlacedSkill>();
  const findings: Finding[] = [];
  for (const skill of placed) {
    const name = skill.assembled.frontmatter?.name ?? '';
    const other = first.get(name);
    if (other === undefined) first.set(name, skill);
    else
      findings.push(
        finding('name-not-unique', `"${other.assembled.folder.path.shown}" has the name "${name}" too`, {
          ...nameAt(skill.assembled),
          skill: skillFileUri(skill.path, skillFileName),
        }),
      );
  }
  return findings;
}

/** One finding for each agent folder that is read, and that a server leaves out. */
function agentFoldersRead(placed: readonly PlacedSkill[]): readonly Finding[] {
  const counts = new Map<string, number>();
  for (const { agentFolder } of placed)
    if (agentFolder !== undefined) counts.set(agentFolder, (counts.get(agentFolder) ?? 0) + 1);
  return [...counts].map(([file, count]) => {
    const message = `${count === 1 ? '1 skill' : `${count} skills`} in this folder of an agent, which "serve" and "build" leave out`;
    return finding('agent-folder-read', message, { file });
  });
}

function empty(root: PublishedRoot | undefined): Finding {
  if (root === undefined) return finding('root-empty', `no folder holds a ${skillFileName}`);
  return finding('root-empty', `no folder here holds a ${skillFileName}`, { file: root.tree.path.shown });
}

function renamed({ assembled, path }: PlacedSkill): Finding {
  const name = assembled.frontmatter?.name ?? '';
  return finding('name-differs-from-folder', `the folder is called "${assembled.folder.name}", the skill "${name}"`, {
    ...nameAt(assembled),
    skill: skillFileUri(path, skillFileName),
    remedy: `rename the folder to "${name}"; hosts that read folders refuse it otherwise`,
  });
}

/** Names that authors never mean to publish: version control, tools, and leftovers of editors and systems. */
const unremarkable =
  /^\.(?:DS_Store|git(?:ignore|keep|attributes|modules|hub)?|skillignore|editorconfig|npmignore|gitlab-ci\.yml|[#_].*|.*(?:\.sw[a-p]|~))$/;

/** Reported for each skill, because a reader may look for files that its text mentions. */
function hiddenFiles({ assembled, path }: PlacedSkill): readonly Finding[] {
  const { shown } = assembled.folder.path;
  const left = assembled.unpublished.filter(
    ({ file, reason }) => reason === 'hidden' && !unremarkable.test(basename(file)),
  );
  if (left.length === 0) return [];
  const most = limits.scan.hiddenFilesShown;
  const names = left.slice(0, most).map(({ file }) => quoteText(relative(shown, file).split(sep).join('/')));
  if (left.length > most) names.push(`and ${left.length - most} more`);
  const message = `hidden files and folders are not published: ${names.join(', ')}`;
  const secret = left.some(({ file }) => isHiddenSecret(basename(file)));
  const remedy = secret ? 'nothing to do; files with secrets are better kept outside the skill' : undefined;
  return [finding('file-hidden', message, { file: shown, skill: skillFileUri(path, skillFileName), remedy })];
}

/** The file with this path below a published skill. */
export function fileOf(published: PublishedSkill, path: string): AssembledFile | undefined {
  return published.assembled.files.find((file) => file.path === path);
}

/** The published file with this URI. In canonical spelling the URI of a skill is a prefix of those of its files. */
export function fileAt(skills: ReadonlyMap<string, PublishedSkill>, uri: string): AssembledFile | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) return undefined;
  const canonical = parsed.uri;
  let depth = parsed.segments.length - 1;
  for (let slash = canonical.lastIndexOf('/'); depth > 0; slash = canonical.lastIndexOf('/', slash - 1), depth--) {
    const published = skills.get(`${canonical.slice(0, slash)}/${skillFileName}`);
    const file = published === undefined ? undefined : fileOf(published, parsed.segments.slice(depth).join('/'));
    if (file !== undefined) return file;
  }
  return undefined;
}

function bounded(findings: readonly Finding[]): readonly Finding[] {
  const most = limits.scan.findings;
  if (findings.length <= most) return findings;
  const rank = { problem: 0, warning: 1, note: 2 };
  const listed = [...findings].sort((a, b) => rank[a.level] - rank[b.level]).slice(0, most);
  return withRest(listed, findings, (count) => `${count} more findings are not listed`);
}
