/**
 * A source with a part of its skills, chosen by patterns on their paths, and whether they are listed. What is left out does not exist:
 * not in the listing, not by URI, not as a file, and not inside another skill. A skill that carries one that is left out is left out too.
 */
import ignore from 'ignore';
import { skillFileName } from '../skill/entry.ts';
import { folderPath, nestedOf } from '../skill/nested-skills.ts';
import { resourceKey, tryParseResourceUri } from '../skill/resource-uri.ts';
import { deriveSource, type SkillSource, type SourceChange, type SourceSkill } from '../sources/skill-source.ts';
import { createNestedIndex } from './nested-index.ts';

export interface Selection {
  /** One of these must match. Absent: all do. */
  readonly include?: readonly string[];
  /** None of these may match. */
  readonly exclude?: readonly string[];
  /** False: answered by URI only. */
  readonly listed?: boolean;
}

export function selected(source: SkillSource, { include, exclude, listed }: Selection): SkillSource {
  if (include === undefined && exclude === undefined && listed !== false) return source;
  const included = include === undefined ? undefined : ignore({ ignorecase: false }).add([...include]);
  const excluded = exclude === undefined ? undefined : ignore({ ignorecase: true }).add([...exclude]);
  /** Every skill that the source has reported, by its key, and those of them that are left out by their own path. */
  const known = new Map<string, SourceSkill>();
  const leftOut = createNestedIndex();

  function isChosen(path: string): boolean {
    // A skill is a folder, so patterns that end with a slash mean it too.
    const folder = `${path}/`;
    if (path === '' || !ignore.isPathValid(folder)) return false;
    return (included === undefined || included.ignores(folder)) && excluded?.ignores(folder) !== true;
  }

  function isChosenUri(uri: string): boolean {
    return tryParseResourceUri(uri) !== undefined && isChosen(folderPath(uri));
  }

  /** By its own path or an alias, and by none of them left out. */
  function isChosenSkill({ entry, aliases = [] }: SourceSkill): boolean {
    if (aliases.length === 0) return isChosenUri(entry.uri);
    if (tryParseResourceUri(entry.uri) === undefined) return false;
    const folders = [folderPath(entry.uri), ...aliases].map((path) => `${path}/`);
    if (!folders.every((folder) => ignore.isPathValid(folder) && excluded?.ignores(folder) !== true)) return false;
    return included === undefined || folders.some((folder) => included.ignores(folder));
  }

  /** By its own path and by those of the skills that it carries. */
  function isWhole(skill: SourceSkill): boolean {
    const { entry } = skill;
    if (!isChosenSkill(skill) || nestedOf(entry).some((uri) => !isChosenUri(uri))) return false;
    for (const _ of leftOut.carriedBy(entry)) return false;
    return true;
  }

  function shown(skill: SourceSkill): SourceSkill {
    return listed === false ? { ...skill, listed: false } : skill;
  }

  function note(uri: string, skill: SourceSkill | undefined): void {
    if (skill === undefined) known.delete(keyOf(uri));
    else known.set(keyOf(uri), skill);
    if (skill !== undefined && !isChosenSkill(skill)) leftOut.add(uri, skill.aliases);
    else leftOut.delete(uri);
  }

  /** The change that it is for readers, and for the skills around. */
  function changeOf(change: SourceChange): SourceChange {
    const concerned = new Map<string, string>();
    for (const uri of change.removed) note(uri, undefined);
    for (const skill of change.upserted) note(skill.entry.uri, skill);
    for (const uri of [...change.removed, ...change.upserted.map(({ entry }) => entry.uri)]) {
      concerned.set(keyOf(uri), uri);
      for (const { entry } of around(uri)) concerned.set(keyOf(entry.uri), entry.uri);
    }
    const upserted: SourceSkill[] = [];
    const removed: string[] = [];
    for (const [key, uri] of concerned) {
      const skill = known.get(key);
      if (skill !== undefined && isWhole(skill)) upserted.push(shown(skill));
      else removed.push(uri);
    }
    return { ...change, upserted, removed };
  }

  /** The known skills in whose folder this file lies, innermost first. */
  function* around(uri: string): Generator<SourceSkill> {
    const key = keyOf(uri);
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const skill = known.get(`${key.slice(0, end)}/${skillFileName}`);
      if (skill !== undefined) yield skill;
    }
  }

  /** Whether a file may be read: that of the innermost skill around it, or of one that nobody has listed. */
  function isReadable(uri: string): boolean {
    const [skill] = around(uri);
    if (skill === undefined) return isChosenUri(uri);
    // Which folders of a dynamic skill are skills is known only to its origin.
    return isWhole(skill) && (skill.entry.resources !== 'dynamic' || isChosenUri(uri));
  }

  return deriveSource(source, {
    name: 'pass',
    async *list(context) {
      const pages = [];
      for await (const page of source.list(context)) pages.push(page);
      known.clear();
      leftOut.clear();
      for (const { skills } of pages) for (const skill of skills) note(skill.entry.uri, skill);
      for (const page of pages) yield { ...page, skills: page.skills.filter(isWhole).map(shown) };
    },
    async get(uri, context) {
      const before = known.get(keyOf(uri));
      if (!isChosenUri(uri) && (before === undefined || !isChosenSkill(before))) return undefined;
      const skill = await source.get(uri, context);
      if (skill === undefined) return undefined;
      note(skill.entry.uri, skill);
      return isWhole(skill) ? shown(skill) : undefined;
    },
    open: async (uri, context) => (isReadable(uri) ? source.open(uri, context) : undefined),
    isCurrent: { map: (isCurrent) => (uri, digest) => isReadable(uri) && isCurrent(uri, digest) },
    templates: {
      map: (templates) => async (context) =>
        (await templates(context)).filter(({ uriTemplate }) => isChosenTemplate(uriTemplate)),
    },
    // What an origin says beside its skills goes past every choice.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: { map: (watch) => (listener) => watch((change) => listener(changeOf(change))) },
    close: 'pass',
  });

  /** By the path that stands in it, variables taken as text; what it expands to is asked about again when it is read. */
  function isChosenTemplate(uriTemplate: string): boolean {
    const suffix = `/${skillFileName}`;
    const path = uriTemplate.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
    return path.endsWith(suffix) && isChosen(path.slice(0, -suffix.length));
  }
}

/** One for all spellings of a URI. */
function keyOf(uri: string): string {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? uri : resourceKey(parsed);
}
