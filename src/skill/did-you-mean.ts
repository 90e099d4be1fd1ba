/**
 * The nearest of known names for a name that matches none. Callers pass only names that the reader may see: a suggestion must not
 * report a skill that a policy or a profile hides.
 */
import { limits } from '../limits.ts';
import { quoteText } from './display-text.ts';

/** " Did you mean "x"?", or nothing; to be put after the sentence that says what is unknown. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const nearest = nearestName(typed, known);
  return nearest === undefined ? '' : ` Did you mean ${quoteText(nearest)}?`;
}

/** The nearest name, or `undefined` if none is near. Equally near ones are decided by the alphabet, so the answer is always the same. */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  const { typedCharacters, names } = limits.suggestions;
  if (typed.length > typedCharacters) return undefined;
  const wanted = folded(typed);
  if (wanted === '') return undefined;
  let best: { readonly name: string; readonly cost: number } | undefined;
  let seen = 0;
  for (const name of known) {
    if (++seen > names) break;
    const cost = costOf(wanted, folded(name));
    if (cost === undefined) continue;
    if (best === undefined || cost < best.cost || (cost === best.cost && name < best.name)) best = { name, cost };
  }
  return best?.name;
}

/** Case, hyphens, spaces and underscores make no difference to a person. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}

/** Fewer letters say too little: everything begins with them. */
const leastBeginning = 3;

/** Edits that make one of the other, or a little more for a beginning; `undefined` if that is too much. */
function costOf(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0;
  const most = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
  const edits = Math.abs(wanted.length - name.length) > most ? undefined : editsWithin(wanted, name, most);
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  const begins = short.length >= leastBeginning && long.startsWith(short);
  if (edits !== undefined) return edits;
  return begins ? most + 1 : undefined;
}

/** Inserted, removed and replaced letters, and exchanged neighbors; `undefined` if there are more than `most`. */
function editsWithin(a: string, b: string, most: number): number | undefined {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const exchanged = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (exchanged) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      next.push(edits);
    }
    if (Math.min(...next) > most) return undefined;
    before = last;
    last = next;
  }
  const edits = last[b.length] ?? 0;
  return edits <= most ? edits : undefined;
}
