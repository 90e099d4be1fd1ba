/** One case of the corpus in `odd-tree.ts`, and helpers to write the tables of cases. */
import { skillFileName } from '../skill/entry.ts';
import type { FindingRule } from '../skill/finding.ts';

/** A folder of the odd tree, and the expected result. */
export interface OddSkill {
  /** Folder below the root. */
  readonly folder: string;
  /** The defect, in one sentence. */
  readonly about: string;
  /** The URI that must serve it; `undefined` if the wire rules forbid serving it. */
  readonly uri?: string;
  /** Files that must be published, as decoded paths below the skill (`SKILL.md` included). */
  readonly files?: readonly string[];
  /** Files that exist in the folder but must never be published. */
  readonly withheld?: readonly string[];
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

export interface OddLink {
  readonly kind: 'link';
  /** Absolute, or relative to the folder of the link. */
  readonly to: string;
}

/** Text and bytes are files. */
export type OddContent =
  | string
  | Uint8Array
  | OddLink
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'empty folder' };

export type OddFolder = Readonly<Record<string, OddContent>>;

export interface OddCase {
  readonly skill: OddSkill;
  /** The files to write, by path below the folder; a link if the folder itself is one. */
  readonly content: OddFolder | OddLink;
  readonly needs?: DiskAbility;
}

type Expected = Partial<Omit<OddSkill, 'folder' | 'about'>> & { readonly needs?: DiskAbility };

/** A case that is served. By default, it has the URI of its folder and every file except those in `withheld`. */
export function served(
  folder: string,
  about: string,
  content: OddFolder | OddLink,
  { needs, ...expected }: Expected = {},
): OddCase {
  const files = isLink(content) ? [] : Object.keys(content).filter((path) => isPublishable(content[path]));
  const unpublished = new Set(expected.withheld);
  const skill: OddSkill = {
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
  content: OddFolder | OddLink,
  { needs, acceptedBySkillsRef }: Pick<Expected, 'needs' | 'acceptedBySkillsRef'> = {},
): OddCase {
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
export function onlySkillMd(...frontmatter: readonly string[]): OddFolder {
  return { [skillFileName]: skillText(...frontmatter) };
}

/** A folder with an ordinary `SKILL.md` and these files. */
export function withFiles(name: string, files: OddFolder): OddFolder {
  return { ...onlySkillMd(`name: ${name}`, description), ...files };
}

export function link(to: string): OddLink {
  return { kind: 'link', to };
}

export function isLink(content: OddFolder | OddContent): content is OddLink {
  return typeof content === 'object' && 'kind' in content && content.kind === 'link';
}

function isPublishable(content: OddContent | undefined): boolean {
  if (typeof content !== 'object' || content instanceof Uint8Array) return true;
  return content.kind === 'script' || content.kind === 'link';
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.normalize('NFC'));
}
