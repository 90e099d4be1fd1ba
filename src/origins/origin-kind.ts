/** What Skillwire knows about one kind of origin. Each kind is a file in `kinds/` and a row in `kinds.ts`. */
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { LocationAct, Surroundings } from '../trust/location-acts.ts';
import type { LocationFields } from './place-fields.ts';
import type { OpenOriginOptions } from './place-way.ts';

/** The keys by which an origin of `skillwire.json` says its kind, in the order of messages and of the schema. */
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
  /** The key of a parsed origin that says its kind. */
  readonly spec: string;
  /** Where a parsed origin is. @param path makes a path absolute @returns undefined if another kind has the same key */
  location(spec: Spec, path: (written: string) => string): Location | undefined;
  /** Reads the JSON form of lock files and of the state. @param insecureHttp whether plain http to another machine is read */
  read(fields: LocationFields, insecureHttp: boolean): Location;
  /** One spelling for one location. */
  text(location: Location): string;
  /** The location with its path resolved. Absent if it is the same wherever it is read. */
  resolved?(location: Location, resolve: (path: string) => string): Location;
  /** Whether its skills are files of the user on this machine. */
  readonly local: boolean;
  /** Whether it is asked again and again. A folder reports its changes. */
  readonly polled: boolean;
  /**
   * What goes there. `environment`: the user's own, by which Git and agents are found. `program`: variables for a program that is
   * started. `http`: headers and a bearer token.
   */
  readonly credentials: 'none' | 'environment' | 'program' | 'http';
  /** What it does if a file that came with a folder names it. */
  acts(location: Location, around: Surroundings): readonly LocationAct[];
  /** Nothing is connected, started or read before something is asked of the source. */
  open(location: Location, way: OpenOriginOptions): Promise<SkillSource>;
  /** Of MCP servers only: how a client reaches it. */
  server?(location: Location, way: OpenOriginOptions): Promise<McpServerOptions>;
  /** Of live origins only: the runtimes behind it. */
  hub?(location: Location, way: OpenOriginOptions): Promise<HubDirectory>;
}
