/** One case of the corpus in `unusual-tree.ts`, and helpers to write the tables of cases. */
import { skillFileName } from '../skill/entry.ts';
import type { FindingRule } from '../skill/finding.ts';

/** A folder of the unusual tree, and the expected result. */
export interface UnusualSkill {
  /** Folder below the root. */
  readonly folder: string;
  /** The defect, in one sentence. */
  readonly about: string;
  /** The URI that must serve it; `undefined` if the wire rules forbid serving it. */
  readonly uri?: string;
  /** Files that must be published, as decoded paths below the skill (`SKILL.md` included). */
  readonly files?: readonly string[];
  /** Files that exist in the folder but must never be published. */
  readonly notPublished?: readonly string[];
  /** Rules that must be reported for it. */
  readonly rules: readonly FindingRule[];
  /** Why the validator `skills-ref` accepts it although it is not served. */
  readonly acceptedBySkillsRef?: string;
}

/** A feature of a disk or system that a case needs. */
export type DiskAbility =
  | 'links'
  | 'pipes'
  | 'names that differ in case'
  | 'names that differ in Unicode form'
  | 'names that Windows refuses';

export interface UnusualLink {
  readonly kind: 'link';
  /** Absolute, or relative to the folder of the link. */
  readonly to: string;
}

/** Text and bytes are files. */
export type UnusualContent =
  | string
  | Uint8Array
  | UnusualLink
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'empty folder' };

export type UnusualFolder = Readonly<Record<string, UnusualContent>>;

export interface UnusualCase {
  readonly skill: UnusualSkill;
  /** The files to write, by path below the folder; a link if the folder itself is one. */
  readonly content: UnusualFolder | UnusualLink;
  readonly needs?: DiskAbility;
}

type Expected = Partial<Omit<UnusualSkill, 'folder' | 'about'>> & { readonly needs?: DiskAbility };

/** A case that is served. By default, it has the URI of its folder and every file except those in `notPublished`. */
export function served(
  folder: string,
  about: string,
  content: UnusualFolder | UnusualLink,
  { needs, ...expected }: Expected = {},
): UnusualCase {
  const files = isLink(content) ? [] : Object.keys(content).filter((path) => isPublishable(content[path]));
  const unpublished = new Set(expected.notPublished);
  const skill: UnusualSkill = {
    folder,
    about,
    uri: skillUri(folder),
    files: files.filter((path) => !unpublished.has(path)),
    rules: [],
    ...expected,
  };
  return { skill, content, needs };
}

/** A case that is not served, with the rules that it breaks. */
export function refused(
  folder: string,
  about: string,
  rules: readonly FindingRule[],
  content: UnusualFolder | UnusualLink,
  { needs, acceptedBySkillsRef }: Pick<Expected, 'needs' | 'acceptedBySkillsRef'> = {},
): UnusualCase {
  const skill = { folder, about, rules, acceptedBySkillsRef };
  return { skill, content, needs };
}

/** The URI of the skill in a folder. */
export function skillUri(folder: string): string {
  return `skill://${folder.split('/').map(encodeSegment).join('/')}/${skillFileName}`;
}

export const description = 'description: Checks a table row by row. Use when a table arrives.';

/** The text of a `SKILL.md` with these lines of frontmatter. */
export function skillText(...frontmatter: readonly string[]): string {
  return ['---', ...frontmatter, '---', '', '# Table check', '', 'Compare each row with its header.', ''].join('\n');
}

/** A folder with only a `SKILL.md` with these lines of frontmatter. */
export function onlySkillMd(...frontmatter: readonly string[]): UnusualFolder {
  return { [skillFileName]: skillText(...frontmatter) };
}

/** A folder with an ordinary `SKILL.md` and these files. */
export function withFiles(name: string, files: UnusualFolder): UnusualFolder {
  return { ...onlySkillMd(`name: ${name}`, description), ...files };
}

export function link(to: string): UnusualLink {
  return { kind: 'link', to };
}

export function isLink(content: UnusualFolder | UnusualContent): content is UnusualLink {
  return typeof content === 'object' && 'kind' in content && content.kind === 'link';
}

function isPublishable(content: UnusualContent | undefined): boolean {
  if (typeof content !== 'object' || content instanceof Uint8Array) return true;
  return content.kind === 'script' || content.kind === 'link';
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.normalize('NFC'));
}
