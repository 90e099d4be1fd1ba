/** What becomes of one entry of a folder: a child that may be published, or a finding, or something withheld. */
import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { sep } from 'node:path';
import { skillFileName } from '../../skill/entry.ts';
import { parseFileName } from '../../skill/file-path.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { type IgnoreLevel, ignoreFileName, isIgnored } from './ignore-file.ts';
import { type FollowedLink, followLink, type LinkPlace } from './links.ts';
import { type Withheld, withheldName } from './publish-rules.ts';

export interface Child {
  readonly diskName: string;
  readonly real: string;
  readonly shown: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly link?: FollowedLink;
}

/** What decides about entries besides themselves. */
export interface EntryPlace extends LinkPlace {
  readonly ignores: readonly IgnoreLevel[];
}

/** True for `SKILL.md` in any spelling. */
export function isSkillFileName(name: string): boolean {
  return name.toLowerCase() === skillFileName.toLowerCase();
}

/** The path of an entry. Both parts come from the system, so there is nothing to normalise. */
export function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

export interface Collected {
  /** Links that lead nowhere now. */
  readonly broken: string[];
  readonly findings: Finding[];
  readonly fileFindings: Finding[];
  readonly withheld: Withheld[];
  readonly links: FollowedLink[];
}

/**
 * Decides on one entry of a folder: undefined if it is not published, with the reason put where it belongs. Only links, and
 * entries whose kind the listing does not tell, have to be waited for.
 */
export function lookAt(
  entry: Dirent,
  place: EntryPlace,
  roots: readonly string[],
  shown: string,
  out: Collected,
): Child | undefined | Promise<Child | undefined> {
  // Hidden things are not even looked at: what a hidden link leads to does not matter.
  if (withheldName(entry.name, true)?.reason === 'hidden') {
    out.withheld.push({ file: shown, reason: 'hidden' });
    return undefined;
  }
  const path = below(place.real, entry.name);
  const kind = kindOf(entry);
  if (kind === 'link' || kind === 'unknown') return lookBehind(entry.name, kind, path, place, roots, shown, out);
  return decide({ name: entry.name, kind, path, real: path, shown }, place, out);
}

async function lookBehind(
  name: string,
  listed: Kind,
  path: string,
  place: EntryPlace,
  roots: readonly string[],
  shown: string,
  out: Collected,
): Promise<Child | undefined> {
  const kind = listed === 'unknown' ? await kindOnDisk(path) : listed;
  if (kind === 'gone') return undefined;
  if (kind !== 'link') return decide({ name, kind, path, real: path, shown }, place, out);
  const link = await followLink(path, place, roots);
  if ('rule' in link) {
    if (link.rule === 'link-broken') out.broken.push(path);
    out.findings.push(finding(link.rule, link.message, { file: shown }));
    return undefined;
  }
  if (link.withheld !== undefined) {
    out.withheld.push({ file: shown, reason: `link to what is never published (${link.withheld})` });
    return undefined;
  }
  return decide({ name, kind: link.kind, path, real: link.target, shown, link }, place, out);
}

interface Candidate {
  readonly name: string;
  readonly kind: Kind;
  readonly path: string;
  readonly real: string;
  readonly shown: string;
  readonly link?: FollowedLink;
}

function decide(candidate: Candidate, place: EntryPlace, out: Collected): Child | undefined {
  const { name, kind, path, real, shown, link } = candidate;
  if (kind !== 'file' && isSkillFileName(name)) {
    const what = kind === 'folder' ? 'a folder' : 'a pipe, socket or device';
    const message = `${name} is ${what} and not a file, so there is no skill here`;
    out.findings.push(finding('file-not-regular', message, { file: shown, remedy: `make ${name} an ordinary file` }));
    return undefined;
  }
  if (kind !== 'file' && kind !== 'folder') {
    out.fileFindings.push(finding('file-not-regular', 'a pipe, socket or device is not served', { file: shown }));
    return undefined;
  }
  const isFolder = kind === 'folder';
  const never = withheldName(name, isFolder);
  if (never !== undefined) {
    out.withheld.push({ file: shown, reason: never.reason });
    if (never.secret)
      out.fileFindings.push(finding('file-secret', `"${name}" ${never.reason} and is not served`, { file: shown }));
    return undefined;
  }
  if (isIgnored(place.ignores, path, isFolder) || (link !== undefined && isIgnored(place.ignores, real, isFolder))) {
    out.withheld.push({ file: shown, reason: `excluded by ${ignoreFileName}` });
    return undefined;
  }
  const parsed = parseFileName(name);
  if (!parsed.ok) {
    out.fileFindings.push(
      finding('file-name-unusable', `the name ${parsed.fault}, so it is not served`, { file: shown }),
    );
    return undefined;
  }
  if (link !== undefined) out.links.push(link);
  return { diskName: name, real, shown, name: parsed.name, isFolder, ...(link === undefined ? {} : { link }) };
}

type Kind = 'file' | 'folder' | 'link' | 'special' | 'unknown' | 'gone';

/** For file systems whose listings do not tell kinds. */
async function kindOnDisk(path: string): Promise<Kind> {
  try {
    const kind = kindOf(await lstat(path));
    return kind === 'unknown' ? 'special' : kind;
  } catch (error) {
    // What cannot even be looked at cannot be served.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'special';
  }
}

function kindOf(
  entry: Pick<
    Dirent,
    'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isBlockDevice' | 'isCharacterDevice'
  >,
): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
    ? 'special'
    : 'unknown';
}
