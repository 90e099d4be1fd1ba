/** The entry of a skill as it reads at another path of the same name: the same files with the same digests at other URIs. */
import { executableMetaKey, type SkillEntry, skillFileName } from './entry.ts';
import { buildSkillUri, skillFileUri } from './skill-uri.ts';

/** @param from decoded path of the skill; `to` ends with its name too (S-24) */
export function movedEntry(entry: SkillEntry, from: string, to: string): SkillEntry {
  const base = `${buildSkillUri(from)}/`;
  const moved = (uri: string): string =>
    uri.startsWith(base) ? `${buildSkillUri(to)}/${uri.slice(base.length)}` : uri;
  const { resources, _meta } = entry;
  const executable = _meta?.[executableMetaKey];
  return {
    ...entry,
    uri: skillFileUri(to, skillFileName),
    resources:
      resources === 'dynamic' ? resources : resources.map((resource) => ({ ...resource, uri: moved(resource.uri) })),
    ...(Array.isArray(executable)
      ? { _meta: { ..._meta, [executableMetaKey]: executable.map((uri) => moved(String(uri))) } }
      : {}),
  };
}
