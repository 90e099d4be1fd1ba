/**
 * For each term, the texts that contain it, with a weight. A text is a slot number; slot and weight share one small integer. Postings
 * of removed texts stay until `move()`, and readers skip them.
 */

/** Weights between 0 and 1 are stored in this many steps. */
const steps = 2048;
const stepBits = 11;

export function slotOf(posting: number): number {
  return posting >>> stepBits;
}

export function weightOf(posting: number): number {
  return ((posting & (steps - 1)) + 0.5) / steps;
}

const none: readonly number[] = [];
const noTerms: readonly string[] = [];

export function createPostings() {
  const ids = new Map<string, number>();
  /** No list for a term that no text keeps: most words of long bodies occur once and are not indexed. */
  const lists: (number[] | undefined)[] = [];
  const terms: string[] = [];
  const beginnings = new Map<string, string[]>();

  function createId(term: string): number {
    const id = terms.length;
    ids.set(term, id);
    terms.push(term);
    lists.push(undefined);
    return id;
  }

  function createList(id: number): number[] {
    const list: number[] = [];
    lists[id] = list;
    const term = terms[id] ?? '';
    const start = term.slice(0, 2);
    const others = beginnings.get(start);
    if (others === undefined) beginnings.set(start, [term]);
    else others.push(term);
    return list;
  }

  return {
    /** The id of a term. An unknown term gets a new one. */
    idOf: (term: string): number => ids.get(term) ?? createId(term),
    /** The id of a term, or `undefined` if no text was ever given it. */
    find: (term: string): number | undefined => ids.get(term),
    add(id: number, slot: number, weight: number): void {
      const list = lists[id] ?? createList(id);
      list.push(slot * steps + Math.min(steps - 1, Math.floor(weight * steps)));
    },
    list(term: string): readonly number[] {
      const id = ids.get(term);
      return id === undefined ? none : (lists[id] ?? none);
    },
    /** Terms that begin with the same two characters. */
    near: (term: string): readonly string[] => beginnings.get(term.slice(0, 2)) ?? noTerms,
    /** Renumbers the texts; -1 drops one. Terms keep their ids. */
    move(slots: Int32Array): void {
      for (const [id, list] of lists.entries()) {
        if (list === undefined) continue;
        const moved: number[] = [];
        for (const posting of list) {
          const slot = slots[slotOf(posting)] ?? -1;
          if (slot >= 0) moved.push(slot * steps + (posting & (steps - 1)));
        }
        lists[id] = moved;
      }
    },
  };
}

export type Postings = ReturnType<typeof createPostings>;
