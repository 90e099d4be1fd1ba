/** The interface of one kind of origin. The kinds are in `kinds/`, and `kinds.ts` lists them. */
import type { Agent } from '../agents/agent-rows.ts';
import type { OriginCredentials } from '../credentials/origin-credentials.ts';
import type { DialectId } from '../dialects/dialect-skill.ts';
import { limits } from '../limits.ts';
import type { AgentFolders } from '../sources/directory/directory-root.ts';
import type { McpServerSourceOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { LocationAct, Surroundings } from '../trust/acts.ts';
import type { EraSetting, SiteFetch } from './credentials.ts';

/** The keys by which an origin in `skillwire.json` states its kind, in the order of messages and of the schema. */
export const configurationKeys = ['folder', 'archive', 'mcp', 'stdio', 'site', 'mdp', 'git', 'agent'] as const;
export type ConfigurationKey = (typeof configurationKeys)[number];

export interface OriginKind<Location, Spec = unknown> {
  readonly key: ConfigurationKey;
  /** How a text names it. Absent for paths, which have no prefix. */
  readonly prefixed?: {
    /** In lower case. */
    readonly prefixes: readonly string[];
    /** @throws SkillwireError USAGE */
    parse(text: string, prefix: string, insecureHttp: boolean): Spec;
  };
  /** The key that a parsed origin of this kind has. */
  readonly spec: string;
  /** @param path makes a path absolute @returns `undefined` if the origin belongs to another kind with the same key */
  location(spec: Spec, path: (written: string) => string): Location | undefined;
  /** Reads the JSON of lock files and of the state. @param insecureHttp whether to accept plain http to another machine */
  read(fields: LocationFields, insecureHttp: boolean): Location;
  /** The one spelling of a location. */
  text(location: Location): string;
  /** The location with its path resolved. Absent for kinds without a path. */
  resolved?(location: Location, resolve: (path: string) => string): Location;
  /** Whether its skills are files of the user on this machine. */
  readonly local: boolean;
  /** Whether it is polled. A folder reports its changes. */
  readonly polled: boolean;
  /**
   * The credentials it receives. `environment`: the user's own, by which Git and agents are found. `program`: variables for a
   * started program. `http`: headers and a bearer token.
   */
  readonly credentials: 'none' | 'environment' | 'program' | 'http';
  /** The actions it takes if a file that came with a folder names it. */
  acts(location: Location, around: Surroundings): readonly LocationAct[];
  /** Connects, starts and reads nothing before the source is used. */
  open(location: Location, options: OpenOriginOptions): Promise<SkillSource>;
  /** MCP servers only: how a client reaches it. */
  server?(location: Location, options: OpenOriginOptions): Promise<McpServerSourceOptions>;
  /** Live origins only: the runtimes behind it. */
  hub?(location: Location, options: OpenOriginOptions): Promise<HubDirectory>;
}

/** How to reach an origin. Secrets are in here as they are sent. */
export interface OpenOriginOptions {
  /** Nobody accepted it: connect to public addresses only, without the user's credentials. Default false. */
  readonly guarded?: boolean;
  readonly token?: string;
  /** A stored login or a grant of this program, in place of the token. */
  readonly credentials?: OriginCredentials;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `traceparent` with each request. */
  readonly traceParent?: () => string | undefined;
  /** For a started program. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For a started program: see `startedBy()`. */
  readonly startedBy?: string;
  readonly era?: EraSetting;
  readonly assumeSkills?: boolean;
  /** MCP servers. Default: the dialect that the server speaks. */
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  readonly siteFetch?: SiteFetch;
  readonly timeoutMs?: number;
  /** Concurrent requests, apart from those of other origins. Default: the limit that the whole process shares. */
  readonly concurrency?: number;
  /** Give skills without promised digests those of the fetched bytes, so that a copy can be served. */
  readonly ownDigests?: boolean;
  /** Agents besides those of the table. */
  readonly agents?: readonly Agent[];
  /** Folders, archives and repositories: read skills in the hidden folders of agents. Default false. */
  readonly agentFolders?: AgentFolders;
  /** Folders: follow changes. Default false. */
  readonly watch?: boolean;
  /** Folders: cache digests for the next start. Default true. */
  readonly cache?: boolean | string;
}

/** A location in JSON, from a lock file or the state. Every field is checked. */
export type LocationFields = Readonly<Record<string, unknown>>;

/** Its message is the fault. */
export class LocationFault extends Error {}

export function textField(fields: LocationFields, key: string): string {
  const value = fields[key];
  if (typeof value === 'string' && value !== '' && value.length <= limits.gateway.originCharacters) return value;
  throw new LocationFault(`its "${key}" must be a string of 1 to ${limits.gateway.originCharacters} characters`);
}

export function pathField(fields: LocationFields): string {
  const value = textField(fields, 'path');
  if (!value.includes('\0')) return value;
  throw new LocationFault('its "path" contains a NUL character');
}

export function flagField(fields: LocationFields, key: string): boolean {
  const value = fields[key];
  if (typeof value === 'boolean') return value;
  throw new LocationFault(`its "${key}" must be true or false`);
}

/** A path from the root of an origin to a file below it, with "/". */
export const publishedPathPattern = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0\\]+$/;

/** The files of `publish`; `undefined` if there are none. */
export function publishField({ publish }: LocationFields): readonly string[] | undefined {
  if (publish === undefined) return undefined;
  const good =
    Array.isArray(publish) &&
    publish.length > 0 &&
    publish.length <= limits.gateway.settings &&
    publish.every((path) => typeof path === 'string' && publishedPathPattern.test(path));
  if (good) return publish;
  throw new LocationFault('its "publish" must be a list of paths below its root');
}

export function wordsField(fields: LocationFields, key: string): readonly string[] {
  const value = fields[key];
  const { settings, originCharacters } = limits.gateway;
  const good =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= settings &&
    value.every((word) => typeof word === 'string' && word.length <= originCharacters && !word.includes('\0')) &&
    value[0] !== '';
  if (good) return value;
  throw new LocationFault(`its "${key}" must be a program and its arguments`);
}
