/**
 * For each term the texts that have it, with a weight. A text is a number that is never used again; one number holds both, so that a
 * list of them is an array of small integers. What is gone is passed over by whoever reads, until the lists are moved.
 */

/** A weight is kept in this many steps between 0 and 1. */
const steps = 2048;
const stepBits = 11;

export interface Postings {
  /** The number of a term; a new one where it was not known. */
  number(term: string): number;
  add(term: number, slot: number, weight: number): void;
  /** The texts that have the term. */
  list(term: string): readonly number[];
  /** Terms that begin with the same two characters. */
  near(term: string): readonly string[];
  /** Gives texts other numbers; -1 stands for those that are gone. Terms keep theirs. */
  move(slots: Int32Array): void;
}

export function slotOf(posting: number): number {
  return posting >>> stepBits;
}

export function weightOf(posting: number): number {
  return ((posting & (steps - 1)) + 0.5) / steps;
}

const none: readonly number[] = [];
const noTerms: readonly string[] = [];

export function createPostings(): Postings {
  const numbers = new Map<string, number>();
  const lists: number[][] = [];
  const beginnings = new Map<string, string[]>();

  function known(term: string): number {
    const number = lists.length;
    numbers.set(term, number);
    lists.push([]);
    const start = term.slice(0, 2);
    const others = beginnings.get(start);
    if (others === undefined) beginnings.set(start, [term]);
    else others.push(term);
    return number;
  }

  return {
    number: (term) => numbers.get(term) ?? known(term),
    add(term, slot, weight) {
      lists[term]?.push(slot * steps + Math.min(steps - 1, Math.floor(weight * steps)));
    },
    list(term) {
      const number = numbers.get(term);
      return number === undefined ? none : (lists[number] ?? none);
    },
    near: (term) => beginnings.get(term.slice(0, 2)) ?? noTerms,
    move(slots) {
      for (const [term, list] of lists.entries()) {
        const kept: number[] = [];
        for (const posting of list) {
          const slot = slots[slotOf(posting)] ?? -1;
          if (slot >= 0) kept.push(slot * steps + (posting & (steps - 1)));
        }
        lists[term] = kept;
      }
    },
  };
}
