/** An origin as a text or a configuration names it: checked, with paths as they were written. */
import type { OriginGit } from './git-origin.ts';
import type { OriginAgent } from './kinds/agent.ts';
import type { OriginFolder } from './kinds/folder.ts';
import type { OriginServer } from './kinds/mcp.ts';
import type { OriginHub } from './kinds/mdp.ts';
import type { OriginHubCommand } from './kinds/mdp-stdio.ts';
import type { OriginSite } from './kinds/site.ts';
import type { OriginCommand } from './kinds/stdio.ts';

/** A folder or an archive is one path. */
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
  /** A label of the configuration or of an origin that was added. */
  readonly configured: string;
}

export type OriginSpec = NamedSpec | OriginLabel;
export type FolderSpec = OriginFolder | OriginLabel;
