/** How an origin is reached: what a kind of origin needs to open a location. Secrets stand here as they are sent. */
import type { Agent } from '../agents/agent-rows.ts';
import type { DialectId } from '../dialects/dialect-skill.ts';

export interface OpenOriginOptions {
  /** Nobody accepted it: only public addresses are connected to, and no credential of the user is used. Default false. */
  readonly guarded?: boolean;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a program that is started. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For a program that is started: see `startedBy()`. */
  readonly startedBy?: string;
  readonly era?: 'auto' | 'modern' | 'legacy';
  readonly assumeSkills?: boolean;
  /** Of an MCP server. Default: the one that it speaks. */
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  readonly siteFetch?: 'session' | 'lazy';
  readonly timeoutMs?: number;
  /** Requests at once, apart from those of all others. Default: what the whole process shares. */
  readonly concurrency?: number;
  /** Skills without promised digests get those of the fetched bytes, so that a copy can be served. */
  readonly ownDigests?: boolean;
  /** Agents besides those of the table. */
  readonly agents?: readonly Agent[];
  /** Of folders, archives and repositories: read skills in the hidden folders of agents. Default false. */
  readonly agentFolders?: boolean;
  /** Of folders: follow changes, and cache what was read for the next start. Default: do not follow, cache. */
  readonly watch?: boolean;
  readonly cache?: boolean | string;
}
