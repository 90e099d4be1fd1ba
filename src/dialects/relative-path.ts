/**
 * Paths of files inside a skill's folder, as manifests of other servers write them: decoded, with `/` between segments.
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName, segmentFault } from '../skill/file-path.ts';

/** Why a path cannot be a skill file, as a phrase to follow the path; `undefined` if it can. */
export function relativePathFault(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'is not text';
  const { characters, depth } = limits.path;
  if (path.length > characters) return `has ${path.length} characters; at most ${characters} are allowed`;
  if (path.startsWith('/')) return 'starts with a slash';
  const segments = path.split('/');
  if (segments.length > depth) return `has ${segments.length} levels; at most ${depth} are allowed`;
  for (const segment of segments) {
    const fault = segmentFault(segment);
    if (fault !== undefined) return segment === path ? fault : `has a segment that ${fault}`;
  }
  return undefined;
}

export function createPathSet() {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return {
    /** Why the path conflicts with earlier ones, as a phrase to follow the path. */
    add(path: string): string | undefined {
      const fold = foldName(path);
      const twin = files.get(fold);
      if (twin !== undefined)
        return twin === path ? 'is listed twice' : `differs from ${quoteText(twin)} only by case or Unicode form`;
      const inside = folders.get(fold);
      if (inside !== undefined) return `is a file, but ${quoteText(inside)} is below it`;
      for (let end = fold.lastIndexOf('/'); end > 0; end = fold.lastIndexOf('/', end - 1)) {
        const file = files.get(fold.slice(0, end));
        if (file !== undefined) return `is below ${quoteText(file)}, which is a file`;
      }
      files.set(fold, path);
      for (let end = fold.lastIndexOf('/'); end > 0; end = fold.lastIndexOf('/', end - 1)) {
        const parent = fold.slice(0, end);
        if (folders.has(parent)) break;
        folders.set(parent, path);
      }
      return undefined;
    },
  };
}

/** A set of paths without duplicates that can coexist on any disk. */
export type PathSet = ReturnType<typeof createPathSet>;

/** Encodes a decoded path for a URI. */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.normalize('NFC')))
    .join('/');
}
