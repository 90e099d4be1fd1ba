/**
 * A source whose skills lie below a label: `skill://<path>` becomes `skill://<label>/<path>`, in entries, manifests and questions
 * alike. Digests, sizes and frontmatter stay as they are.
 */
import { executableMetaKey } from '../skill/entry.ts';
import { skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';

export function prefixed(source: SkillSource, label: string): SkillSource {
  const below = (uri: string): string => {
    const parsed = tryParseSkillUri(uri);
    // What is no skill URI has no place below the label; whoever serves it refuses it as it is.
    return parsed === undefined || parsed.path === '' ? uri : skillFileUri(label, parsed.path);
  };
  const inside = (uri: string): string | undefined => {
    const [first, ...rest] = tryParseSkillUri(uri)?.segments ?? [];
    return first === label && rest.length > 0 ? skillFileUri(rest[0] ?? '', rest.slice(1).join('/')) : undefined;
  };

  return {
    ...source,
    async *list(context) {
      for await (const page of source.list(context))
        yield {
          ...page,
          skills: page.skills.map((skill) => renamed(skill, below, label)),
          findings: page.findings.map((found) =>
            found.skill === undefined ? found : { ...found, skill: below(found.skill) },
          ),
          ...(page.refused === undefined
            ? {}
            : {
                refused: page.refused.map((entry) =>
                  entry.uri === undefined ? entry : { ...entry, uri: below(entry.uri) },
                ),
              }),
        };
    },
    async get(uri, context) {
      const own = inside(uri);
      const skill = own === undefined ? undefined : await source.get(own, context);
      return skill === undefined ? undefined : renamed(skill, below, label);
    },
    async open(uri, context) {
      const own = inside(uri);
      return own === undefined ? undefined : source.open(own, context);
    },
    ...(source.isCurrent === undefined
      ? {}
      : {
          isCurrent: (uri: string, digest: string) => {
            const own = inside(uri);
            return own !== undefined && (source.isCurrent?.(own, digest) ?? false);
          },
        }),
  };
}

function renamed(skill: SourceSkill, below: (uri: string) => string, label: string): SourceSkill {
  const { entry, mediaTypes, partial, aliases } = skill;
  const executable = entry._meta?.[executableMetaKey];
  return {
    ...skill,
    entry: {
      ...entry,
      uri: below(entry.uri),
      resources:
        entry.resources === 'dynamic'
          ? 'dynamic'
          : entry.resources.map((resource) => ({ ...resource, uri: below(resource.uri) })),
      ...(Array.isArray(executable)
        ? { _meta: { ...entry._meta, [executableMetaKey]: executable.map((uri) => below(String(uri))) } }
        : {}),
    },
    ...(mediaTypes === undefined
      ? {}
      : { mediaTypes: Object.fromEntries(Object.entries(mediaTypes).map(([uri, type]) => [below(uri), type])) }),
    ...(partial === undefined
      ? {}
      : { partial: { ...partial, files: partial.files.map((file) => ({ ...file, uri: below(file.uri) })) } }),
    ...(aliases === undefined ? {} : { aliases: aliases.map((path) => `${label}/${path}`) }),
  };
}
