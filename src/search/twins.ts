/**
 * Near twins: versions of one skill, and one text under two names. They are one hit, so that ten hits are ten different answers. Texts of
 * one name are twins if their descriptions share most words; of different names only if all words are the same, because texts that
 * are made from a template differ in a single one.
 */

/** The part of the words of two descriptions that both have. */
const sameNamePart = 0.5;

/** Shorter descriptions are equal by chance. */
const leastWords = 8;

export interface TwinFacts {
  /** The terms of the name, with blanks between them. */
  nameOf(slot: number): string;
  /** The terms of the description, each once, sorted. */
  descriptionOf(slot: number): Int32Array;
}

export interface TwinGroup {
  readonly slot: number;
  readonly twins: readonly number[];
}

/** @param slots best first; the first of each group stands for the others */
export function groupTwins(slots: readonly number[], facts: TwinFacts): readonly TwinGroup[] {
  const groups: { readonly slot: number; readonly twins: number[] }[] = [];
  for (const slot of slots) {
    const group = groups.find((one) => areTwins(one.slot, slot, facts));
    if (group === undefined) groups.push({ slot, twins: [] });
    else group.twins.push(slot);
  }
  return groups;
}

function areTwins(a: number, b: number, { nameOf, descriptionOf }: TwinFacts): boolean {
  const [first, second] = [descriptionOf(a), descriptionOf(b)];
  if (nameOf(a) === nameOf(b)) return sharedPart(first, second) >= sameNamePart;
  return first.length >= leastWords && first.length === second.length && first.every((term, at) => term === second[at]);
}

function sharedPart(a: Int32Array, b: Int32Array): number {
  let [shared, left, right] = [0, 0, 0];
  while (left < a.length && right < b.length) {
    const [one, other] = [a[left] ?? 0, b[right] ?? 0];
    if (one === other) shared++;
    if (one <= other) left++;
    if (other <= one) right++;
  }
  const all = a.length + b.length - shared;
  return all === 0 ? 1 : shared / all;
}
