/**
 * Chooses skills of a source by patterns on their paths.
 *
 * - `selected()` leaves skills out: they are not listed, and neither their URIs nor their files are answered. A skill that contains one
 *   that is left out is left out too.
 * - `withRules()` only decides what is listed. A skill that is not listed is still answered by URI.
 */
import ignore from 'ignore';
import { skillFileName } from '../skill/entry.ts';
import { folderPath, nestedOf, pathsAround } from '../skill/nested-skills.ts';
import { resourceKey, tryParseResourceUri } from '../skill/resource-uri.ts';
import { parseSkillUri } from '../skill/skill-uri.ts';
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
  /** Every skill that the source has reported, by key, and those that are left out by their own path. */
  const known = new Map<string, SourceSkill>();
  const leftOut = createNestedIndex();

  function isChosen(path: string): boolean {
    // A skill is a folder, so it matches patterns that end with a slash too.
    const folder = `${path}/`;
    if (path === '' || !ignore.isPathValid(folder)) return false;
    return (included === undefined || included.ignores(folder)) && excluded?.ignores(folder) !== true;
  }

  function isChosenUri(uri: string): boolean {
    return tryParseResourceUri(uri) !== undefined && isChosen(folderPath(uri));
  }

  /** Its path or an alias is included, and none of them is excluded. */
  function isChosenSkill({ entry, aliases = [] }: SourceSkill): boolean {
    if (aliases.length === 0) return isChosenUri(entry.uri);
    if (tryParseResourceUri(entry.uri) === undefined) return false;
    const folders = [folderPath(entry.uri), ...aliases].map((path) => `${path}/`);
    if (!folders.every((folder) => ignore.isPathValid(folder) && excluded?.ignores(folder) !== true)) return false;
    return included === undefined || folders.some((folder) => included.ignores(folder));
  }

  /** It is chosen, and so is every skill inside it. */
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

  /** The change as readers see it, with its effect on the skills around. */
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
    for (const folder of pathsAround(keyOf(uri))) {
      const skill = known.get(`${folder}/${skillFileName}`);
      if (skill !== undefined) yield skill;
    }
  }

  /** Whether a file may be read: a file of the innermost known skill around it, or of a skill that is not known. */
  function isReadable(uri: string): boolean {
    const [skill] = around(uri);
    if (skill === undefined) return isChosenUri(uri);
    // Only the origin knows which folders of a dynamic skill are skills.
    return isWhole(skill) && (skill.entry.resources !== 'dynamic' || isChosenUri(uri));
  }

  return deriveSource(source, {
    search: 'drop',
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
    // These bypass the selection.
    readDirectory: 'drop',
    readResource: 'drop',
    status: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: { map: (watch) => (listener) => watch((change) => listener(changeOf(change))) },
    close: 'pass',
  });

  /** Judged by the literal path, with variables as text. The expanded URI is checked when it is read. */
  function isChosenTemplate(uriTemplate: string): boolean {
    const suffix = `/${skillFileName}`;
    const path = uriTemplate.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
    return path.endsWith(suffix) && isChosen(path.slice(0, -suffix.length));
  }
}

/** The same key for all spellings of a URI. */
function keyOf(uri: string): string {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? uri : resourceKey(parsed);
}

/** A source whose skills are listed or not by rules on their paths. A skill that is not listed is still answered by URI. */

/** Shows or hides the skills below a path in listings. */
export interface ListingRule {
  /** Pattern on the skill path, in the syntax of .gitignore: "drafts/", "*-internal", "team-a/**". */
  readonly match: string;
  readonly listed: boolean;
}

/** Later rules override earlier ones. A skill that no rule matches stays as its source has it. */
export function withRules(source: SkillSource, rules: readonly ListingRule[]): SkillSource {
  if (rules.length === 0) return source;
  const matchers = rules.map((rule) => ({ matcher: ignore().add(rule.match), listed: rule.listed }));

  function applied(skill: SourceSkill): SourceSkill {
    const path = parseSkillUri(skill.entry.uri).segments.slice(0, -1).join('/');
    let { listed } = skill;
    for (const rule of matchers) if (rule.matcher.ignores(`${path}/`)) listed = rule.listed;
    return listed === skill.listed ? skill : { ...skill, listed };
  }

  return deriveSource(source, {
    search: 'drop',
    name: 'pass',
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, skills: page.skills.map(applied) };
    },
    async get(uri, context) {
      const skill = await source.get(uri, context);
      return skill === undefined ? undefined : applied(skill);
    },
    open: 'pass',
    readDirectory: 'pass',
    templates: 'pass',
    readResource: 'pass',
    status: 'pass',
    isCurrent: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: {
      map: (watch) => (listener) => watch((change) => listener({ ...change, upserted: change.upserted.map(applied) })),
    },
    close: 'pass',
  });
}
