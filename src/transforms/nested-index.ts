/** The skills of one origin by their paths, so that a skill finds those inside it and those around it. */
import { folderPath, pathsAround } from '../skill/nested-skills.ts';

export interface NestedIndex {
  /** URIs of `SKILL.md` files. */
  add(uri: string): void;
  delete(uri: string): void;
  clear(): void;
  /** URIs of the skills inside the folder of this one. */
  inside(uri: string): Iterable<string>;
  /** URIs of the skills in whose folder this one lies. */
  around(uri: string): Iterable<string>;
}

export function createNestedIndex(): NestedIndex {
  const at = new Map<string, Set<string>>();
  const inside = new Map<string, Set<string>>();

  return {
    add(uri) {
      const path = folderPath(uri);
      put(at, path, uri);
      for (const outer of pathsAround(path)) put(inside, outer, uri);
    },
    delete(uri) {
      const path = folderPath(uri);
      take(at, path, uri);
      for (const outer of pathsAround(path)) take(inside, outer, uri);
    },
    clear() {
      at.clear();
      inside.clear();
    },
    inside: (uri) => inside.get(folderPath(uri)) ?? [],
    *around(uri) {
      for (const outer of pathsAround(folderPath(uri))) yield* at.get(outer) ?? [];
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
