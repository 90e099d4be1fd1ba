/** A skill that was put together, as the entry that is published. */
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
import { RestingSkill } from './resting-folder.ts';

/** File paths that a URI holds as they are written, so that sorting paths is sorting URIs. */
const ordinary = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

export function toSourceSkill(assembled: AssembledSkill, path: string, aliases: readonly string[]): SourceSkill {
  const { frontmatter } = assembled;
  if (frontmatter === undefined) throw new TypeError(`the skill at "${path}" has no frontmatter`);
  const base = `${buildSkillUri(path)}/`;
  if (assembled instanceof RestingSkill && !assembled.hasMediaTypes) {
    const entry = new RestingEntry(assembled, path, base);
    return { entry, listed: true, atHand: true, ...(aliases.length === 0 ? {} : { aliases }) };
  }
  const { resources, executable, mediaTypes, skillUri } = described(assembled.files, path, base);
  const uri = skillUri ?? base + skillFileName;
  const { emptyDirectories } = assembled;
  return {
    entry:
      executable.length === 0
        ? { uri, frontmatter, resources }
        : { uri, frontmatter, resources, _meta: { [executableMetaKey]: executable } },
    listed: true,
    atHand: true,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(emptyDirectories.length === 0 ? {} : { emptyDirectories }),
    ...(mediaTypes === undefined ? {} : { mediaTypes }),
  };
}

interface Described {
  readonly resources: readonly SkillResource[];
  readonly executable: readonly string[];
  readonly mediaTypes: Readonly<Record<string, string>> | undefined;
  readonly skillUri: string | undefined;
}

function described(files: readonly AssembledFile[], path: string, base: string): Described {
  const resources: SkillResource[] = [];
  const executable: string[] = [];
  let mediaTypes: Record<string, string> | undefined;
  let skillUri: string | undefined;
  for (const { file, uri } of inUriOrder(files, path, base)) {
    const { digest, size, mediaType } = file.facts;
    resources.push({ uri, digest, size });
    if (file.path === skillFileName) skillUri = uri;
    if (file.facts.executable) executable.push(uri);
    if (mediaType !== undefined) {
      mediaTypes ??= {};
      mediaTypes[uri] = mediaType;
    }
  }
  return { resources: resources.slice(), executable, mediaTypes, skillUri };
}

/**
 * The entry of a resting skill. The fields that need its files are made when they are first asked for; they are fields of the
 * object all the same, so that it can be copied and written as any other entry. The getters are shared: with getters of its
 * own each object would take 400 bytes more.
 */
class RestingEntry implements SkillEntry {
  readonly uri: string;
  readonly frontmatter: Frontmatter;
  declare readonly resources: readonly SkillResource[];
  declare readonly _meta?: Readonly<Record<string, unknown>>;
  readonly #skill: RestingSkill;
  readonly #path: string;
  readonly #base: string;
  #described: Described | undefined;

  constructor(skill: RestingSkill, path: string, base: string) {
    this.uri = base + skillFileName;
    this.frontmatter = skill.frontmatter;
    this.#skill = skill;
    this.#path = path;
    this.#base = base;
    Object.defineProperty(this, 'resources', resourcesField);
    if (skill.hasExecutables) Object.defineProperty(this, '_meta', metaField);
  }

  static described(entry: RestingEntry): Described {
    entry.#described ??= described(entry.#skill.files, entry.#path, entry.#base);
    return entry.#described;
  }
}

const resourcesField: PropertyDescriptor & ThisType<RestingEntry> = {
  enumerable: true,
  get() {
    return RestingEntry.described(this).resources;
  },
};

const metaField: PropertyDescriptor & ThisType<RestingEntry> = {
  enumerable: true,
  get() {
    return { [executableMetaKey]: RestingEntry.described(this).executable };
  },
};

interface NamedFile {
  readonly file: AssembledFile;
  readonly uri: string;
}

function inUriOrder(files: readonly AssembledFile[], path: string, base: string): readonly NamedFile[] {
  if (files.every((file) => ordinary.test(file.path)))
    return [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map((file) => ({ file, uri: base + file.path }));
  return files.map((file) => ({ file, uri: skillFileUri(path, file.path) })).sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
