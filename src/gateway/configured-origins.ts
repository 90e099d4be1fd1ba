/** Divides the origins of a configuration: plain folders are read as one source, all others are mirrored. */
import { definedFields } from '../defined-fields.ts';
import type { JudgedOrigins, OriginTrust } from '../origins/named-origin.ts';
import type { ConfiguredOrigin } from '../origins/origin-schema.ts';
import { configuredOrigin } from '../origins/resolve-reading.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';

export interface ConfiguredBase {
  /** Base of relative paths if there is no file. */
  readonly cwd: string;
  readonly home: string;
  /** The file and what the user accepted of it; `undefined` if a program passed the configuration. */
  readonly found: JudgedOrigins | undefined;
  /** A path as findings and pages show it. */
  shown(path: string): string;
}

export interface ConfiguredFolder {
  readonly root: DirectoryRoot & { readonly label: string };
  readonly trust: OriginTrust;
}

export function configuredOrigins(origins: readonly ConfiguredOrigin[], place: ConfiguredBase) {
  const folders = origins.filter((origin) => isPlainFolder(origin, place));
  return {
    folders: folders.map((origin) => configuredFolder(origin, place)),
    mirrors: origins.filter((origin) => !folders.includes(origin)).map((origin) => configuredOrigin(origin, place)),
  };
}

/** True if the origin is a folder without settings of its own. */
export function isPlainFolder(origin: ConfiguredOrigin, place: Omit<ConfiguredBase, 'shown'>): boolean {
  const { location: where, settings } = configuredOrigin(origin, place);
  return where.kind === 'folder' && settings === undefined;
}

export function configuredFolder(origin: ConfiguredOrigin, place: ConfiguredBase): ConfiguredFolder {
  const { label } = origin;
  const { location: where, trust } = configuredOrigin(origin, place);
  const path = place.shown(where.kind === 'folder' || where.kind === 'archive' ? where.path : label);
  const { nested, publish, agentFolders } = where.kind === 'folder' ? where : origin;
  return { root: { path, label, ...definedFields({ nested, publish, agentFolders }) }, trust };
}

/** The acting parts of the file that are used but not accepted. @param more keys beside the origins that are used */
export function untrustedParts(
  origins: readonly { readonly trust: OriginTrust }[],
  { judged }: Pick<JudgedOrigins, 'judged'>,
  more: readonly string[],
): readonly string[] {
  if (judged === 'own') return [];
  const used = origins.flatMap(({ trust }) =>
    trust.standing === 'untrusted' && trust.at !== undefined ? [trust.at] : [],
  );
  const others = judged.values.map(({ at }) => at).filter((at) => more.some((key) => at.startsWith(`${key}.`)));
  return [...used, ...others.filter((at) => judged.standing(at) === 'untrusted')];
}
