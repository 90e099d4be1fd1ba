/**
 * Where an origin is: a closed union of typed values. Whatever names an origin (a command line, a configuration, a lock file) becomes
 * one of these at the border and is never turned into text that is parsed again.
 */
import { sortedJson } from '../skill/json.ts';
import type { AgentPlace } from './kinds/agent.ts';
import type { ArchivePlace } from './kinds/archive.ts';
import type { FolderPlace } from './kinds/folder.ts';
import type { GitPlace } from './kinds/git.ts';
import type { McpPlace } from './kinds/mcp.ts';
import type { MdpPlace } from './kinds/mdp.ts';
import type { MdpStdioPlace } from './kinds/mdp-stdio.ts';
import type { SitePlace } from './kinds/site.ts';
import type { StdioPlace } from './kinds/stdio.ts';

/** Paths are absolute. */
export type OriginPlace =
  | FolderPlace
  | ArchivePlace
  | SitePlace
  | McpPlace
  | StdioPlace
  | MdpPlace
  | MdpStdioPlace
  | GitPlace
  | AgentPlace;

export type PlaceKind = OriginPlace['kind'];

/** `label`: a program named an origin without saying where it is; only a configuration that has the label knows. */
export type LockedPlace = OriginPlace | { readonly kind: 'label'; readonly label: string };

/** Whether two places lead to the same origin. How much of a folder is published makes no difference. */
export function samePlace(a: OriginPlace, b: OriginPlace): boolean {
  return placeKey(a) === placeKey(b);
}

/** Unlike the text, never the same for two places. */
function placeKey(place: OriginPlace): string {
  return JSON.stringify(sortedJson({ ...place, nested: undefined, publish: undefined }));
}
