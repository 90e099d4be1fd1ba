/**
 * Chooses the skills of a bounded listing.
 *
 * Clients show a model a limited number of names and descriptions, and drop the others silently. So the server applies
 * the bounds itself, always in the same order: patterns of the operator first, then one skill of each origin in turn.
 * That way a large origin does not crowd out small ones. A skill that does not fit is left out; its description is
 * never cut.
 */
import ignore from 'ignore';

export interface ListingBudget {
  /** The maximum number of listed skills. */
  readonly skills?: number;
  /** The maximum number of characters of all names and descriptions together. */
  readonly characters?: number;
  /** Patterns on the path of a skill, in `.gitignore` syntax. Skills that match are listed first. */
  readonly first?: readonly string[];
}

interface Listed {
  readonly path: string;
  readonly entry: { readonly frontmatter: { readonly name: string; readonly description: string } };
}

/** The skills within the budget, in their original order. */
export function withinBudget<S extends Listed>(listed: readonly S[], budget: ListingBudget): readonly S[] {
  const { skills = Number.POSITIVE_INFINITY, characters = Number.POSITIVE_INFINITY } = budget;
  if (listed.length <= skills && characters === Number.POSITIVE_INFINITY) return listed;
  const chosen = new Set<S>();
  let used = 0;
  for (const skill of inOrder(listed, budget.first ?? [])) {
    if (chosen.size >= skills) break;
    const { name, description } = skill.entry.frontmatter;
    const length = name.length + description.length;
    if (used + length > characters) continue;
    used += length;
    chosen.add(skill);
  }
  return chosen.size === listed.length ? listed : listed.filter((skill) => chosen.has(skill));
}

function* inOrder<S extends Listed>(listed: readonly S[], first: readonly string[]): Generator<S> {
  const named = new Set<S>();
  for (const pattern of first) {
    const matcher = ignore({ ignorecase: false }).add(pattern);
    for (const skill of listed)
      if (!named.has(skill) && matcher.ignores(`${skill.path}/`)) {
        named.add(skill);
        yield skill;
      }
  }
  yield* byTurns(listed.filter((skill) => !named.has(skill)));
}

/** One of each first path segment, then the next of each. */
function* byTurns<S extends Listed>(listed: readonly S[]): Generator<S> {
  const groups = new Map<string, S[]>();
  for (const skill of listed) {
    const [origin = ''] = skill.path.split('/', 1);
    const group = groups.get(origin);
    if (group === undefined) groups.set(origin, [skill]);
    else group.push(skill);
  }
  for (let turn = 0; groups.size > 0; turn++)
    for (const [origin, group] of groups) {
      const skill = group[turn];
      if (skill === undefined) groups.delete(origin);
      else yield skill;
    }
}
