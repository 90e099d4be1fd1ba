/** The parts of a server: folders, origins that are mirrored, and the configuration that named them or rules over them. */
import type { NamedOrigin } from '../origins/named-origin.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { Configuration } from './configuration.ts';

export interface ServedOrigins {
  /** Folders that are served as they are. */
  readonly roots: readonly DirectoryRoot[];
  /** Everything else. */
  readonly mirrors: readonly NamedOrigin[];
  /** Whether mirrors come first if two origins have one URI. */
  readonly mirrorsFirst: boolean;
  /** Whether the configuration alone says what is served, so that a change of it changes that. */
  readonly fromFile: boolean;
  readonly found: ServedConfiguration | undefined;
}

export interface ServedConfiguration {
  /** Absolute path; absent if a program gave the configuration. */
  readonly file?: string;
  /** What relative paths of a configuration without a file are relative to; absolute. */
  readonly base?: string;
  readonly configuration: Configuration;
}

/** Whether more is needed than the folders. */
export function needsGateway({ mirrors, found }: ServedOrigins): boolean {
  return mirrors.length > 0 || found?.configuration.policy !== undefined;
}
