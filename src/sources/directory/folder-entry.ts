/** What becomes of one entry of a folder: a child that may be published, or a finding, or something withheld. */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { EntryName, EntryNames } from './entry-names.ts';
import type { EntryKind, ListedEntry } from './folder-listing.ts';
import { type AgentWay, below } from './folder-node.ts';
import { type HiddenPlace, reachOf } from './hidden-folders.ts';
import { type IgnoreLevel, ignoreFileName, isIgnored } from './ignore-file.ts';
import { ignoresOnTheWay, kindOnDisk } from './link-ignores.ts';
import { type FollowedLink, followLink, type LinkPlace } from './links.ts';
import { isNamed, type NamedFiles, publishedSecret, type Withheld } from './publish-rules.ts';

export interface Child {
  readonly diskName: string;
  /** Name under which it is published. */
  readonly name: string;
  readonly fold: string;
  readonly isFolder: boolean;
  readonly isSkillFile: boolean;
  readonly link: FollowedLink | undefined;
  /** As it was listed. */
  readonly entry: ListedEntry;
  /** Of a hidden folder that leads to that of an agent. */
  readonly way: AgentWay | undefined;
}

/** What decides about entries besides themselves. */
export interface EntryPlace extends LinkPlace {
  readonly shown: string;
  readonly ignores: readonly IgnoreLevel[];
  /** Real paths of all roots. */
  readonly roots: readonly string[];
  readonly names: EntryNames;
  readonly named: NamedFiles;
  readonly hidden: HiddenPlace;
}

/** Where things go that are told about a folder; `FolderNotes` says what they are. */
export interface Collected {
  readonly findings: Finding[];
  readonly fileFindings: Finding[];
  readonly withheld: Withheld[];
  readonly links: FollowedLink[];
  readonly broken: string[];
  hides?: boolean;
}

/**
 * Decides on one entry of a folder: undefined if it is not published, with the reason put where it belongs. Only links, and
 * entries whose kind the listing does not tell, have to be waited for.
 */
export function lookAt(entry: ListedEntry, place: EntryPlace, out: Collected): MaybePromise<Child | undefined> {
  const known = place.names(entry.name);
  const { kind } = entry;
  const reach = reachOf(entry.name, place.hidden);
  if (reach !== undefined) {
    // Hidden things are not even looked at: what a hidden link leads to does not matter.
    const file = below(place.shown, entry.name);
    if ('leftOut' in reach && isNamed(place.named, file) && kind !== 'link' && place.hidden.insideSkill()) {
      out.fileFindings.push(publishedSecret('is hidden', file));
      const named = { ...known, neverAsFolder: undefined, neverAsFile: undefined };
      return decide({ entry, known: named, kind, link: undefined }, place, out);
    }
    if ('leftOut' in reach || kind !== 'folder') {
      out.withheld.push({ file, reason: 'leftOut' in reach ? reach.leftOut : 'hidden' });
      return undefined;
    }
    const way = reach.opened === 'catalog' ? undefined : reach.opened;
    return decide({ entry, known: { ...known, neverAsFolder: undefined }, kind, link: undefined, way }, place, out);
  }
  if (kind === 'link' || kind === 'unknown') return lookBehind(entry, known, place, out);
  return decide({ entry, known, kind, link: undefined }, place, out);
}

async function lookBehind(
  entry: ListedEntry,
  known: EntryName,
  place: EntryPlace,
  out: Collected,
): Promise<Child | undefined> {
  const path = below(place.real, entry.name);
  const kind = entry.kind === 'unknown' ? await kindOnDisk(path) : entry.kind;
  if (kind === 'gone') return undefined;
  if (kind !== 'link') return decide({ entry, known, kind, link: undefined }, place, out);
  const link = await followLink(path, place, place.roots);
  const file = below(place.shown, entry.name);
  if ('rule' in link) {
    if (link.rule === 'link-broken') out.broken.push(path);
    out.findings.push(finding(link.rule, link.message, { file }));
    return undefined;
  }
  if (link.withheld !== undefined) {
    out.withheld.push({ file, reason: `link to what is never published (${link.withheld})` });
    return undefined;
  }
  const ignores = await ignoresOnTheWay(link.target, place, place.roots);
  if (ignores === undefined) {
    // Followed again as soon as something changes there.
    out.links.push(link);
    out.withheld.push({ file, reason: `link into a folder whose ${ignoreFileName} cannot be used` });
    return undefined;
  }
  return decide(
    { entry, known, kind: link.kind, link: ignores.length === 0 ? link : { ...link, ignores } },
    place,
    out,
  );
}

interface Candidate {
  readonly entry: ListedEntry;
  readonly known: EntryName;
  readonly kind: EntryKind;
  readonly link: FollowedLink | undefined;
  readonly way?: AgentWay | undefined;
}

function decide({ entry, known, kind, link, way }: Candidate, place: EntryPlace, out: Collected): Child | undefined {
  const { name, parsed, fold, isSkillFile } = known;
  const isFolder = kind === 'folder';
  if (kind !== 'file') {
    if (isSkillFile) {
      const what = isFolder ? 'a folder' : 'a pipe, socket or device';
      const message = `${name} is ${what} and not a file, so there is no skill here`;
      const file = below(place.shown, name);
      out.findings.push(finding('file-not-regular', message, { file, remedy: `make ${name} an ordinary file` }));
      return undefined;
    }
    if (!isFolder) {
      const file = below(place.shown, name);
      out.fileFindings.push(finding('file-not-regular', 'a pipe, socket or device is not served', { file }));
      return undefined;
    }
  }
  const never = isFolder ? known.neverAsFolder : known.neverAsFile;
  const file = never === undefined ? '' : below(place.shown, name);
  if (never?.secret === true && isNamed(place.named, file)) out.fileFindings.push(publishedSecret(never.reason, file));
  else if (never !== undefined) {
    out.withheld.push({ file, reason: never.reason });
    if (never.secret)
      out.fileFindings.push(finding('file-secret', `"${name}" ${never.reason} and is not served`, { file }));
    return undefined;
  }
  if (isExcluded(name, place, isFolder, link)) {
    if (link !== undefined) out.links.push(link);
    out.withheld.push({ file: below(place.shown, name), reason: `excluded by ${ignoreFileName}` });
    return undefined;
  }
  if (!parsed.ok) {
    const file = below(place.shown, name);
    out.fileFindings.push(finding('file-name-unusable', `the name ${parsed.fault}, so it is not served`, { file }));
    return undefined;
  }
  if (link !== undefined) out.links.push(link);
  return { diskName: name, name: parsed.name, fold, isFolder, isSkillFile: !isFolder && isSkillFile, link, entry, way };
}

/** A link is excluded too if what it leads to is. */
function isExcluded(name: string, place: EntryPlace, isFolder: boolean, link: FollowedLink | undefined): boolean {
  if (place.ignores.length > 0 && isIgnored(place.ignores, below(place.real, name), isFolder)) return true;
  return link !== undefined && isIgnored([...place.ignores, ...(link.ignores ?? [])], link.target, isFolder);
}
