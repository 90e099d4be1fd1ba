/**
 * Completes the variable in `skill://{+path}`. Offers the `SKILL.md` of matching skills, and the files of a listed skill once the text is
 * inside its folder. Values are spelled as in URIs.
 */
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { indexAfter } from './pages.ts';

export interface PathCompletion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

const scheme = 'skill://';

const uriOf = ({ entry }: SkillRecord): string => entry.uri;

export function completePath({ listed }: Snapshot, value: string): PathCompletion {
  const typed = `${scheme}${value}`;

  function listedAt(uri: string): SkillRecord | undefined {
    const record = listed[indexAfter(listed, uriOf, uri) - 1];
    return record?.entry.uri === uri ? record : undefined;
  }

  const files = new Set<string>();
  // At most one enclosing skill per slash, found by the URI that it would have.
  for (let slash = typed.indexOf('/', scheme.length); slash !== -1; slash = typed.indexOf('/', slash + 1)) {
    const resources = listedAt(`${typed.slice(0, slash)}/${skillFileName}`)?.entry.resources;
    if (resources === undefined || resources === 'dynamic') continue;
    for (const { uri } of resources) if (uri.startsWith(typed) && listedAt(uri) === undefined) files.add(uri);
  }

  // Published URIs are ASCII, so all URIs with this prefix sort before the prefix plus this character.
  const end = indexAfter(listed, uriOf, `${typed}\uffff`);
  const start = listedAt(typed) === undefined ? indexAfter(listed, uriOf, typed) : indexAfter(listed, uriOf, typed) - 1;
  const wanted = limits.pages.completions;
  const skills = listed.slice(start, Math.min(end, start + wanted)).map(uriOf);
  const total = files.size + Math.max(0, end - start);
  return {
    values: [...skills, ...files].slice(0, wanted).map((uri) => uri.slice(scheme.length)),
    total,
    hasMore: total > wanted,
  };
}
