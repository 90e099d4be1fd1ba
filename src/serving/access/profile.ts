/**
 * A profile: which skills a caller may see, as a question about the path of a skill and nothing else. So it is answered alike for
 * skills that exist and for those that do not, and before any source is asked. What is not allowed does not exist for the caller.
 *
 * Patterns are in the manner of `.gitignore`. An `include` matches exactly, an `exclude` in any case: what is written sloppily
 * shows less, never more.
 */
import ignore from 'ignore';
import { limits } from '../../limits.ts';
import type { ListingBudget } from './listing-budget.ts';

/** Which origins and paths a profile includes and excludes. */
export interface ProfileRules {
  /** Labels of origins. Absent: all. */
  readonly origins?: readonly string[];
  /** Patterns on the path of a skill; at least one must match. Absent: all match. */
  readonly include?: readonly string[];
  /** Patterns on the path of a skill; none may match. */
  readonly exclude?: readonly string[];
  /** Bounds of the listing. What is beyond them is served to those who know the URI or search for it. */
  readonly listing?: ListingBudget;
}

/** A set of skills that some readers see. */
export interface Profile {
  readonly name: string;
  /** Of the decoded path of a skill, without its `SKILL.md`: `acme/billing/refunds`. */
  allows(path: string): boolean;
  /** Whether a pattern of `exclude` matches. A skill is hidden too if one of its other paths is excluded. */
  excludes?(path: string): boolean;
  readonly listing?: ListingBudget;
}

/**
 * Makes a profile from rules.
 *
 * @param pathOf where the skills of an origin lie, by its label; below the label itself unless the configuration says otherwise
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
      // A skill is a folder, so patterns that end with a slash mean it too.
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

/** The library remembers every path that it was asked about, and callers may ask about any: it is made anew now and then. */
function createMatcher(patterns: readonly string[], ignorecase: boolean): (folder: string) => boolean {
  const fresh = () => ignore({ ignorecase }).add(patterns);
  let matcher = fresh();
  let asked = 0;
  return (folder) => {
    if (++asked > limits.access.rememberedPaths) {
      matcher = fresh();
      asked = 1;
    }
    return matcher.ignores(folder);
  };
}
