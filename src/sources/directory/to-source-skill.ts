/** Converts an assembled skill to the published entry. */
import {
  executableMetaKey,
  type Frontmatter,
  type SkillEntry,
  type SkillResource,
  skillFileName,
} from '../../skill/entry.ts';
import { buildSkillUri, skillFileUri } from '../../skill/skill-uri.ts';
import type { SourceSkill } from '../skill-source.ts';
import type { AssembledFile, AssembledSkill } from './folder-node.ts';

/** File paths that need no encoding in a URI, so that sorting paths sorts URIs. */
const ordinary = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

export function toSourceSkill(
  assembled: AssembledSkill,
  path: string,
  aliases: readonly string[],
  inAgentFolder?: true,
): SourceSkill {
  const { frontmatter, emptyDirectories } = assembled;
  if (frontmatter === undefined) throw new TypeError(`the skill at "${path}" has no frontmatter`);
  const entry = new LazyEntry(assembled, frontmatter, path);
  const skill: SourceSkill = {
    entry,
    listed: true,
    isLocal: true,
    ...(inAgentFolder === undefined ? {} : { inAgentFolder }),
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(emptyDirectories.length === 0 ? {} : { emptyDirectories }),
    ...(assembled.hasMediaTypes ? { mediaTypes: mediaTypesOf(assembled.files, path) } : {}),
  };
  return Object.defineProperty(skill, 'updatedMs', updatedField);
}

function mediaTypesOf(files: readonly AssembledFile[], path: string): Readonly<Record<string, string>> {
  const types: Record<string, string> = {};
  for (const { file, uri } of inUriOrder(files, path))
    if (file.facts.mediaType !== undefined) types[uri] = file.facts.mediaType;
  return types;
}

/**
 * Fields that need the files are computed on first access: of ten thousand skills a session reads a few. They are still
 * own fields, so that the entry can be copied and serialized as any other. The getters are shared: own getters would
 * cost 400 bytes more per object.
 */
class LazyEntry implements SkillEntry {
  readonly uri: string;
  readonly frontmatter: Frontmatter;
  declare readonly resources: readonly SkillResource[];
  declare readonly _meta?: Readonly<Record<string, unknown>>;
  readonly #skill: AssembledSkill;
  readonly #path: string;
  #resources: readonly SkillResource[] | undefined;
  #updatedMs = 0;

  constructor(skill: AssembledSkill, frontmatter: Frontmatter, path: string) {
    this.uri = skillFileUri(path, skillFileName);
    this.frontmatter = frontmatter;
    this.#skill = skill;
    this.#path = path;
    Object.defineProperty(this, 'resources', resourcesField);
    if (skill.hasExecutables) Object.defineProperty(this, '_meta', metaField);
  }

  static resources(entry: LazyEntry): readonly SkillResource[] {
    entry.#resources ??= listedFiles(entry.#skill, entry.#path).map(({ uri, digest, size, mtimeMs }) => {
      entry.#updatedMs = Math.max(entry.#updatedMs, mtimeMs);
      return { uri, digest, size };
    });
    return entry.#resources;
  }

  /** `undefined` if no file has a time: archives that are the same on every machine have none. */
  static updatedMs(entry: LazyEntry): number | undefined {
    LazyEntry.resources(entry);
    return entry.#updatedMs === 0 ? undefined : entry.#updatedMs;
  }

  static executables(entry: LazyEntry): readonly string[] {
    return listedFiles(entry.#skill, entry.#path).flatMap(({ uri, executable }) => (executable ? [uri] : []));
  }
}

const resourcesField: PropertyDescriptor & ThisType<LazyEntry> = {
  enumerable: true,
  get() {
    return LazyEntry.resources(this);
  },
};

/** On the published skill, which has the entry. */
const updatedField: PropertyDescriptor & ThisType<{ readonly entry: LazyEntry }> = {
  enumerable: true,
  get() {
    return LazyEntry.updatedMs(this.entry);
  },
};

const metaField: PropertyDescriptor & ThisType<LazyEntry> = {
  enumerable: true,
  get() {
    return { [executableMetaKey]: LazyEntry.executables(this) };
  },
};

/** A file as an entry lists it. */
interface ListedFile extends SkillResource {
  readonly executable: boolean;
  readonly mtimeMs: number;
}

function listedFiles(skill: AssembledSkill, path: string): readonly ListedFile[] {
  const cached = skill.cachedFiles;
  if (cached !== undefined) {
    const base = `${buildSkillUri(path)}/`;
    const sorted = [...cached].sort((a, b) => (a.path < b.path ? -1 : 1));
    return sorted.map(({ path: below, ...facts }) => ({ uri: base + below, ...facts }));
  }
  return inUriOrder(skill.files, path).map(({ file: { facts }, uri }) => {
    const { digest, size, executable, mtimeMs } = facts;
    return { uri, digest, size, executable, mtimeMs };
  });
}

interface NamedFile {
  readonly file: AssembledFile;
  readonly uri: string;
}

function inUriOrder(files: readonly AssembledFile[], path: string): readonly NamedFile[] {
  const base = `${buildSkillUri(path)}/`;
  if (files.every((file) => ordinary.test(file.path)))
    return [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map((file) => ({ file, uri: base + file.path }));
  return files.map((file) => ({ file, uri: skillFileUri(path, file.path) })).sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
