/**
 * From trees of folders to published skills. A folder with a `SKILL.md` is a skill; its path is the path of the folder above
 * and its name. Where the folder is called otherwise, the name decides (the wire demands that) and the folder's path stays
 * readable as an alias. Of two skills with one URI the first is published, where a folder that is called like its skill comes
 * before one that is not; a folder that is reached twice is one skill.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../limits.ts';
import { executableMetaKey, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { SourceSkill } from '../skill-source.ts';
import { type AssembledFile, type AssembledSkill, assembleSkill } from './assemble-skill.ts';
import type { FileFactsCache } from './file-facts.ts';
import type { FolderNode } from './folder-tree.ts';

export interface PublishedSkill {
  readonly skill: SourceSkill;
  readonly assembled: AssembledSkill;
  /** Decoded path of the skill. */
  readonly path: string;
}

export interface Publication {
  /** By URI. */
  readonly skills: ReadonlyMap<string, PublishedSkill>;
  readonly findings: readonly Finding[];
  /** Real folders that a passing failure of the system kept from being read. */
  readonly retry: readonly string[];
}

export interface PublishedRoot {
  readonly tree: FolderNode;
  readonly label?: string;
  readonly nested: boolean;
}

interface Candidate {
  readonly assembled: AssembledSkill;
  readonly path: string;
  readonly alias?: string;
}

export interface Publisher {
  publish(roots: readonly PublishedRoot[]): Promise<Publication>;
}

/** A publisher remembers what it made of each folder, so that publishing again costs what changed. */
export function createPublisher(cache: FileFactsCache): Publisher {
  const assembled = new WeakMap<FolderNode, Promise<AssembledSkill>>();
  const described = new WeakMap<AssembledSkill, PublishedSkill>();
  /** By real folder. */
  const lastGood = new Map<string, AssembledSkill>();
  const retry = new Set<string>();

  function assemble(folder: FolderNode): Promise<AssembledSkill> {
    let work = assembled.get(folder);
    if (work === undefined) {
      work = assembleSkill(folder, cache).then((skill) => keepGood(folder, skill));
      assembled.set(folder, work);
    }
    return work;
  }

  /** What a passing failure of the system spoilt is served as it was, and put together again soon. */
  function keepGood(folder: FolderNode, skill: AssembledSkill): AssembledSkill {
    const { real } = folder;
    if (!skill.incomplete) {
      lastGood.set(real, skill);
      return skill;
    }
    retry.add(real);
    assembled.delete(folder);
    return lastGood.get(real) ?? skill;
  }

  function describe(candidate: Candidate, aliases: readonly string[]): PublishedSkill {
    const known = described.get(candidate.assembled);
    if (known?.path === candidate.path && (known.skill.aliases ?? []).join('\n') === aliases.join('\n')) return known;
    const published = {
      skill: toSourceSkill(candidate, aliases),
      assembled: candidate.assembled,
      path: candidate.path,
    };
    described.set(candidate.assembled, published);
    return published;
  }

  /** All folders with a `SKILL.md`, outer ones before those inside them. */
  async function candidates(
    root: PublishedRoot,
  ): Promise<{ found: Candidate[]; findings: Finding[]; folders: number }> {
    const findings: Finding[] = [];
    let folders = 0;
    async function visit(
      folder: FolderNode,
      above: string,
      isRoot: boolean,
      insideSkill: boolean,
      siblings: ReadonlySet<string>,
    ): Promise<Candidate[]> {
      findings.push(...folder.findings);
      const named = (name: string): string => (above === '' ? name : `${above}/${name}`);
      const own: Candidate[] = [];
      let path = isRoot ? above : named(folder.name);
      const isSkill = folder.skillFile !== undefined;
      if (isSkill && (root.nested || !insideSkill)) {
        folders++;
        const skill = await assemble(folder);
        findings.push(...skill.findings);
        if (skill.frontmatter === undefined) path = named(folder.name);
        else {
          path = named(skill.frontmatter.name);
          const { name } = skill.frontmatter;
          if (name === folder.name) own.push({ assembled: skill, path });
          else if (insideSkill && siblings.has(name)) {
            // Inside a skill that path already names files of the outer one.
            findings.push(taken(skill, path, `the folder beside it called "${name}"`));
            path = named(folder.name);
          } else own.push({ assembled: skill, path, alias: named(folder.name) });
        }
      }
      const names = new Set([...folder.folders, ...folder.files].map((child) => child.name));
      const below = await Promise.all(
        folder.folders.map((child) => visit(child, path, false, insideSkill || isSkill, names)),
      );
      return [...own, ...below.flat()];
    }
    const found = await visit(root.tree, root.label ?? '', true, false, new Set());
    return { found, findings, folders };
  }

  return {
    async publish(roots) {
      retry.clear();
      const perRoot = await Promise.all(roots.map(candidates));
      const findings = perRoot.flatMap((root) => root.findings);
      const { chosen, refused } = choose(perRoot.flatMap((root) => root.found));
      findings.push(...refused);
      const paths = new Set(chosen.map((candidate) => candidate.path));
      const skills = new Map<string, PublishedSkill>();
      for (const candidate of chosen) {
        const aliases = candidate.alias === undefined || paths.has(candidate.alias) ? [] : [candidate.alias];
        const published = describe(candidate, aliases);
        skills.set(published.skill.entry.uri, published);
        if (candidate.alias !== undefined) findings.push(renamed(candidate));
      }
      findings.push(...sameNames(chosen));
      for (const [index, { folders }] of perRoot.entries()) if (folders === 0) findings.push(empty(roots[index]));
      const served = new Set(chosen.map(({ assembled: { folder } }) => folder.real));
      for (const real of lastGood.keys()) if (!served.has(real)) lastGood.delete(real);
      return { skills, findings: bounded(distinct(findings)), retry: [...retry] };
    },
  };
}

/** The files of a nested skill are files of the outer one too; what both report is told once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const found of findings) {
    const key = `${found.rule}\n${found.file}\n${found.line}\n${found.message}`;
    if (!seen.has(key)) seen.set(key, found);
  }
  return [...seen.values()];
}

function sameNames(chosen: readonly Candidate[]): readonly Finding[] {
  const first = new Map<string, Candidate>();
  const findings: Finding[] = [];
  for (const candidate of chosen) {
    const name = candidate.assembled.frontmatter?.name ?? '';
    const other = first.get(name);
    if (other === undefined) first.set(name, candidate);
    else
      findings.push(
        finding('name-not-unique', `"${other.assembled.folder.shown}" has the name "${name}" too`, {
          ...nameAt(candidate.assembled),
          skill: skillFileUri(candidate.path, skillFileName),
        }),
      );
  }
  return findings;
}

/** Folders in which agents keep skills; hidden, so they are looked into only where they are named. */
const agentFolders = ['.agents/skills', '.claude/skills', '.cursor/skills', '.codex/skills', '.github/skills'];

function empty(root: PublishedRoot | undefined): Finding {
  if (root === undefined) return finding('root-empty', `no folder holds a ${skillFileName}`);
  const { shown, real } = root.tree;
  const hidden = agentFolders.find((name) => existsSync(join(real, name)));
  return finding('root-empty', `no folder here holds a ${skillFileName}; hidden folders are not looked into`, {
    file: shown,
    ...(hidden === undefined ? {} : { remedy: `name the folder ${join(shown, hidden)}, which is there` }),
  });
}

/** Where the name of a skill is written. */
function nameAt({ folder, nameLine }: AssembledSkill): { file: string; line?: number } {
  const file = folder.skillFile?.shown ?? folder.shown;
  return nameLine === undefined ? { file } : { file, line: nameLine };
}

function taken(skill: AssembledSkill, path: string, by: string): Finding {
  const uri = skillFileUri(path, skillFileName);
  return finding('skill-uri-taken', `the skill is not served: ${by} has the URI ${uri} already`, {
    ...nameAt(skill),
    skill: uri,
  });
}

function renamed({ assembled, path }: Candidate): Finding {
  const name = assembled.frontmatter?.name ?? '';
  return finding('name-differs-from-folder', `the folder is called "${assembled.folder.name}", the skill "${name}"`, {
    ...nameAt(assembled),
    skill: skillFileUri(path, skillFileName),
    remedy: `rename the folder to "${name}"; hosts that read folders refuse it otherwise`,
  });
}

function choose(all: readonly Candidate[]): { chosen: readonly Candidate[]; refused: readonly Finding[] } {
  const refused: Finding[] = [];
  const byPath = new Map<string, Candidate>();
  const byFolder = new Map<string, Candidate>();
  // A folder that is called like its skill has the better claim to the URI.
  const ordered = [
    ...all.filter(({ alias }) => alias === undefined),
    ...all.filter(({ alias }) => alias !== undefined),
  ];
  for (const candidate of ordered) {
    const { folder } = candidate.assembled;
    const place = nameAt(candidate.assembled);
    const same = byFolder.get(folder.real);
    if (same !== undefined) {
      const message = `this is the folder "${same.assembled.folder.shown}", which is served already`;
      refused.push(
        finding('skill-linked-twice', message, { file: place.file, skill: skillFileUri(same.path, skillFileName) }),
      );
      continue;
    }
    const first = byPath.get(candidate.path);
    if (first !== undefined) {
      refused.push(taken(candidate.assembled, candidate.path, `"${first.assembled.folder.shown}"`));
      continue;
    }
    byFolder.set(folder.real, candidate);
    byPath.set(candidate.path, candidate);
  }
  return { chosen: [...byPath.values()], refused };
}

function toSourceSkill({ assembled, path }: Candidate, aliases: readonly string[]): SourceSkill {
  const { frontmatter, files, emptyDirectories } = assembled;
  if (frontmatter === undefined) throw new TypeError(`the skill at "${path}" has no frontmatter`);
  const named = files
    .map((file) => ({ file, uri: skillFileUri(path, file.path) }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const resources: readonly SkillResource[] = named.map(({ file: { facts }, uri }) => ({
    uri,
    digest: facts.digest,
    size: facts.size,
  }));
  const executable = named.filter(({ file }) => file.facts.executable).map(({ uri }) => uri);
  const mediaTypes: Record<string, string> = {};
  for (const { file, uri } of named) if (file.facts.mediaType !== undefined) mediaTypes[uri] = file.facts.mediaType;
  return {
    entry: {
      uri: skillFileUri(path, skillFileName),
      frontmatter,
      resources,
      ...(executable.length === 0 ? {} : { _meta: { [executableMetaKey]: executable } }),
    },
    listed: true,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(emptyDirectories.length === 0 ? {} : { emptyDirectories }),
    ...(Object.keys(mediaTypes).length === 0 ? {} : { mediaTypes }),
  };
}

/** The file of a published skill with this path below it. */
export function fileOf(published: PublishedSkill, path: string): AssembledFile | undefined {
  return published.assembled.files.find((file) => file.path === path);
}

function bounded(findings: readonly Finding[]): readonly Finding[] {
  const most = limits.scan.findings;
  if (findings.length <= most) return findings;
  const rank = { problem: 0, warning: 1, note: 2 };
  const kept = [...findings].sort((a, b) => rank[a.level] - rank[b.level]).slice(0, most);
  return [...kept, finding('too-many-findings', `${findings.length - most} more findings are not listed`)];
}
