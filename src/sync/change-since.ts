/** The changes from the installed version of a skill to the current one of its origin. */
import { describeChange, type SkillChange } from '../host/approve/skill-change.ts';
import { skillFileName } from '../skill/entry.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { FetchedSkill } from './fetch-skill.ts';
import type { LockedSkill } from './install-lock.ts';
import { type ByteSources, installedBytes } from './installed.ts';
import { lockedEntry, lockedUri } from './locked-entry.ts';

/** Texts of the installed version come from its unedited files, or from the cache. */
export async function changeSince(
  sources: ByteSources,
  name: string,
  before: LockedSkill,
  after: FetchedSkill,
): Promise<SkillChange> {
  const { entry } = after.captured;
  const uris = new Map(after.files.map(({ path, uri }) => [path, uri]));
  const uriOf = (path: string): string => uris.get(path) ?? lockedUri(before, path);
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
  const old = lockedEntry(before, frontmatter, uriOf);
  return describeChange({ entry: old, texts }, { entry, texts: after.texts });
}
