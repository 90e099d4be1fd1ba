/** A skill that was put together, as the entry that is published. */
import { executableMetaKey, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { buildSkillUri, skillFileUri } from '../../skill/skill-uri.ts';
import type { SourceSkill } from '../skill-source.ts';
import type { AssembledFile, AssembledSkill } from './folder-node.ts';

/** File paths that a URI holds as they are written, so that sorting paths is sorting URIs. */
const ordinary = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

export function toSourceSkill(assembled: AssembledSkill, path: string, aliases: readonly string[]): SourceSkill {
  const { frontmatter, files, emptyDirectories } = assembled;
  if (frontmatter === undefined) throw new TypeError(`the skill at "${path}" has no frontmatter`);
  const base = `${buildSkillUri(path)}/`;
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
  const uri = skillUri ?? base + skillFileName;
  return {
    entry:
      executable.length === 0
        ? { uri, frontmatter, resources: resources.slice() }
        : { uri, frontmatter, resources: resources.slice(), _meta: { [executableMetaKey]: executable } },
    listed: true,
    atHand: true,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(emptyDirectories.length === 0 ? {} : { emptyDirectories }),
    ...(mediaTypes === undefined ? {} : { mediaTypes }),
  };
}

interface NamedFile {
  readonly file: AssembledFile;
  readonly uri: string;
}

function inUriOrder(files: readonly AssembledFile[], path: string, base: string): readonly NamedFile[] {
  if (files.every((file) => ordinary.test(file.path)))
    return [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map((file) => ({ file, uri: base + file.path }));
  return files.map((file) => ({ file, uri: skillFileUri(path, file.path) })).sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
