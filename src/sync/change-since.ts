/** The changes from the installed version of a skill to the current one of its origin. */
import { describeChange, type SkillChange } from '../host/approve/skill-change.ts';
import { executableMetaKey, type SkillEntry, skillFileName } from '../skill/entry.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { FetchedSkill } from './fetch-skill.ts';
import type { LockedSkill } from './install-lock.ts';
import { type ByteSources, installedBytes } from './installed.ts';

/** Texts of the installed version come from its unedited files, or from the cache. */
export async function changeSince(
  sources: ByteSources,
  name: string,
  before: LockedSkill,
  after: FetchedSkill,
): Promise<SkillChange> {
  const { entry } = after.captured;
  const uris = new Map(after.files.map(({ path, uri }) => [path, uri]));
  const folder = before.uri.slice(0, -skillFileName.length);
  const uriOf = (path: string): string =>
    uris.get(path) ?? `${folder}${path.split('/').map(encodeURIComponent).join('/')}`;
  const texts = new Map<string, string>();
  let frontmatter = entry.frontmatter;
  for (const [path, file] of Object.entries(before.files)) {
    const bytes = await installedBytes(sources, name, path, file);
    if (bytes === undefined) continue;
    const text = decodeUtf8(bytes);
    if (text !== undefined) texts.set(uriOf(path), text);
    const reading = path === skillFileName ? readFrontmatter(bytes) : undefined;
    if (reading?.ok === true) frontmatter = reading.frontmatter;
  }
  const files = Object.entries(before.files).map(([path, { digest, size }]) => ({ uri: uriOf(path), digest, size }));
  const executable = Object.entries(before.files).flatMap(([path, file]) => (file.executable ? [uriOf(path)] : []));
  const old: SkillEntry = {
    uri: uriOf(skillFileName),
    frontmatter,
    resources: files.sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    ...(executable.length === 0 ? {} : { _meta: { [executableMetaKey]: executable } }),
  };
  return describeChange({ entry: old, texts }, { entry, texts: after.texts });
}
