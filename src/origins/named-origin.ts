/** A named origin: its location, how to reach it, and whether it is trusted. Nothing is opened yet. */
import type { DialectId } from '../dialects/dialect-skill.ts';
import type { ConfiguredAuth } from './auth-schema.ts';
import type { Credentials, EraSetting, SiteFetch } from './credentials.ts';
import type { FileStanding, JudgedFile } from './file-trust.ts';
import type { OriginLocation } from './kinds.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';

export interface NamedOrigin extends Credentials {
  readonly label: string;
  readonly location: OriginLocation;
  readonly era: EraSetting;
  readonly assumeSkills: boolean;
  readonly siteFetch: SiteFetch;
  /** MCP servers. Default: the dialect that the server speaks. */
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  /** How requests are authenticated if no token is given. Paths are absolute. */
  readonly auth?: ConfiguredAuth;
  /** Other settings of the configuration. */
  readonly settings?: OriginSettings;
  /** The folder in which a program starts. Default: the working folder. */
  readonly cwd?: string;
  /** The configuration file that names a program. */
  readonly configuredIn?: string;
  /** The list that names it: arguments, the configuration, the added origins or the lock file. */
  readonly from: 'argument' | 'configuration' | 'added' | 'lock';
  readonly trust: OriginTrust;
}

/** Whether it may be opened, and within which bounds; for an origin of a file, also its key there. */
export interface OriginTrust {
  readonly standing: FileStanding;
  readonly file?: JudgedFile;
  readonly at?: string;
}

export const usersWord: OriginTrust = { standing: 'own' };

/** The origins of a configuration, and which of its values the user has accepted. */
export interface JudgedOrigins {
  /** Absolute path. */
  readonly file: string;
  /** The folder for relative paths. Default: the folder of the file. */
  readonly base?: string;
  readonly configuration: { readonly origins: readonly ConfiguredOrigin[] };
  readonly judged: JudgedFile | 'own';
}

/** The defaults of an origin. */
export const originDefaults = {
  headers: [],
  passEnv: [],
  era: 'auto',
  assumeSkills: false,
  siteFetch: 'session',
} as const;

/** The index of a site has each name once, and the URI follows from the name. */
export function hasUniqueNames(origin: NamedOrigin | undefined): boolean {
  return origin?.location.kind === 'site';
}
