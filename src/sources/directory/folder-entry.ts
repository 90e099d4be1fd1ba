/** Decides about one entry of a folder: a child to publish, a finding, or an unpublished entry. */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { EntryName, EntryNames } from './entry-names.ts';
import { ignoresOnTheWay, kindOnDisk } from './folder-ignores.ts';
import type { EntryKind, ListedEntry } from './folder-listing.ts';
import { type AgentWay, below } from './folder-node.ts';
import { type HiddenContext, reachOf } from './hidden-folders.ts';
import { type IgnoreLevel, ignoreFileName, isIgnored } from './ignore-file.ts';
import { type FollowedLink, followLink, type LinkPlace } from './links.ts';
import { isNamed, type NamedFiles, publishedSecret, type Unpublished } from './publish-rules.ts';

export interface Child {
  readonly diskName: string;
  /** Its published name. */
  readonly name: string;
  readonly fold: string;
  readonly isFolder: boolean;
  readonly isSkillFile: boolean;
  readonly link: FollowedLink | undefined;
  readonly entry: ListedEntry;
  /** For a hidden folder that leads to an agent's folder. */
  readonly way: AgentWay | undefined;
}

/** The context for decisions about entries. */
export interface EntryPlace extends LinkPlace {
  readonly shown: string;
  readonly ignores: readonly IgnoreLevel[];
  /** Real paths of all roots. */
  readonly roots: readonly string[];
  readonly names: EntryNames;
  readonly named: NamedFiles;
  readonly hidden: HiddenContext;
}

/** Collects what is reported about a folder; see `FolderNotes`. */
export interface Collected {
  readonly findings: Finding[];
  readonly fileFindings: Finding[];
  readonly unpublished: Unpublished[];
  readonly links: FollowedLink[];
  readonly broken: string[];
  hides?: boolean;
}

/**
 * Decides about one entry: `undefined` if it is not published, with the reason collected. Only links, and entries of a
 * kind that the listing does not show, need waiting.
 */
export function lookAt(entry: ListedEntry, place: EntryPlace, out: Collected): MaybePromise<Child | undefined> {
  const known = place.names(entry.name);
  const { kind } = entry;
  const reach = reachOf(entry.name, place.hidden);
  if (reach !== undefined) {
    // Hidden entries are not examined: the target of a hidden link does not matter.
    const file = below(place.shown, entry.name);
    if ('leftOut' in reach && isNamed(place.named, file) && kind !== 'link' && place.hidden.insideSkill()) {
      out.fileFindings.push(publishedSecret('is hidden', file));
      const named = { ...known, neverAsFolder: undefined, neverAsFile: undefined };
      return decide({ entry, known: named, kind, link: undefined }, place, out);
    }
    if ('leftOut' in reach || kind !== 'folder') {
      out.unpublished.push({ file, reason: 'leftOut' in reach ? reach.leftOut : 'hidden' });
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
  if (link.unpublished !== undefined) {
    out.unpublished.push({ file, reason: `link to what is never published (${link.unpublished})` });
    return undefined;
  }
  const ignores = await ignoresOnTheWay(link.target, place, place.roots);
  if (ignores === undefined) {
    // Followed again when something changes there.
    out.links.push(link);
    out.unpublished.push({ file, reason: `link into a folder whose ${ignoreFileName} cannot be used` });
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
    out.unpublished.push({ file, reason: never.reason });
    if (never.secret)
      out.fileFindings.push(finding('file-secret', `"${name}" ${never.reason} and is not served`, { file }));
    return undefined;
  }
  if (isExcluded(name, place, isFolder, link)) {
    if (link !== undefined) out.links.push(link);
    out.unpublished.push({ file: below(place.shown, name), reason: `excluded by ${ignoreFileName}` });
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

/** A link is also excluded if its target is. */
function isExcluded(name: string, place: EntryPlace, isFolder: boolean, link: FollowedLink | undefined): boolean {
  if (place.ignores.length > 0 && isIgnored(place.ignores, below(place.real, name), isFolder)) return true;
  return link !== undefined && isIgnored([...place.ignores, ...(link.ignores ?? [])], link.target, isFolder);
}
