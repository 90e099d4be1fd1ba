/** An index of the skills of one origin by path. It finds the skills inside and around a skill. */
import type { SkillEntry } from '../skill/entry.ts';
import { folderPath, hasFilesIn, pathsAround } from '../skill/nested-skills.ts';

export function createNestedIndex() {
  const paths = new Map<string, readonly string[]>();
  const at = new Map<string, Set<string>>();
  const inside = new Map<string, Set<string>>();

  function remove(uri: string): void {
    const own = paths.get(uri);
    if (own === undefined) return;
    paths.delete(uri);
    take(at, folderPath(uri), uri);
    for (const path of own) for (const outer of pathsAround(path)) take(inside, outer, uri);
  }

  return {
    /** @param aliases other paths at which the files of the skill lie */
    add(uri: string, aliases: readonly string[] = []): void {
      remove(uri);
      const own = [folderPath(uri), ...aliases];
      paths.set(uri, own);
      put(at, folderPath(uri), uri);
      for (const path of own) for (const outer of pathsAround(path)) put(inside, outer, uri);
    },
    delete: remove,
    clear(): void {
      paths.clear();
      at.clear();
      inside.clear();
    },
    /** URIs of the skills inside an entry, whose files it has too. */
    *carriedBy(entry: SkillEntry): Iterable<string> {
      for (const inner of inside.get(folderPath(entry.uri)) ?? [])
        if (paths.get(inner)?.some((path) => hasFilesIn(entry, path)) === true) yield inner;
    },
    /** URIs of the skills in whose folder this one lies. */
    *around(uri: string): Iterable<string> {
      for (const path of paths.get(uri) ?? [folderPath(uri)])
        for (const outer of pathsAround(path)) yield* at.get(outer) ?? [];
    },
  };
}

function put(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

function take(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  known?.delete(value);
  if (known?.size === 0) sets.delete(key);
}
