/**
 * A source whose skills lie below a path of the gateway's choice: `skill://<base>/<path>`, in entries, manifests, templates, questions
 * and changes alike. Digests, sizes, frontmatter and provenance stay as they are. Upstreams may write their URIs in any scheme and
 * spelling (SEP-2640); which of them a URI of ours stands for is remembered where it does not follow from it. A skill whose folder has
 * another name is served one level deeper, below its name, and its folder is an alias. Of two skills that would get one URI the first
 * is served.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { executableMetaKey, type SkillEntry, skillFileName } from '../skill/entry.ts';
import { isPlainPath } from '../skill/file-path.ts';
import { type Finding, finding } from '../skill/finding.ts';
import { folderPath, namedPath } from '../skill/nested-skills.ts';
import { pathBelow, tryParseResourceUri } from '../skill/resource-uri.ts';
import { buildSkillUri, isSkillFileUri, skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import { deriveSource, type SkillSource, type SourcePage, type SourceSkill } from '../sources/skill-source.ts';

const scheme = 'skill://';

/** @param base empty if skills stay where their origin has them */
export function underLabel(source: SkillSource, base: string): SkillSource {
  const root = base === '' ? [] : base.split('/');
  const depth = root.length;
  const below = (path: string): string => [...root, path].join('/');
  /** What the upstream calls a file, by our URI, where that is not what our URI says. */
  const odd = new Map<string, string>();
  /** The upstream's URI of each skill, by ours. */
  const skillAt = new Map<string, string>();
  /** The other way round. */
  const oursOf = new Map<string, string>();
  const made = new WeakMap<SourceSkill, SourceSkill>();

  /** A plain URI of the usual scheme gets the base in front, and follows from what it becomes. */
  function plainOuter(uri: string): string | undefined {
    if (!uri.startsWith(scheme)) return undefined;
    const ours = scheme + below(uri.slice(scheme.length));
    return ours.length <= limits.uri.characters && isPlainPath(ours, scheme.length) ? ours : undefined;
  }

  function outer(uri: string): string | undefined {
    const plain = plainOuter(uri);
    if (plain !== undefined) return plain;
    const parsed = tryParseResourceUri(uri) ?? tryParseSkillUri(uri);
    return parsed === undefined || parsed.path === '' ? undefined : tryBuild(below(parsed.path));
  }

  /** Remembers what does not follow from our URI. */
  function named(uri: string): string {
    const plain = plainOuter(uri);
    if (plain !== undefined) return plain;
    const ours = outer(uri) ?? uri;
    if (plainInner(ours) !== uri) odd.set(ours, uri);
    return ours;
  }

  function plainInner(uri: string): string | undefined {
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    if (segments.length <= depth || segments.slice(0, depth).join('/') !== base) return undefined;
    return skillFileUri(segments[depth] ?? '', segments.slice(depth + 1).join('/'));
  }

  function inner(uri: string): string | undefined {
    const canonical = tryParseSkillUri(uri)?.uri ?? uri;
    const known = odd.get(canonical);
    if (known !== undefined) return known;
    // A file of a dynamic skill of another scheme lies below what its SKILL.md is called.
    for (let end = canonical.lastIndexOf('/'); end > 0; end = canonical.lastIndexOf('/', end - 1)) {
      const root = odd.get(`${canonical.slice(0, end)}/${skillFileName}`);
      if (root !== undefined) return `${root.slice(0, -skillFileName.length - 1)}${canonical.slice(end)}`;
    }
    return segmentsOf(canonical) > depth + 1 || skillAt.has(canonical) ? plainInner(canonical) : undefined;
  }

  /** Where the files of a skill are that is served at another path than its own. */
  function movedFile(skillUri: string, ours: string): (uri: string) => string {
    const folder = folderPath(ours);
    return (uri) => {
      const path = pathBelow(skillUri, uri);
      // What lies elsewhere at the origin stays where it is.
      if (path === uri) return named(uri);
      const own = tryBuild(`${folder}/${path}`) ?? uri;
      odd.set(own, uri);
      return own;
    };
  }

  /** The skill as it is served, or why it is not. The same object for the same one: a change is told, and then listed. */
  function renamed(skill: SourceSkill): SourceSkill | Finding {
    const before = made.get(skill);
    if (before !== undefined && skillAt.get(before.entry.uri) === skill.entry.uri) return before;
    const after = rename(skill);
    if ('entry' in after) made.set(skill, after);
    return after;
  }

  function rename(skill: SourceSkill): SourceSkill | Finding {
    const { entry, mediaTypes, partial, aliases = [] } = skill;
    const folder = folderPath(entry.uri);
    const moved = namedPath(entry) !== folder;
    const uri = placeOf(entry);
    if (uri === undefined || folder === '' || !isSkillFileUri(uri))
      return finding(
        'origin-entry-refused',
        `the entry ${quoteText(entry.uri)} cannot be served: its URI names no skill`,
      );
    const holder = skillAt.get(uri);
    if (holder !== undefined && holder !== entry.uri)
      return finding(
        'skill-uri-taken',
        `${quoteText(entry.uri)} is not served: ${quoteText(holder)} has the URI ${quoteText(uri)} already`,
      );
    skillAt.set(uri, entry.uri);
    oursOf.set(entry.uri, uri);
    const fileUri = moved ? movedFile(entry.uri, uri) : named;
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
      return finding('origin-entry-refused', `the entry ${quoteText(entry.uri)} cannot be served: a URI gets too long`);
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
      ...(mediaTypes === undefined
        ? {}
        : { mediaTypes: Object.fromEntries(Object.entries(mediaTypes).map(([file, type]) => [fileUri(file), type])) }),
      ...(partial === undefined
        ? {}
        : { partial: { ...partial, files: partial.files.map((file) => ({ ...file, uri: fileUri(file.uri) })) } }),
      ...(shownAliases.length === 0 ? {} : { aliases: shownAliases.map(below) }),
    };
  }

  function all(skills: readonly SourceSkill[], findings: readonly Finding[]): Pick<SourcePage, 'skills' | 'findings'> {
    const shown: SourceSkill[] = [];
    const told = findings.map((found) =>
      found.skill === undefined
        ? found
        : { ...found, skill: oursOf.get(found.skill) ?? outer(found.skill) ?? found.skill },
    );
    for (const skill of skills) {
      const ours = renamed(skill);
      if ('entry' in ours) shown.push(ours);
      else told.push(ours);
    }
    return { skills: shown, findings: told };
  }

  /** The URI that a skill gets. */
  function placeOf(entry: SkillEntry): string | undefined {
    const path = namedPath(entry);
    return path === folderPath(entry.uri) ? outer(entry.uri) : tryBuild(`${below(path)}/${skillFileName}`);
  }

  /** The URI at which a skill was served until it got another name. */
  function leftBy(entry: SkillEntry): string | undefined {
    const before = oursOf.get(entry.uri);
    return before === undefined || before === placeOf(entry) ? undefined : forget(entry.uri);
  }

  function forget(uri: string): string | undefined {
    const ours = oursOf.get(uri);
    oursOf.delete(uri);
    if (ours === undefined || skillAt.get(ours) !== uri) return undefined;
    skillAt.delete(ours);
    odd.delete(ours);
    return ours;
  }

  return deriveSource(source, {
    name: 'pass',
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, ...all(page.skills, page.findings) };
    },
    async get(uri, context) {
      const own = inner(uri);
      const skill = own === undefined ? undefined : await source.get(own, context);
      const ours = skill === undefined ? undefined : renamed(skill);
      // Nobody gets a skill by its alias.
      return ours !== undefined && 'entry' in ours && tryParseSkillUri(uri)?.uri === ours.entry.uri ? ours : undefined;
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
    // These have URIs of the origin, and nothing of it lies below the base.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'pass',
    freshUntil: { map: (freshUntil) => (uri) => freshUntil(uri === undefined ? undefined : inner(uri)) },
    watched: 'pass',
    watch: {
      map: (watch) => (listener) =>
        watch((change) => {
          const removed = change.removed.flatMap((uri) => forget(uri) ?? []);
          removed.push(...change.upserted.flatMap(({ entry }) => leftBy(entry) ?? []));
          const { skills, findings } = all(change.upserted, change.findings);
          listener({ upserted: skills, removed, findings });
        }),
    },
    close: 'pass',
  });
}

/** Undefined for a path that is too long for a URI. */
function tryBuild(path: string): string | undefined {
  try {
    return buildSkillUri(path);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'INVALID_URI') return undefined;
    throw error;
  }
}

function segmentsOf(uri: string): number {
  return tryParseSkillUri(uri)?.segments.length ?? 0;
}
