/**
 * From trees of folders to published skills. A folder with a `SKILL.md` is a skill; its path is the path of the folder above
 * and its name. Where the folder is called otherwise, the name decides (the wire demands that) and the folder's path stays
 * readable as an alias. Of two skills with one URI the first is published, where a folder that is called like its skill comes
 * before one that is not; a folder that is reached twice is one skill.
 */
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

  function assemble(folder: FolderNode): Promise<AssembledSkill> {
    let work = assembled.get(folder);
    if (work === undefined) {
      work = assembleSkill(folder, cache);
      assembled.set(folder, work);
    }
    return work;
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
    ): Promise<Candidate[]> {
      findings.push(...folder.findings);
      const join = (name: string): string => (above === '' ? name : `${above}/${name}`);
      const own: Candidate[] = [];
      let path = isRoot ? above : join(folder.name);
      const isSkill = folder.skillFile !== undefined;
      if (isSkill && (root.nested || !insideSkill)) {
        folders++;
        const skill = await assemble(folder);
        findings.push(...skill.findings);
        if (skill.frontmatter === undefined) path = join(folder.name);
        else {
          path = join(skill.frontmatter.name);
          const differs = skill.frontmatter.name !== folder.name;
          own.push({ assembled: skill, path, ...(differs ? { alias: join(folder.name) } : {}) });
        }
      }
      const below = await Promise.all(folder.folders.map((child) => visit(child, path, false, insideSkill || isSkill)));
      return [...own, ...below.flat()];
    }
    const found = await visit(root.tree, root.label ?? '', true, false);
    return { found, findings, folders };
  }

  return {
    async publish(roots) {
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
      return { skills, findings: bounded(distinct(findings)) };
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
          file: candidate.assembled.folder.skillFile?.shown ?? candidate.assembled.folder.shown,
          skill: skillFileUri(candidate.path, skillFileName),
        }),
      );
  }
  return findings;
}

function empty(root: PublishedRoot | undefined): Finding {
  const place = root === undefined ? {} : { file: root.tree.shown };
  return finding('root-empty', `no folder here holds a ${skillFileName}`, place);
}

function renamed({ assembled, path }: Candidate): Finding {
  const name = assembled.frontmatter?.name ?? '';
  return finding('name-differs-from-folder', `the folder is called "${assembled.folder.name}", the skill "${name}"`, {
    file: assembled.folder.skillFile?.shown ?? assembled.folder.shown,
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
    const file = folder.skillFile?.shown ?? folder.shown;
    const same = byFolder.get(folder.real);
    if (same !== undefined) {
      const message = `this is the folder "${same.assembled.folder.shown}", which is served already`;
      refused.push(finding('skill-linked-twice', message, { file, skill: skillFileUri(same.path, skillFileName) }));
      continue;
    }
    const taken = byPath.get(candidate.path);
    if (taken !== undefined) {
      const uri = skillFileUri(candidate.path, skillFileName);
      const message = `the skill is not served: "${taken.assembled.folder.shown}" has the URI ${uri} already`;
      refused.push(finding('skill-uri-taken', message, { file, skill: uri }));
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
