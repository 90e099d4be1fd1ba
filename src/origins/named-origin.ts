/** An origin that somebody named: where it is, how it is reached, and whose word it is. Nothing of it is opened yet. */
import type { DialectId } from '../dialects/dialect-skill.ts';
import type { Credentials, Era, SiteFetch } from './credentials.ts';
import type { JudgedFile, Standing } from './judged-file.ts';
import type { OriginLocation } from './location.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';

export interface NamedOrigin extends Credentials {
  readonly label: string;
  readonly location: OriginLocation;
  readonly era: Era;
  readonly assumeSkills: boolean;
  readonly siteFetch: SiteFetch;
  /** Of an MCP server. Default: the one that it speaks. */
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  /** Other settings of the configuration. */
  readonly settings?: OriginSettings;
  /** Where a program is started. Default: the working folder. */
  readonly cwd?: string;
  /** The file of the configuration that names a program. */
  readonly configuredIn?: string;
  /** Who named it. */
  readonly from: 'argument' | 'configuration' | 'added' | 'lock';
  readonly trust: OriginTrust;
}

/** Whether it may be opened, and within which bounds; for an origin of a file, where it stands there. */
export interface OriginTrust {
  readonly standing: Standing;
  readonly file?: JudgedFile;
  readonly at?: string;
}

export const usersWord: OriginTrust = { standing: 'own' };

/** The origins of a configuration, and what of the file the user has accepted. */
export interface JudgedOrigins {
  /** Absolute path. */
  readonly file: string;
  /** What relative paths are relative to. Default: the folder of the file. */
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

/** An index of a site has each name once, and its URI follows from it. */
export function hasUniqueNames(origin: NamedOrigin | undefined): boolean {
  return origin?.location.kind === 'site';
}
