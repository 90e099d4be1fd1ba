/**
 * Every kind of origin, and the two unions over them. To add a kind, write a row in `kinds/`, list it here and add it to both unions. The
 * compiler reports anything else that is missing. Every command loads this table, so a kind imports its source only when it opens.
 */
import { sortedJson } from '../skill/json.ts';
import { type AgentLocation, agent, type OriginAgent } from './kinds/agent.ts';
import { type ArchiveLocation, archive, type FolderLocation, folder, type OriginFolder } from './kinds/folder.ts';
import { type GitLocation, git, type OriginGit } from './kinds/git.ts';
import {
  type McpLocation,
  mcp,
  type OriginCommand,
  type OriginServer,
  type StdioLocation,
  stdio,
} from './kinds/mcp.ts';
import {
  type MdpLocation,
  type MdpStdioLocation,
  mdp,
  mdpStdio,
  type OriginHub,
  type OriginHubCommand,
} from './kinds/mdp.ts';
import { type OriginSite, type SiteLocation, site } from './kinds/site.ts';
import type { OriginKind } from './origin-kind.ts';

/**
 * The location of an origin. A command line, a configuration or a lock file becomes one of these values when it is read. No value is turned
 * back into text and parsed again. Paths are absolute.
 */
export type OriginLocation =
  | FolderLocation
  | ArchiveLocation
  | SiteLocation
  | McpLocation
  | StdioLocation
  | MdpLocation
  | MdpStdioLocation
  | GitLocation
  | AgentLocation;

export type LocationKind = OriginLocation['kind'];

/** `label`: a program named the origin without its location. Only a configuration with that label knows it. */
export type LockedLocation = OriginLocation | { readonly kind: 'label'; readonly label: string };

/** An origin as a text or a configuration names it: checked, with paths as written. A folder or an archive is one path. */
export type NamedSpec =
  | OriginFolder
  | OriginServer
  | OriginCommand
  | OriginSite
  | OriginHub
  | OriginHubCommand
  | OriginGit
  | OriginAgent;

export interface OriginLabel {
  /** The label of a configured or added origin. */
  readonly configured: string;
  /** The skill of `LABEL@SKILL`. */
  readonly skill?: string;
}

export type OriginSpec = NamedSpec | OriginLabel;
export type FolderSpec = OriginFolder | OriginLabel;

const originKinds: { readonly [Kind in LocationKind]: OriginKind<Extract<OriginLocation, { readonly kind: Kind }>> } = {
  folder,
  archive,
  site,
  mcp,
  stdio,
  mdp,
  'mdp-stdio': mdpStdio,
  git,
  agent,
};

export const kindNames: readonly string[] = Object.keys(originKinds);
export const everyKind: readonly OriginKind<OriginLocation>[] = Object.values(originKinds);

export function kindOf({ kind }: OriginLocation): OriginKind<OriginLocation> {
  return originKinds[kind];
}

/** `undefined` if there is no such kind. */
export function kindNamed(name: string): OriginKind<OriginLocation> | undefined {
  return Object.hasOwn(originKinds, name) ? originKinds[name as LocationKind] : undefined;
}

/** The one spelling of a location, for people and as the label of an unnamed origin. It is never parsed. */
export function locationText(location: OriginLocation): string {
  return kindOf(location).text(location);
}

/** Whether two locations lead to the same origin. How much of a folder is published makes no difference. */
export function sameLocation(a: OriginLocation, b: OriginLocation): boolean {
  return locationKey(a) === locationKey(b);
}

/** Unlike the text, unique to a location. */
function locationKey(location: OriginLocation): string {
  return JSON.stringify(sortedJson({ ...location, nested: undefined, publish: undefined }));
}
