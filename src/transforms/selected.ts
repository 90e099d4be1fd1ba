/** A source with a part of its skills, chosen by patterns on their paths, and whether they are listed. What is left out does not exist. */
import ignore from 'ignore';
import { tryParseResourceUri } from '../skill/resource-uri.ts';
import type { SkillSource, SourceChange, SourceSkill } from '../sources/skill-source.ts';

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

  function isChosen(uri: string): boolean {
    const path = tryParseResourceUri(uri)?.segments.slice(0, -1).join('/');
    // A skill is a folder, so patterns that end with a slash mean it too.
    const folder = `${path}/`;
    if (path === undefined || path === '' || !ignore.isPathValid(folder)) return false;
    return (included === undefined || included.ignores(folder)) && excluded?.ignores(folder) !== true;
  }

  function chosen(skills: readonly SourceSkill[]): readonly SourceSkill[] {
    const some = skills.filter(({ entry }) => isChosen(entry.uri));
    return listed === false ? some.map((skill) => ({ ...skill, listed: false })) : some;
  }

  const { watch } = source;
  return {
    ...source,
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, skills: chosen(page.skills) };
    },
    async get(uri, context) {
      if (!isChosen(uri)) return undefined;
      const skill = await source.get(uri, context);
      return skill === undefined ? undefined : chosen([skill])[0];
    },
    ...(watch === undefined
      ? {}
      : {
          watch: (listener: (change: SourceChange) => void) =>
            watch.call(source, (change) =>
              listener({
                ...change,
                upserted: chosen(change.upserted),
                removed: change.removed.filter(isChosen),
              }),
            ),
        }),
  };
}
