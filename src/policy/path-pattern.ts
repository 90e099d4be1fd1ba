/** Patterns on the paths of skills, as in `.gitignore`. */
import ignore from 'ignore';
import { limits } from '../limits.ts';

/**
 * Whether a folder matches a pattern; `undefined` for a path that no pattern can be tried on. The library caches every path, so its matcher is
 * replaced from time to time.
 */
export function pathPattern(pattern: string): (path: string) => boolean | undefined {
  let matcher = ignore().add(pattern);
  let checks = 0;
  return (path) => {
    const folder = `${path}/`;
    if (!ignore.isPathValid(folder)) return undefined;
    if (++checks > limits.access.rememberedPaths) {
      matcher = ignore().add(pattern);
      checks = 1;
    }
    return matcher.ignores(folder);
  };
}
