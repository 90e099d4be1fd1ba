/**
 * Where an origin is: a closed union of typed values. Whatever names an origin (a command line, a configuration, a lock file) becomes
 * one of these at the border and is never turned into text that is parsed again.
 */
import { sortedJson } from '../skill/json.ts';
import type { AgentLocation } from './kinds/agent.ts';
import type { ArchiveLocation } from './kinds/archive.ts';
import type { FolderLocation } from './kinds/folder.ts';
import type { GitLocation } from './kinds/git.ts';
import type { McpLocation } from './kinds/mcp.ts';
import type { MdpLocation } from './kinds/mdp.ts';
import type { MdpStdioLocation } from './kinds/mdp-stdio.ts';
import type { SiteLocation } from './kinds/site.ts';
import type { StdioLocation } from './kinds/stdio.ts';

/** Paths are absolute. */
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

/** `label`: a program named an origin without saying where it is; only a configuration that has the label knows. */
export type LockedLocation = OriginLocation | { readonly kind: 'label'; readonly label: string };

/** Whether two places lead to the same origin. How much of a folder is published makes no difference. */
export function sameLocation(a: OriginLocation, b: OriginLocation): boolean {
  return locationKey(a) === locationKey(b);
}

/** Unlike the text, never the same for two places. */
function locationKey(location: OriginLocation): string {
  return JSON.stringify(sortedJson({ ...location, nested: undefined, publish: undefined }));
}
