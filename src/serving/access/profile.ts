/**
 * A profile decides which skills a caller may see, by the path of a skill alone.
 *
 * So existing and missing skills get the same answer, before any source is queried. For the caller, a skill that is not
 * allowed does not exist.
 *
 * Patterns have `.gitignore` syntax. `include` is case-sensitive and `exclude` is not, so a careless pattern shows
 * less, never more.
 */
import ignore from 'ignore';
import { limits } from '../../limits.ts';
import type { ListingBudget } from './listing-budget.ts';

/** The origins and paths that a profile includes and excludes. */
export interface ProfileRules {
  /** Labels of origins. Default: all. */
  readonly origins?: readonly string[];
  /** Patterns on the path of a skill; at least one must match. Default: all match. */
  readonly include?: readonly string[];
  /** Patterns on the path of a skill; none may match. */
  readonly exclude?: readonly string[];
  /** Bounds of the listing. Other skills are still served by URI and found by search. */
  readonly listing?: ListingBudget;
}

/** A set of skills that some readers see. */
export interface Profile {
  readonly name: string;
  /** The decoded path of a skill without `SKILL.md`: `acme/billing/refunds`. */
  allows(path: string): boolean;
  /** True if a pattern of `exclude` matches. A skill is also hidden if one of its other paths is excluded. */
  excludes?(path: string): boolean;
  readonly listing?: ListingBudget;
}

/**
 * Makes a profile from rules.
 * @param pathOf returns the path prefix of an origin's skills by its label. Default: the label itself
 */
export function createProfile(
  name: string,
  rules: ProfileRules,
  pathOf: (label: string) => string = (label) => label,
): Profile {
  const { include, exclude, listing } = rules;
  const origins = rules.origins?.map((label) => `${pathOf(label)}/`);
  const included = include === undefined ? undefined : createMatcher(include, false);
  const excluded = exclude === undefined ? undefined : createMatcher(exclude, true);

  return {
    name,
    allows(path) {
      // A skill is a folder, so patterns that end with a slash match it too.
      const folder = `${path}/`;
      if (!ignore.isPathValid(folder)) return false;
      if (origins !== undefined && !origins.some((origin) => folder.startsWith(origin))) return false;
      return (included === undefined || included(folder)) && (excluded === undefined || !excluded(folder));
    },
    excludes:
      excluded === undefined ? undefined : (path: string) => !ignore.isPathValid(`${path}/`) || excluded(`${path}/`),
    listing,
  };
}

/**
 * The library remembers every path that it was asked about, and callers choose the paths. A new instance limits its
 * memory.
 */
function createMatcher(patterns: readonly string[], ignorecase: boolean): (folder: string) => boolean {
  const fresh = () => ignore({ ignorecase }).add(patterns);
  let matcher = fresh();
  let matched = 0;
  return (folder) => {
    if (++matched > limits.access.rememberedPaths) {
      matcher = fresh();
      matched = 1;
    }
    return matcher.ignores(folder);
  };
}
