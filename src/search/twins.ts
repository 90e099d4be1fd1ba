/**
 * Near twins: versions of one skill, and one text under two names. They are one hit, so that ten hits are ten different answers. Texts of
 * one name are twins if their descriptions share most words. Texts of different names are twins only if all words are equal,
 * because texts made from a template differ in a single word.
 */

/** Part of the words of two descriptions that both have. */
const sameNamePart = 0.5;

/** Shorter descriptions are equal by chance. */
const leastWords = 8;

export interface TextTerms {
  /** Ids of the terms of the name, in order. */
  nameOf(slot: number): Int32Array;
  /** Ids of the terms of the description, without duplicates, sorted. */
  descriptionOf(slot: number): Int32Array;
}

export interface TwinGroup {
  readonly slot: number;
  readonly twins: readonly number[];
}

/** @param slots best first; the first of each group represents the others */
export function groupTwins(slots: readonly number[], terms: TextTerms): readonly TwinGroup[] {
  const groups: { readonly slot: number; readonly twins: number[] }[] = [];
  for (const slot of slots) {
    const group = groups.find((one) => areTwins(one.slot, slot, terms));
    if (group === undefined) groups.push({ slot, twins: [] });
    else group.twins.push(slot);
  }
  return groups;
}

function areTwins(a: number, b: number, { nameOf, descriptionOf }: TextTerms): boolean {
  const [first, second] = [descriptionOf(a), descriptionOf(b)];
  if (areEqual(nameOf(a), nameOf(b))) return sharedPart(first, second) >= sameNamePart;
  return first.length >= leastWords && areEqual(first, second);
}

export function areEqual(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
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
