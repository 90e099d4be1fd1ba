/**
 * A source whose skills are served under a label: `skill://<base>/<path>`, in entries, templates, requests and changes alike. Digests,
 * sizes, frontmatter and provenance do not change.
 *
 * - Upstreams may use any scheme and spelling of URIs (SEP-2640). If an upstream URI does not follow from the served one, it is recorded.
 * - If the folder of a skill does not have its name, the skill is served one level deeper, under its name. The folder is then an alias.
 * - If two skills would get the same URI, the first is served.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { executableMetaKey, type SkillEntry, skillFileName } from '../skill/entry.ts';
import { isPlainPath } from '../skill/file-path.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { folderPath, namedPath, pathsAround } from '../skill/nested-skills.ts';
import { pathBelow, tryParseResourceUri } from '../skill/resource-uri.ts';
import { buildSkillUri, isSkillFileUri, skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import { deriveSource, type SkillSource, type SourcePage, type SourceSkill } from '../sources/skill-source.ts';

const scheme = 'skill://';

/** @param base empty if skills keep the paths of their origin */
export function underLabel(source: SkillSource, base: string): SkillSource {
  const root = base === '' ? [] : base.split('/');
  const depth = root.length;
  const below = (path: string): string => [...root, path].join('/');
  /** The upstream's URI of a file, by the served one, if it does not follow from that. */
  const upstreamUris = new Map<string, string>();
  /** The upstream's URI of each skill, by the served one. */
  const upstreamSkill = new Map<string, string>();
  /** The served URI of each skill, by the upstream's. */
  const servedUri = new Map<string, string>();
  const servedSkills = new WeakMap<SourceSkill, SourceSkill>();

  /** A plain `skill://` URI gets the base in front; the served URI then determines it. */
  function plainOuter(uri: string): string | undefined {
    if (!uri.startsWith(scheme)) return undefined;
    const served = scheme + below(uri.slice(scheme.length));
    return served.length <= limits.uri.characters && isPlainPath(served, scheme.length) ? served : undefined;
  }

  function outer(uri: string): string | undefined {
    const plain = plainOuter(uri);
    if (plain !== undefined) return plain;
    const parsed = tryParseResourceUri(uri) ?? tryParseSkillUri(uri);
    return parsed === undefined || parsed.path === '' ? undefined : tryBuild(below(parsed.path));
  }

  /** Records the upstream's URI if it does not follow from the served one. */
  function toServedUri(uri: string): string {
    const plain = plainOuter(uri);
    if (plain !== undefined) return plain;
    const served = outer(uri) ?? uri;
    if (plainInner(served) !== uri) upstreamUris.set(served, uri);
    return served;
  }

  function plainInner(uri: string): string | undefined {
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    if (segments.length <= depth || segments.slice(0, depth).join('/') !== base) return undefined;
    return skillFileUri(segments[depth] ?? '', segments.slice(depth + 1).join('/'));
  }

  function inner(uri: string): string | undefined {
    const canonical = tryParseSkillUri(uri)?.uri ?? uri;
    const known = upstreamUris.get(canonical);
    if (known !== undefined) return known;
    // A file of a dynamic skill with another scheme lies next to its SKILL.md.
    for (const folder of pathsAround(canonical)) {
      const root = upstreamUris.get(`${folder}/${skillFileName}`);
      if (root !== undefined) return `${root.slice(0, -skillFileName.length - 1)}${canonical.slice(folder.length)}`;
    }
    const segments = tryParseSkillUri(canonical)?.segments.length ?? 0;
    return segments > depth + 1 || upstreamSkill.has(canonical) ? plainInner(canonical) : undefined;
  }

  /** Gives the served URIs of the files of a skill whose path differs from its upstream's. */
  function movedFile(skillUri: string, served: string): (uri: string) => string {
    const folder = folderPath(served);
    return (uri) => {
      const path = pathBelow(skillUri, uri);
      // A file outside the folder of the skill keeps its path.
      if (path === uri) return toServedUri(uri);
      const own = tryBuild(`${folder}/${path}`) ?? uri;
      upstreamUris.set(own, uri);
      return own;
    };
  }

  /** The skill as served, or the reason why not. A skill gets one object: it is reported as a change, and then listed. */
  function toServed(skill: SourceSkill): SourceSkill | Finding {
    const before = servedSkills.get(skill);
    if (before !== undefined && upstreamSkill.get(before.entry.uri) === skill.entry.uri) return before;
    const after = createServed(skill);
    if ('entry' in after) servedSkills.set(skill, after);
    return after;
  }

  function createServed(skill: SourceSkill): SourceSkill | Finding {
    const { entry, mediaTypes, partial, aliases = [] } = skill;
    const folder = folderPath(entry.uri);
    const moved = namedPath(entry) !== folder;
    const uri = uriFor(entry);
    if (uri === undefined || folder === '' || !isSkillFileUri(uri))
      return finding(
        'origin-entry-refused',
        `the entry ${quoteText(entry.uri)} cannot be served: its URI does not name a skill`,
      );
    const holder = upstreamSkill.get(uri);
    if (holder !== undefined && holder !== entry.uri)
      return finding(
        'skill-uri-taken',
        `${quoteText(entry.uri)} is not served: ${quoteText(holder)} already has the URI ${quoteText(uri)}`,
      );
    upstreamSkill.set(uri, entry.uri);
    servedUri.set(entry.uri, uri);
    const fileUri = moved ? movedFile(entry.uri, uri) : toServedUri;
    fileUri(entry.uri);
    const shownAliases = moved ? [...new Set([...aliases, folder])] : aliases;
    const executable = entry._meta?.[executableMetaKey];
    const resources =
      entry.resources === 'dynamic'
        ? entry.resources
        : entry.resources.map((resource) => ({ ...resource, uri: fileUri(resource.uri) }));
    const root = uri.slice(0, -skillFileName.length);
    if (resources !== 'dynamic' && !resources.every((file) => file.uri.startsWith(root))) {
      forget(entry.uri);
      return finding('origin-entry-refused', `the entry ${quoteText(entry.uri)} cannot be served: a URI is too long`);
    }
    return {
      ...skill,
      entry: {
        ...entry,
        uri,
        resources,
        ...(Array.isArray(executable)
          ? { _meta: { ...entry._meta, [executableMetaKey]: executable.map((file) => fileUri(String(file))) } }
          : {}),
      },
      mediaTypes:
        mediaTypes && Object.fromEntries(Object.entries(mediaTypes).map(([file, type]) => [fileUri(file), type])),
      partial: partial && { ...partial, files: partial.files.map((file) => ({ ...file, uri: fileUri(file.uri) })) },
      ...(shownAliases.length === 0 ? {} : { aliases: shownAliases.map(below) }),
    };
  }

  function renameAll(
    skills: readonly SourceSkill[],
    findings: readonly Finding[],
  ): Pick<SourcePage, 'skills' | 'findings'> {
    const reported = findings.map((found) =>
      found.skill === undefined
        ? found
        : { ...found, skill: servedUri.get(found.skill) ?? outer(found.skill) ?? found.skill },
    );
    const all = skills.map(toServed);
    const refused = all.filter((one) => 'rule' in one);
    return { skills: all.filter((one) => 'entry' in one), findings: [...reported, ...refused] };
  }

  /** The URI at which a skill is served. */
  function uriFor(entry: SkillEntry): string | undefined {
    const path = namedPath(entry);
    return path === folderPath(entry.uri) ? outer(entry.uri) : tryBuild(`${below(path)}/${skillFileName}`);
  }

  /** Forgets the URI at which a skill was served before its name changed, and returns it. */
  function forgetFormer(entry: SkillEntry): string | undefined {
    const before = servedUri.get(entry.uri);
    return before === undefined || before === uriFor(entry) ? undefined : forget(entry.uri);
  }

  function forget(uri: string): string | undefined {
    const served = servedUri.get(uri);
    servedUri.delete(uri);
    if (served === undefined || upstreamSkill.get(served) !== uri) return undefined;
    upstreamSkill.delete(served);
    upstreamUris.delete(served);
    return served;
  }

  return deriveSource(source, {
    search: 'drop',
    name: 'pass',
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, ...renameAll(page.skills, page.findings) };
    },
    async get(uri, context) {
      const own = inner(uri);
      const skill = own === undefined ? undefined : await source.get(own, context);
      const served = skill === undefined ? undefined : toServed(skill);
      // An alias does not return the skill.
      if (served === undefined || !('entry' in served)) return undefined;
      return tryParseSkillUri(uri)?.uri === served.entry.uri ? served : undefined;
    },
    async open(uri, context) {
      const own = inner(uri);
      return own === undefined ? undefined : source.open(own, context);
    },
    templates: {
      map: (templates) => async (context) =>
        (await templates(context)).flatMap((template) => {
          const match = /^skill:\/\/(.+)$/.exec(template.uriTemplate);
          return match === null ? [] : [{ ...template, uriTemplate: scheme + below(match[1] ?? '') }];
        }),
    },
    isCurrent: {
      map: (isCurrent) => (uri, digest) => {
        const own = inner(uri);
        return own !== undefined && isCurrent(own, digest);
      },
    },
    // These use URIs of the origin, which are not under the base.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'pass',
    freshUntil: { map: (freshUntil) => (uri) => freshUntil(uri === undefined ? undefined : inner(uri)) },
    watched: 'pass',
    watch: {
      map: (watch) => (listener) =>
        watch((change) => {
          const removed = change.removed.flatMap((uri) => forget(uri) ?? []);
          removed.push(...change.upserted.flatMap(({ entry }) => forgetFormer(entry) ?? []));
          const { skills, findings } = renameAll(change.upserted, change.findings);
          listener({ upserted: skills, removed, findings });
        }),
    },
    close: 'pass',
  });
}

/** `undefined` if the path is too long for a URI. */
function tryBuild(path: string): string | undefined {
  try {
    return buildSkillUri(path);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'INVALID_URI') return undefined;
    throw error;
  }
}
